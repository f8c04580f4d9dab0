package admin

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"

	resilience "github.com/resgen-go/resgen/runtime"
)

// action is a change of a breaker by hand.
type action struct {
	Name   string // of the route
	Button string
	Effect string // what the breaker does then, and until when
	do     func(b *resilience.Breaker, by string)
}

var actions = []action{
	{"reset", "Reset", "It is CLOSED, with nothing counted, until its strategy decides otherwise.", (*resilience.Breaker).Reset},
	{"trip", "Trip", "It opens, unless it is open already, and leaves OPEN as it always does.", (*resilience.Breaker).Trip},
	{"force-open", "Force open", "It refuses every call until Reset, Disable or Metrics only.", (*resilience.Breaker).ForceOpen},
	{"disable", "Disable", "It admits every call and counts nothing until another of these.", (*resilience.Breaker).Disable},
	{"metrics-only", "Metrics only", "It admits every call and counts, but never opens by itself, until another of these.", (*resilience.Breaker).MetricsOnly},
}

// longestReason is in bytes, and enough for a sentence with a link.
const longestReason = 500

// control changes a breaker for somebody who may, and answers 204.
func (h *handler) control(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("action")
	do := find(name)
	who, ok := h.allow(r)
	if do == nil {
		http.Error(w, fmt.Sprintf("there is no action %q; there are %s", name, names()), http.StatusNotFound)
		return
	}
	if !ok || who == "" {
		http.Error(w, "you may look but not change anything here", http.StatusForbidden)
		return
	}
	breaker, err := h.registry.Breaker(r.PathValue("name"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	reason, status, err := readReason(w, r)
	if err != nil {
		http.Error(w, err.Error(), status)
		return
	}
	do(breaker, who+": "+reason)
	w.WriteHeader(http.StatusNoContent)
}

func find(name string) func(*resilience.Breaker, string) {
	for _, a := range actions {
		if a.Name == name {
			return a.do
		}
	}
	return nil
}

func names() string {
	var all []string
	for _, a := range actions {
		all = append(all, a.Name)
	}
	return strings.Join(all, ", ")
}

// readReason is why somebody wants a change; status says what to answer to an
// error.
func readReason(w http.ResponseWriter, r *http.Request) (reason string, status int, err error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return "", http.StatusUnsupportedMediaType, fmt.Errorf(`Content-Type must be application/json, and the body {"reason": "…"}`)
	}
	var body struct {
		Reason string `json:"reason"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 16<<10)).Decode(&body); err != nil {
		return "", http.StatusBadRequest, fmt.Errorf(`the body must be {"reason": "…"}: %w`, err)
	}
	reason = strings.Join(strings.Fields(body.Reason), " ")
	switch {
	case reason == "":
		return "", http.StatusBadRequest, fmt.Errorf(`{"reason": "…"} must say why: whoever looks next wants to know`)
	case len(reason) > longestReason:
		return "", http.StatusBadRequest, fmt.Errorf("the reason has %d bytes, %d are allowed", len(reason), longestReason)
	}
	return reason, 0, nil
}

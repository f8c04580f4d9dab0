// Package admin serves a live page of a registry: which breaker is not as it
// should be, since when and why, what it refuses, when it tries again and who did
// that.
//
//	mux.Handle("/resilience/", http.StripPrefix("/resilience", admin.Handler(registry)))
//
// The page works under any prefix, loads nothing from elsewhere, and changes
// nothing unless [Control] lets somebody. It shows names of dependencies and the
// texts of their last errors, so it belongs behind what keeps strangers out.
//
//	GET  ./           the page
//	GET  ./snapshot   [resilience.Registry.Snapshot] as JSON
//	GET  ./settings   [resilience.Registry.Settings] as JSON
//	GET  ./events     server-sent events, see below
//	POST ./breakers/{name}/{trip,force-open,disable,metrics-only,reset}
//	                  with [Control] only; the body is {"reason": "…"}
//
// The stream begins with an event "snapshot" and the last 200 events of the
// registry, each as "event" with an id. A snapshot follows each [Interval] while
// somebody looks, an event at once, and "closed" ends the stream when the registry
// does. Who comes back with Last-Event-ID gets the events since. Events are
// transitions, reloads, outages, warnings, budgets that run empty, calls that an
// entry should have declared, and probes when their outcome changes.
//
// There is no route that says whether the service is healthy: an open breaker is no
// reason to end a process that copes with it.
package admin

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// Option sets up a handler; see [Handler].
type Option func(*handler)

// Control lets people change breakers by hand: allow says who sends the request,
// and whether they may. The name and the reason that they give are By of the
// [resilience.Transition]. It is asked for each POST, and for each page whether it
// has buttons; a request without a name is refused. Without Control nothing can be
// changed. A change holds in this process only.
func Control(allow func(*http.Request) (who string, ok bool)) Option {
	return func(h *handler) { h.allow = allow }
}

// Hosts are the values of the header Host that requests may have, such as
// "localhost:9090"; one without a port stands for any port. Others get 421, which
// keeps pages of strangers from reaching a page on loopback by a name of their own.
// Without Hosts any will do.
func Hosts(hosts ...string) Option {
	return func(h *handler) { h.hosts = append(h.hosts, hosts...) }
}

// Viewers is how many may look at the stream at a time; the default is 16. The
// next gets 503 with Retry-After.
func Viewers(n int) Option { return func(h *handler) { h.live.limit = n } }

// Interval is the time between two snapshots of the stream; the default is a
// second, which anything below 10 milliseconds means, too.
func Interval(d time.Duration) Option {
	return func(h *handler) {
		if d >= 10*time.Millisecond {
			h.live.interval = d
		}
	}
}

// Title is what the page calls the process; the default is the program's name and
// that of its host.
func Title(title string) Option { return func(h *handler) { h.title = title } }

// handler answers for one registry.
type handler struct {
	registry *resilience.Registry
	allow    func(*http.Request) (who string, ok bool) // nil: nobody changes anything
	hosts    []string
	title    string
	live     *live
	routes   *http.ServeMux
}

// Handler serves the page of a registry and what it needs; see the package. It
// panics where New did not make the registry. While nobody looks it costs nothing
// but the memory of the last 200 events.
func Handler(registry *resilience.Registry, options ...Option) http.Handler {
	if registry.Done() == nil {
		panic("admin: the registry is nil or not made by resilience.New; check the error that New returned")
	}
	h := &handler{registry: registry, title: process(), live: newLive(registry), routes: http.NewServeMux()}
	for _, option := range options {
		option(h)
	}
	h.routes.HandleFunc("GET /{$}", h.page)
	h.routes.HandleFunc("GET /snapshot", answer(func() any { return registry.Snapshot() }))
	h.routes.HandleFunc("GET /settings", answer(func() any { return slices.Concat([]resilience.NamedSettings{}, registry.Settings()) }))
	h.routes.HandleFunc("GET /events", h.live.serve)
	if h.allow != nil {
		h.routes.HandleFunc("POST /breakers/{name}/{action}", h.control)
	}
	registry.Observe(h.live)
	return http.NewCrossOriginProtection().Handler(h)
}

// process is the name of this process for people.
func process() string {
	name := filepath.Base(os.Args[0])
	if host, err := os.Hostname(); err == nil {
		name += " on " + host
	}
	return name
}

// ServeHTTP answers what comes to one of the hosts. StripPrefix may have taken the
// slash that a path begins with.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	if !h.serves(r.Host) {
		http.Error(w, "this page is not served under the name "+r.Host, http.StatusMisdirectedRequest)
		return
	}
	if !strings.HasPrefix(r.URL.Path, "/") {
		rooted := *r.URL
		rooted.Path, rooted.RawPath = "/"+rooted.Path, "/"+rooted.RawPath
		r = r.Clone(r.Context())
		r.URL = &rooted
	}
	h.routes.ServeHTTP(w, r)
}

func (h *handler) serves(host string) bool {
	return len(h.hosts) == 0 || slices.ContainsFunc(h.hosts, func(known string) bool {
		return strings.EqualFold(known, host) || strings.EqualFold(known, withoutPort(host))
	})
}

func withoutPort(host string) string {
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		return host[:i]
	}
	return host
}

// answer serves a value as JSON.
func answer(value func() any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(value())
	}
}

package admin

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"

	resilience "github.com/resgen-go/resgen/runtime"
)

//go:embed page.html
var source string

var page = template.Must(template.New("page").Parse(source))

// content is all that the page is made of. What changes comes by the stream; the
// snapshot is for browsers without scripts.
type content struct {
	Nonce   string
	Title   string
	Actions []action // none: the page has no buttons
	resilience.Snapshot
}

// page serves the page, whose policy lets its own script and style in.
func (h *handler) page(w http.ResponseWriter, r *http.Request) {
	c := content{Nonce: rand.Text(), Title: h.title, Snapshot: h.registry.Snapshot()}
	if h.allow != nil {
		if who, ok := h.allow(r); ok && who != "" {
			c.Actions = actions
		}
	}
	var text bytes.Buffer
	if err := page.Execute(&text, c); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", fmt.Sprintf("default-src 'none'; script-src 'nonce-%[1]s'; style-src 'nonce-%[1]s'; "+
		"connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'", c.Nonce))
	w.Write(text.Bytes())
}

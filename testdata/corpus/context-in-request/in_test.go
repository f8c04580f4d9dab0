package requests

import (
	"context"
	"net/http"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

type client struct {
	Client[value]
	ctx context.Context
}

func (c *client) Parameter(v value) error {
	c.ctx = v.ctx
	return nil
}

func (c *client) Value(v value) error { return c.Parameter(v) }

func (c *client) Embedding(e embedding) error {
	c.ctx = e.Context()
	return nil
}

func (c *client) Second(_ string, request, _ *http.Request) error {
	c.ctx = request.Context()
	return nil
}

func (c *client) Unnamed(request *http.Request, _ ...*http.Request) error {
	c.ctx = request.Context()
	return nil
}

func TestClientsC04ATimeoutIsInTheContextOfTheParameter(t *testing.T) {
	registry, err := resilience.New(resilience.Settings("test", []byte(`{"timeouts": {"clients": {"duration": "1h"}}}`)), resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	next := &client{}
	w, err := NewResilientClient[value](next, registry)
	if err != nil {
		t.Fatal(err)
	}
	request, _ := http.NewRequestWithContext(t.Context(), "GET", "http://x/", nil)
	for name, c := range map[string]struct {
		call    func() error
		bounded bool
	}{
		"a type parameter": {func() error { return w.Parameter(value{t.Context()}) }, true},
		"a value":          {func() error { return w.Value(value{t.Context()}) }, true},
		"the first of two": {func() error { return w.Second("", request, nil) }, true},
		"not the variadic": {func() error { return w.Unnamed(request) }, true},
		"another type":     {func() error { return w.Embedding(embedding{request}) }, false},
	} {
		if err := c.call(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, bounded := next.ctx.Deadline(); bounded != c.bounded {
			t.Errorf("%s: there is a deadline: %v", name, bounded)
		}
	}
}

package stand

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

//go:generate go tool resgen

// Shared is the clients of both dependencies on one pool.
//
//resilience:bulkhead shared
type Shared interface {
	//resilience:timeout a
	A(ctx context.Context) error

	//resilience:timeout b
	B(ctx context.Context) error
}

// Split is the same clients, each on a pool of its own.
type Split interface {
	//resilience:bulkhead a
	//resilience:timeout a
	A(ctx context.Context) error

	//resilience:bulkhead b
	//resilience:timeout b
	B(ctx context.Context) error
}

// clients are bare, before a wrapper. They are a Shared as well as a Split.
type clients struct{ a, b client }

func (c clients) A(ctx context.Context) error { return c.a.get(ctx) }
func (c clients) B(ctx context.Context) error { return c.b.get(ctx) }

func (c clients) closeIdle() {
	c.a.http.CloseIdleConnections()
	c.b.http.CloseIdleConnections()
}

// client calls one dependency.
type client struct {
	url  string
	http *http.Client
}

func (c client) get(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s answered %s", c.url, resp.Status)
	}
	return nil
}

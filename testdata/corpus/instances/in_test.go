package instances

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

var errDown = errors.New("down")

// pool has servers and tenants; those that are called dead answer nobody.
type pool string

func (p pool) of(name string) error {
	if name == "dead" {
		return errDown
	}
	return nil
}

func (p pool) Solve(_ context.Context, n int) (int, error)         { return n, p.of(string(p)) }
func (p pool) Find(_ context.Context, name Tenant) (string, error) { return "", p.of(string(name)) }
func (p pool) All(context.Context) error                           { return nil }
func (p pool) List(_ context.Context, name string, _ ...string) ([]string, error) {
	return nil, p.of(strings.ToLower(name))
}
func (p pool) Open(_ context.Context, name Tenant) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("text")), p.of(string(name))
}
func (p pool) Get(_ context.Context, name Tenant) (int, error) { return 0, p.of(string(name)) }
func (p pool) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{}, p.of(r.URL.Host)
}

func settings(t *testing.T) *resilience.Registry {
	t.Helper()
	registry, err := resilience.New(resilience.Logger(nil), resilience.Settings("test", []byte(`{
		"breakers": {"default": {"strategy": "CONSECUTIVE_FAILURES", "failureThreshold": 2}},
		"bulkheads": {"tenants": {"maxConcurrentCalls": 1}}
	}`)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { registry.Close() })
	return registry
}

func made[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// Two calls of the dead one open its breaker; the others go on.
func TestClientsC12TheDeadOneAloneIsRefused(t *testing.T) {
	r := settings(t)
	ctx := t.Context()
	tenants := made[*ResilientTenants](t)(NewResilientTenants(pool(""), r))
	store := made[*ResilientStore[Tenant, int]](t)(NewResilientStore[Tenant, int](pool(""), settings(t)))
	transport := made[*ResilientTransport](t)(NewResilientTransport(pool(""), r))
	servers := map[string]Solver{}
	for _, name := range []string{"dead", "well"} {
		servers[name] = made[*ResilientSolver](t)(NewResilientSolver(pool(name), r, resilience.Instance(name)))
	}
	listed := made[*ResilientTenants](t)(NewResilientTenants(pool(""), settings(t)))
	for what, call := range map[string]func(name string) error{
		"Solve": func(name string) error { _, err := servers[name].Solve(ctx, 1); return err },
		"Find":  func(name string) error { _, err := tenants.Find(ctx, Tenant(name)); return err },
		"List":  func(name string) error { _, err := listed.List(ctx, strings.ToUpper(name), "more"); return err },
		"Get":   func(name string) error { _, err := store.Get(ctx, Tenant(name)); return err },
		"RoundTrip": func(name string) error {
			request, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+name, nil)
			_, err := transport.RoundTrip(request)
			return err
		},
	} {
		for i := range 4 {
			if err := call("dead"); errors.Is(err, resilience.ErrOpen) != (i >= 2) {
				t.Errorf("%s: call %d of the dead one got %v", what, i+1, err)
			}
			if err := call("well"); err != nil {
				t.Errorf("%s: the other one got %v", what, err)
			}
		}
	}
	if err := tenants.All(ctx); err != nil {
		t.Errorf("the base name: %v", err)
	}
}

// A body that is not read yet has the permit of its own tenant alone.
func TestClientsC6AStreamHoldsThePermitOfItsKey(t *testing.T) {
	ctx := t.Context()
	tenants := made[*ResilientTenants](t)(NewResilientTenants(pool(""), settings(t)))
	body := made[io.ReadCloser](t)(tenants.Open(ctx, "a"))
	if _, err := tenants.Find(ctx, "a"); !errors.Is(err, resilience.ErrFull) {
		t.Errorf("the same tenant got %v", err)
	}
	if _, err := tenants.Find(ctx, "b"); err != nil {
		t.Errorf("another one got %v", err)
	}
	body.Close()
	if _, err := tenants.Find(ctx, "a"); err != nil {
		t.Errorf("after the end: %v", err)
	}
}

package behaviour_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/testdata/scenarios/keyed"
)

// tenants fails for tenants that are called bad.
type tenants struct{ calls int }

func (t *tenants) of(tenant string) error {
	t.calls++
	if strings.HasPrefix(tenant, "bad") {
		return errors.New("down")
	}
	return nil
}

func (t *tenants) Find(_ context.Context, tenant, query string) (int, error) {
	return len(query), t.of(tenant)
}
func (t *tenants) Move(_ context.Context, _ string, to keyed.Region) error { return t.of(string(to)) }
func (t *tenants) Sum(_ context.Context, _ string, more ...string) (string, error) {
	return strings.Join(more, "+"), t.of(more[0])
}
func (t *tenants) Count(context.Context) (int, error)                { return 1, nil }
func (t *tenants) Try(_ context.Context, _ int, tenant string) error { return t.of(tenant) }
func (t *tenants) Peek(tenant string) int                            { t.calls++; return len(tenant) }

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

type store map[keyed.Region]int

func (s store) Get(_ context.Context, _ int, key keyed.Region) (int, error) {
	if v, has := s[key]; has {
		return v, nil
	}
	return 0, errors.New("none")
}

func TestClientsC12MethodsByKeyHaveGuardsOfTheirOwnForEach(t *testing.T) {
	r := registry(t, `{"breakers": {"default": {"strategy": "CONSECUTIVE_FAILURES", "failureThreshold": 2}}, "retries": {"default": {"initialDelay": "0s"}}}`)
	client := new(tenants)
	w := wrap(t, keyed.NewResilientTenants, keyed.Tenants(client), r)
	web := wrap(t, keyed.NewResilientTransport, keyed.Transport(transport(func(r *http.Request) (*http.Response, error) {
		return nil, client.of(r.URL.Host)
	})), r)
	kept := wrap(t, keyed.NewResilientStore[keyed.Region, int], keyed.Store[keyed.Region, int](store{"good": 1}), r)
	ctx := t.Context()
	for name, call := range map[string]func(key string) error{
		"tenants": func(key string) error { _, err := w.Find(ctx, key, "query"); return err },
		"regions": func(key string) error { return w.Move(ctx, "tenant", keyed.Region(key)) },
		"hosts": func(key string) error {
			request, err := http.NewRequest("GET", "http://"+key, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = web.RoundTrip(request)
			return err
		},
		"store": func(key string) error { _, err := kept.Get(ctx, 0, keyed.Region(key)); return err },
	} {
		t.Run(name, func(t *testing.T) {
			call("bad")
			call("bad")
			refusal, is := errors.AsType[*resilience.RefusalError](call("bad"))
			if !is || refusal.Name != name+"/bad" {
				t.Errorf("the third call of a key that fails got %v", refusal)
			}
			if err := call("good"); err != nil {
				t.Errorf("another key: %v", err)
			}
		})
	}
}

func TestKeysThatFunctionsMakeAndKeysOfAttempts(t *testing.T) {
	r := registry(t, `{"breakers": {"tenants": {"failureThreshold": 4, "failureThresholdCapacity": 4}}, "retries": {"default": {"initialDelay": "0s"}}}`)
	client := new(tenants)
	w := wrap(t, keyed.NewResilientTenants, keyed.Tenants(client), r)
	ctx := t.Context()
	if s, err := w.Sum(ctx, "", "a", "b"); s != "a+b" || err != nil {
		t.Errorf("Sum returned %q, %v", s, err)
	}
	if err := w.Try(ctx, 1, "bad"); err == nil || client.calls != 3 {
		t.Errorf("Try returned %v after %d calls, want 2 attempts more", err, client.calls)
	}
	if n, err := w.Count(ctx); n != 1 || err != nil {
		t.Errorf("Count returned %d, %v", n, err)
	}
	if _, err := w.Sum(ctx, "", "bad"); err == nil {
		t.Error("Sum returned no error")
	}
	if n := w.Peek("bad"); n != -1 {
		t.Errorf("Peek returned %d; its breaker is OPEN", n)
	}
	if n := w.Peek("good"); n != 4 {
		t.Errorf("Peek returned %d", n)
	}
	var names []string
	for _, b := range r.Snapshot().Breakers {
		names = append(names, b.Name)
	}
	if want := []string{"regions", "tenants", "tenants/a", "tenants/bad", "tenants/good"}; !slices.Equal(names, want) {
		t.Errorf("the breakers are %q, want %q", names, want)
	}
}

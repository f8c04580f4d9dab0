// Command http puts guards around an http.Client, and shows what they do with a
// real server on loopback:
//
//	go run ./examples/http
//
// The shop answers with prices. The front asks it through the guarded client, and
// answers its own callers by what the guards say.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/resiliencehttp"
)

const settings = `{
	"breakers": {"shop": {"failureThreshold": 3, "successThreshold": 1, "testDelay": "30s"}},
	"bulkheads": {"shop": {"maxConcurrentCalls": 2}},
	"timeouts": {"prices": {"duration": "150ms"}},
}`

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "http:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	backend, err := serve(shop)
	if err != nil {
		return err
	}
	defer backend.Close()
	registry, err := resilience.New(resilience.Settings("settings", []byte(settings)), resilience.Logger(nil))
	if err != nil {
		return err
	}
	defer registry.Close()
	transport, err := NewResilientTransport(http.DefaultTransport, registry)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: transport}
	guarded, err := NewResilientPrices(prices{backend.url, client}, registry)
	if err != nil {
		return err
	}
	front, err := serve(func(*server) http.Handler { return page{guarded} })
	if err != nil {
		return err
	}
	defer front.Close()
	return (&tour{ctx, out, backend, front, client, registry}).run()
}

// page answers with a price, or for the guard that refused.
type page struct{ prices Prices }

func (p page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	price, err := p.prices.Price(r.Context(), strings.TrimPrefix(r.URL.Path, "/"))
	switch {
	case err == nil:
		fmt.Fprintln(w, price)
	case !resiliencehttp.Refuse(w, err):
		http.Error(w, "There is no such price.", http.StatusBadGateway)
	}
}

// tour shows one thing after the other.
type tour struct {
	ctx            context.Context
	out            io.Writer
	backend, front *server
	client         *http.Client // of the backend, guarded
	registry       *resilience.Registry
}

func (t *tour) run() error {
	fmt.Fprintln(t.out, "The shop is well. An answer 404 is an answer: it counts as a success.")
	if err := t.ask("milk", "unicorn", "unicorn", "unicorn", "unicorn"); err != nil {
		return err
	}
	fmt.Fprintln(t.out, "\nTwo answers are not read yet. Each holds its permit until its body is closed, so there is none for a third call.")
	var open []io.Closer
	for range 2 {
		body, err := t.open("milk")
		if err != nil {
			return err
		}
		open = append(open, body)
	}
	if err := t.ask("milk"); err != nil {
		return err
	}
	fmt.Fprintln(t.out, "They are closed.")
	for _, body := range open {
		body.Close()
	}
	if err := t.ask("milk"); err != nil {
		return err
	}
	fmt.Fprintln(t.out, "\nThe price of a yacht takes too long: the timeout ends the call, and the shop sees that its client has gone.")
	if err := t.ask("yacht"); err != nil {
		return err
	}
	fmt.Fprintln(t.out, "\nThe shop answers 503, without an error. Two of them and the timeout are three failures, so the breaker opens.")
	t.backend.ill.Store(true)
	if err := t.ask("milk", "milk"); err != nil {
		return err
	}
	fmt.Fprintln(t.out, "\nNow nothing reaches the shop, and the front says when to come back.")
	before := t.backend.served.Load()
	if err := t.ask("milk", "milk"); err != nil {
		return err
	}
	if reached := t.backend.served.Load() - before; reached != 0 {
		return fmt.Errorf("%d calls reached the shop behind an open breaker", reached)
	}
	return nil
}

// open asks the backend through the guards, and reads nothing.
func (t *tour) open(item string) (io.Closer, error) {
	request, err := http.NewRequestWithContext(t.ctx, http.MethodGet, t.backend.url+"/"+item, nil)
	if err != nil {
		return nil, err
	}
	response, err := t.client.Do(request)
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}

// ask asks the front for prices, and shows its answers and the breaker.
func (t *tour) ask(items ...string) error {
	breaker, err := t.registry.Breaker("shop")
	if err != nil {
		return err
	}
	for _, item := range items {
		status, after, err := t.get(item)
		if err != nil {
			return err
		}
		if after != "" {
			after = ", Retry-After: " + after
		}
		fmt.Fprintf(t.out, "  GET /%-8s %d%s; breaker %v\n", item, status, after, breaker.State())
	}
	return nil
}

func (t *tour) get(item string) (status int, after string, err error) {
	request, err := http.NewRequestWithContext(t.ctx, http.MethodGet, t.front.url+"/"+item, nil)
	if err != nil {
		return 0, "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", fmt.Errorf("the front: %w", err)
	}
	defer response.Body.Close()
	return response.StatusCode, response.Header.Get("Retry-After"), nil
}

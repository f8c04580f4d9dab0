// Command guarded is the server of command plain with a guarded client.
package main

import (
	"context"
	"log"
	"net/http"

	resilience "github.com/resgen-go/resgen/runtime"
)

//go:generate go tool resgen

// Client asks a dependency.
//
//resilience:breaker
//resilience:bulkhead
type Client interface {
	Do(ctx context.Context) error
}

type server struct{ url string }

func (s server) Do(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

func main() {
	registry, err := resilience.New(resilience.Watch("resilience.json"))
	if err != nil {
		log.Fatal(err)
	}
	client, err := NewResilientClient(server{"http://localhost:8081/"}, registry)
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if err := client.Do(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	log.Fatal(http.ListenAndServe("localhost:8080", nil))
}

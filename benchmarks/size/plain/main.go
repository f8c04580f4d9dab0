// Command plain is a small HTTP server with a client. Package guarded is the same
// with guards, so that the difference of the two is what guards link.
package main

import (
	"context"
	"log"
	"net/http"
)

// Client asks a dependency.
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
	var client Client = server{"http://localhost:8081/"}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if err := client.Do(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	log.Fatal(http.ListenAndServe("localhost:8080", nil))
}

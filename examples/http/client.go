package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	_ "github.com/resgen-go/resgen/runtime/resiliencehttp"
)

//go:generate go tool resgen

// Transport guards all that an http.Client asks. An answer is read after RoundTrip
// has returned, so the call lasts until its body is closed.
//
//resilience:breaker shop classify=resiliencehttp.Judge
//resilience:bulkhead shop
type Transport interface {
	//resilience:stream
	RoundTrip(*http.Request) (*http.Response, error)
}

// Prices is a client that reads whole answers, so that a timeout can bound them.
//
//resilience:timeout
type Prices interface {
	Price(ctx context.Context, item string) (string, error)
}

// prices asks a server through a guarded transport.
type prices struct {
	url    string
	client *http.Client
}

func (p prices) Price(ctx context.Context, item string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/"+item, nil)
	if err != nil {
		return "", err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return "", err
	case response.StatusCode != http.StatusOK:
		return "", fmt.Errorf("the server answers %s", response.Status)
	}
	return string(text), nil
}

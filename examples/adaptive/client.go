package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

//go:generate go tool resgen .

// Dependency is the service that is called.
type Dependency interface {
	//resilience:bulkhead dependency
	//resilience:timeout dependency
	Ask(ctx context.Context) error
}

// client calls the dependency over HTTP.
type client struct {
	url  string
	http *http.Client
}

func newClient(url string) client {
	return client{url, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}}
}

func (c client) Ask(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil)
	if err != nil {
		return err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the dependency answered %s", response.Status)
	}
	return nil
}

// timeout is how long callers wait for an answer.
const timeout = 500 * time.Millisecond

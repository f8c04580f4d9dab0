package main

import (
	"context"
	"fmt"
	"net/http"
)

//go:generate go tool resgen

// Shop is the client of the server. Asking for a price twice does no harm.
//
//resilience:breaker
//resilience:timeout
type Shop interface {
	//resilience:retry
	Price(ctx context.Context) error
}

// shop asks the server at url.
type shop struct {
	url    string
	client *http.Client
}

func (s shop) Price(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answers %s", response.Status)
	}
	return nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	resilience "github.com/resgen-go/resgen/runtime"
)

// pool is how many calls to the dependency may run at a time.
const pool = 20

// settings are all there is to tune: a call that finds no permit is refused at
// once.
var settings = fmt.Appendf(nil, `{"bulkheads": {"items": {"maxConcurrentCalls": %d, "maxWaitDuration": "0s"}}}`, pool)

// side is one of the two front-ends that are compared, with a pool and a
// dependency of its own.
type side struct {
	page       Page
	dependency *dependency
	registry   *resilience.Registry
	transport  *http.Transport

	mu    sync.Mutex
	ended map[int]error // by entry
}

func startSide(preload bool) (*side, error) {
	registry, err := resilience.New(resilience.Settings("preload", settings), resilience.Logger(nil))
	if err != nil {
		return nil, err
	}
	dependency, err := startDependency()
	if err != nil {
		return nil, errors.Join(err, registry.Close())
	}
	s := &side{
		dependency: dependency,
		registry:   registry,
		transport:  &http.Transport{MaxIdleConnsPerHost: pool},
		ended:      make(map[int]error),
	}
	if s.page, err = s.wire(preload); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// wire puts the page behind its wrapper, or leaves it bare. The calls to the
// dependency are guarded either way.
func (s *side) wire(preload bool) (Page, error) {
	items, err := NewResilientItems(client{s.dependency.url, &http.Client{Transport: s.transport}}, s.registry)
	if err != nil {
		return nil, err
	}
	if !preload {
		return page{items}, nil
	}
	return NewResilientPreloadedPage(page{items}, s.registry)
}

func (s *side) stop() {
	s.transport.CloseIdleConnections()
	s.dependency.server.Close()
	s.registry.Close()
}

// enter makes one entry and notes how it ended.
func (s *side) enter(ctx context.Context, entry int) {
	err := s.page.Show(ctx, entry)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended[entry] = err
}

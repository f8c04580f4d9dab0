package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// pool is how many calls to the dependency may run at a time.
const pool = 20

// settings are all there is to tune: a call that finds no permit is refused at
// once.
func (k kind) settings() []byte {
	return fmt.Appendf(nil, `{
		"breakers": {"items": {%s}},
		"bulkheads": {"items": {"maxConcurrentCalls": %d, "maxWaitDuration": "0s"}}
	}`, k.breaker, k.pool)
}

// kind is what stands before the page of a side.
type kind struct {
	page    func(Items) Page
	wrap    func(Page, *resilience.Registry) (Page, error)
	breaker string // settings of it
	pool    int
}

// The kinds. The first two have no breaker, the others a pool that is never full.
var (
	plain     = kind{atOnce, bare, `"strategy": "NONE"`, pool}
	preloaded = kind{atOnce, preload, `"strategy": "NONE"`, pool}
	unchecked = kind{inTurn, bare, recovering, 50 * pool}
	checked   = kind{inTurn, check, recovering, 50 * pool}
)

func atOnce(items Items) Page { return page{items} }

func inTurn(items Items) Page { return turns{items} }

func bare(p Page, _ *resilience.Registry) (Page, error) { return p, nil }

func preload(p Page, r *resilience.Registry) (Page, error) { return NewResilientPreloadedPage(p, r) }

func check(p Page, r *resilience.Registry) (Page, error) { return NewResilientCheckedPage(p, r) }

// side is one of the two front-ends that are compared, with a pool and a
// dependency of its own.
type side struct {
	page       Page
	dependency *dependency
	registry   *resilience.Registry
	transport  *http.Transport

	mu    sync.Mutex
	ended map[int]ended // by entry
}

// ended is an entry that has ended.
type ended struct {
	came time.Time
	err  error
}

func startSide(k kind) (*side, error) {
	registry, err := resilience.New(resilience.Settings("preload", k.settings()), resilience.Logger(nil))
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
		ended:      make(map[int]ended),
	}
	if s.page, err = s.wire(k); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// wire puts the page behind its wrapper, or leaves it bare. The calls to the
// dependency are guarded either way.
func (s *side) wire(k kind) (Page, error) {
	items, err := NewResilientItems(client{s.dependency.url, &http.Client{Transport: s.transport}}, s.registry)
	if err != nil {
		return nil, err
	}
	return k.wrap(k.page(items), s.registry)
}

func (s *side) stop() {
	s.transport.CloseIdleConnections()
	s.dependency.server.Close()
	s.registry.Close()
}

// enter makes one entry, which came at a moment, and notes how it ended.
func (s *side) enter(ctx context.Context, entry int, came time.Time) {
	err := s.page.Show(ctx, entry)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended[entry] = ended{came, err}
}

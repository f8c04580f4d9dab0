package stand

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// Partition says how permits are divided between the calls to A and to B.
type Partition uint8

const (
	OnePool  Partition = iota // bulkhead "shared" for both
	PoolEach                  // bulkheads "a" and "b"
)

// Service answers /a by calling A, and /b by calling B.
type Service struct {
	registry *resilience.Registry
	clients  clients
	server   *http.Server
	addr     string
	deadline time.Duration

	servingA, servingB atomic.Int64
}

// StartService starts a service with a partition of its permits and the text of
// a JSON settings file. Its callers give each request so much time in all; 0: as
// much as it takes.
func StartService(p Partition, settings []byte, deadline time.Duration, d *Dependencies) (*Service, error) {
	registry, err := resilience.New(resilience.Settings("settings", settings), resilience.Logger(nil))
	if err != nil {
		return nil, err
	}
	const idle = 100 // connections: as many as calls may run
	s := &Service{
		registry: registry,
		clients:  clients{d.a.client(idle), d.b.client(idle)},
		deadline: deadline,
	}
	if s.server, s.addr, err = s.serve(p); err != nil {
		return nil, errors.Join(err, registry.Close())
	}
	return s, nil
}

func (s *Service) serve(p Partition) (*http.Server, string, error) {
	guarded, err := p.guard(s.clients, s.registry)
	if err != nil {
		return nil, "", err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /a", s.endpoint(&s.servingA, guarded.A))
	mux.Handle("GET /b", s.endpoint(&s.servingB, guarded.B))
	return serve(mux)
}

// guard puts the generated wrapper of the partition before the clients.
func (p Partition) guard(bare clients, registry *resilience.Registry) (Split, error) {
	if p == OnePool {
		return NewResilientShared(bare, registry)
	}
	return NewResilientSplit(bare, registry)
}

// endpoint serves a request by one call. The status of the answer says what came
// of it.
func (s *Service) endpoint(serving *atomic.Int64, call func(context.Context) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serving.Add(1)
		defer serving.Add(-1)
		ctx := r.Context()
		if s.deadline > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, s.deadline)
			defer cancel()
		}
		if err := call(ctx); err != nil {
			http.Error(w, err.Error(), status(err))
		}
	})
}

// status is 503 for what a guard refused, 504 for a call that took too long and
// 502 for one that failed.
func status(err error) int {
	var refusal *resilience.RefusalError
	switch {
	case errors.As(err, &refusal):
		return http.StatusServiceUnavailable
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	}
	return http.StatusBadGateway
}

// URL is the address of an endpoint, "a" or "b".
func (s *Service) URL(endpoint string) string { return "http://" + s.addr + "/" + endpoint }

// Close stops the service and the requests in it.
func (s *Service) Close() error {
	err := s.server.Close()
	s.clients.closeIdle()
	return errors.Join(err, s.registry.Close())
}

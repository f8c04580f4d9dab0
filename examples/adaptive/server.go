package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/resgen-go/resgen/internal/overload"
)

// server is a dependency on loopback with a number of workers and a queue without
// an end. It works on every request that came, also for callers that have given up.
type server struct {
	url  string
	http *http.Server

	mu      sync.Mutex
	phase   overload.Phase
	waiting []chan struct{} // requests, oldest first; closed when they are answered
	busy    int
}

func startServer(first overload.Phase) (*server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the dependency: %w", err)
	}
	s := &server{url: "http://" + listener.Addr().String(), phase: first}
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve)}
	go s.http.Serve(listener)
	return s, nil
}

func (s *server) stop() { s.http.Close() }

// serve queues a request and waits for its answer. A caller that has gone waits no
// more, but its request keeps its place.
func (s *server) serve(_ http.ResponseWriter, r *http.Request) {
	answered := make(chan struct{})
	s.mu.Lock()
	s.waiting = append(s.waiting, answered)
	s.work()
	s.mu.Unlock()
	select {
	case <-answered:
	case <-r.Context().Done():
	}
}

// work gives requests to workers that are idle. The lock must be held.
func (s *server) work() {
	for s.busy < s.phase.Servers && len(s.waiting) > 0 {
		answered := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.busy++
		takes := s.phase.Service(rand.New(rand.NewPCG(rand.Uint64(), 0)))
		time.AfterFunc(takes, func() {
			close(answered)
			s.mu.Lock()
			defer s.mu.Unlock()
			s.busy--
			s.work()
		})
	}
}

// enter begins a phase.
func (s *server) enter(phase overload.Phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = phase
	s.work()
}

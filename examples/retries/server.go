package main

import (
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// The server has so many workers, and a queue before them. A worker takes so long for
// a request, and works on requests whose client has gone, because it does not know.
const (
	workers  = 20
	queue    = 400
	works    = 50 * time.Millisecond
	brownout = 4 // a request takes so much longer then
	rate     = 300
)

// server is the shop's: at rate it has three quarters of its workers busy.
type server struct {
	url     string
	slow    atomic.Bool
	asked   atomic.Uint64
	waiting atomic.Int64
	worker  chan struct{}
	http    *http.Server
}

func serve() (*server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{url: "http://" + listener.Addr().String(), worker: make(chan struct{}, workers)}
	s.http = &http.Server{Handler: s}
	go s.http.Serve(listener)
	return s, nil
}

func (s *server) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.asked.Add(1)
	if s.waiting.Add(1) > queue {
		s.waiting.Add(-1)
		http.Error(w, "the queue is full", http.StatusServiceUnavailable)
		return
	}
	s.worker <- struct{}{}
	s.waiting.Add(-1)
	takes := works
	if s.slow.Load() {
		takes *= brownout
	}
	time.Sleep(takes)
	<-s.worker
}

func (s *server) close() { s.http.Close() }

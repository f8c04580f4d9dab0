package main

import (
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// server is a real HTTP server on loopback.
type server struct {
	http.Server
	url    string
	ill    atomic.Bool // it answers 503
	served atomic.Int64
}

// serve starts a server.
func serve(handler func(*server) http.Handler) (*server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{url: "http://" + listener.Addr().String()}
	s.Handler = handler(s)
	go s.Serve(listener)
	return s, nil
}

// shop knows prices. To find that of a yacht takes it long.
func shop(s *server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.served.Add(1)
		switch {
		case s.ill.Load():
			http.Error(w, "come back later", http.StatusServiceUnavailable)
		case r.URL.Path == "/yacht":
			select {
			case <-r.Context().Done():
			case <-time.After(time.Minute):
			}
		case r.URL.Path == "/unicorn":
			http.NotFound(w, r)
		default:
			fmt.Fprint(w, "3.50")
		}
	})
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/resgen-go/resgen/runtime/resiliencehttp"
)

// health is how a service does: it answers after delay, with a failure if it is
// failing.
type health struct {
	word    string
	delay   time.Duration
	failing bool
}

// service is one HTTP server on a loopback port whose health can be changed
// while it runs.
type service struct {
	name   string
	url    string
	server *http.Server
	health atomic.Pointer[health]
}

func startService(name string, handler http.Handler) (*service, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	s := &service{name: name, url: "http://" + listener.Addr().String()}
	s.health.Store(&health{word: "healthy"})
	s.server = &http.Server{Handler: s.suffer(handler)}
	go s.server.Serve(listener)
	return s, nil
}

// suffer answers as well as the service does at the time.
func (s *service) suffer(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := s.health.Load()
		select {
		case <-time.After(now.delay):
		case <-r.Context().Done():
			return
		}
		if now.failing {
			http.Error(w, s.name+" is failing", http.StatusInternalServerError)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// stop ends the service and the requests in it.
func (s *service) stop() { s.server.Close() }

func paymentsHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /charge", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "receipt-for-%s", r.FormValue("order"))
	})
	mux.HandleFunc("POST /ping", func(http.ResponseWriter, *http.Request) {})
	return mux
}

func inventoryHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /pick", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /delivery", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, 2) })
	return mux
}

// frontHandler serves checkouts. A refusal is the front-end's own 503, with the
// time after which another try makes sense.
func frontHandler(shop Shop) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /checkout", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), time.Second)
		defer cancel()
		order, err := shop.Checkout(ctx, Cart{
			ID:    r.FormValue("cart"),
			Items: []string{"bread", "butter", "jam", "tea"},
			Cents: 1295,
		})
		if err != nil {
			answerError(w, err)
			return
		}
		json.NewEncoder(w).Encode(order)
	})
	return mux
}

// answerError tells the public nothing of what is behind the front-end.
func answerError(w http.ResponseWriter, err error) {
	if !resiliencehttp.Refuse(w, err) {
		http.Error(w, "checkout failed", http.StatusBadGateway)
	}
}

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/admin"
)

// servePage serves the live page where somebody asked for it. Whoever reaches a
// port of loopback is on this machine and may change breakers by hand.
func servePage(address string, registry *resilience.Registry, out io.Writer) (stop func() error, err error) {
	if address == "" {
		return func() error { return nil }, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serve the page: %w", err)
	}
	if !listener.Addr().(*net.TCPAddr).IP.IsLoopback() {
		listener.Close()
		return nil, fmt.Errorf("serve the page: %s is not on loopback, and whoever reaches it could change breakers; use 127.0.0.1:0", address)
	}
	here := listener.Addr().String()
	page := admin.Handler(registry, admin.Title("shop"), admin.Hosts(here),
		admin.Control(func(*http.Request) (string, bool) { return "you", true }))
	server := &http.Server{Handler: page}
	go server.Serve(listener)
	fmt.Fprintf(out, "  the live page: http://%s/\n", here)
	return server.Close, nil
}

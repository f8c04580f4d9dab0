package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// A call takes between these, 100 ms on average. If all took the same, the calls
// of an entry would end as one and leave room for a whole entry, as no real
// dependency does.
const (
	shortest = 75 * time.Millisecond
	longest  = 125 * time.Millisecond
)

// dependency is an HTTP server on a loopback port that counts the calls made to
// it for each entry.
type dependency struct {
	url    string
	server *http.Server

	mu    sync.Mutex
	calls map[int]int // by entry
	down  func() bool // nil: never
}

func startDependency() (*dependency, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the dependency: %w", err)
	}
	d := &dependency{url: "http://" + listener.Addr().String(), calls: make(map[int]int)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /items/{entry}", d.fetch)
	d.server = &http.Server{Handler: mux}
	go d.server.Serve(listener)
	return d, nil
}

func (d *dependency) fetch(w http.ResponseWriter, r *http.Request) {
	entry, err := strconv.Atoi(r.PathValue("entry"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	d.mu.Lock()
	d.calls[entry]++
	down := d.down != nil && d.down()
	d.mu.Unlock()
	if down {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	select {
	case <-time.After(shortest + rand.N(longest-shortest)):
	case <-r.Context().Done():
	}
}

func (d *dependency) callsFor(entry int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls[entry]
}

// client is the bare Items, before resgen's wrapper.
type client struct {
	base string
	http *http.Client
}

func (c client) Fetch(ctx context.Context, entry int) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/items/%d", c.base, entry), nil)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("items: answered %s", resp.Status)
	}
	return nil
}

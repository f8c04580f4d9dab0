package files

import (
	"context"
	"errors"
	"io"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

// remote has files that can be read until the context of their call ends.
type remote struct{}

type body struct{ ctx context.Context }

func (b body) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return 0, io.EOF
}

func (remote) Open(ctx context.Context, path string) (*File, error) { return &File{body{ctx}}, nil }

func (remote) Get(ctx context.Context, path string) (*File, error) { return &File{body{ctx}}, nil }

func (remote) Ping(ctx context.Context) error { return errors.New("unwell") }

func TestClientsC17WhatOptsOutOfTheTimeoutCanBeReadAfterTheCall(t *testing.T) {
	settings := []byte(`{"timeouts": {"files": {"duration": "10s"}}, "bulkheads": {"files": {"maxConcurrentCalls": 1}}}`)
	registry, err := resilience.New(resilience.Settings("test", settings), resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	files, err := NewResilientFiles(remote{}, registry)
	if err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func(context.Context, string) (*File, error){"Open": files.Open, "Get": files.Get} {
		file, err := open(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(file.Body); (err == nil) != (name == "Open") {
			t.Errorf("%s: the body is read with %v", name, err)
		}
	}
	for range 20 {
		files.Ping(t.Context()) // does not count
	}
	breaker, err := registry.Breaker("files")
	if err != nil || breaker.State() != resilience.Closed {
		t.Errorf("breaker %v, %v", breaker, err)
	}
}

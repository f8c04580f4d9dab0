package resiliencetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// ErrScripted is the error of calls that fail by a script.
var ErrScripted = errors.New("resiliencetest: failed by the script")

// ErrPanic is what calls panic with by a script.
var ErrPanic = errors.New("resiliencetest: panicked by the script")

// Client is a dependency that does as a script says. It is safe for concurrent use.
type Client struct {
	steps []step
	calls atomic.Int64
}

type step struct {
	kind  string // "S", "F", "hang" or "panic"
	takes time.Duration
}

// Script makes a client of a list of steps, one for each call; the last one goes on.
// A step is
//
//	S       a success
//	F       a failure: ErrScripted
//	S20ms   either, after a time; if the context is done before, its error
//	hang    waits for the end of the context and returns its error
//	panic   panics with ErrPanic
//
// It panics if a step is none of these.
func Script(steps string) *Client {
	c := new(Client)
	for _, word := range strings.Fields(steps) {
		s, err := parse(word)
		if err != nil {
			panic(fmt.Sprintf("resiliencetest.Script(%q): %v", steps, err))
		}
		c.steps = append(c.steps, s)
	}
	if len(c.steps) == 0 {
		panic("resiliencetest.Script: no steps; write some, such as F F S")
	}
	return c
}

func parse(word string) (step, error) {
	if word == "hang" || word == "panic" {
		return step{kind: word}, nil
	}
	kind, takes := word[:1], word[1:]
	if kind != "S" && kind != "F" {
		return step{}, fmt.Errorf("no step %q; allowed are S, F, S20ms and the like, hang, panic", word)
	}
	if takes == "" {
		return step{kind: kind}, nil
	}
	d, err := time.ParseDuration(takes)
	if err != nil || d < 0 {
		return step{}, fmt.Errorf("no step %q; a duration such as 20ms stands behind %s", word, kind)
	}
	return step{kind, d}, nil
}

// Call does the next step. Call it from the methods of a fake client.
func (c *Client) Call(ctx context.Context) error {
	n := int(c.calls.Add(1))
	s := c.steps[min(n, len(c.steps))-1]
	if s.takes > 0 || s.kind == "hang" {
		if err := wait(ctx, s); err != nil {
			return err
		}
	}
	switch s.kind {
	case "F":
		return ErrScripted
	case "panic":
		panic(ErrPanic)
	}
	return nil
}

func wait(ctx context.Context, s step) error {
	var over <-chan time.Time
	if s.kind != "hang" {
		timer := time.NewTimer(s.takes)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Calls is how many calls reached the client.
func (c *Client) Calls() int { return int(c.calls.Load()) }

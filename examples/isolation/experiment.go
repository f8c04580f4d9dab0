package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/resgen-go/resgen/examples/isolation/internal/load"
	"github.com/resgen-go/resgen/examples/isolation/internal/stand"
)

// experiment says what is measured: every state of A under every policy, each
// with one pool and with a pool for each dependency. In each cell A begins as in
// the first state, the reference, and the state of the cell strikes while the load
// lasts.
type experiment struct {
	rate       int           // requests per second to /a, and as many to /b
	timeout    time.Duration // of a call to A
	unbounded  bool          // there is none: it is the deadline that callers give
	pools      pools
	strikes    time.Duration // when the state of a cell begins
	warmUp     time.Duration // of each cell, until the state has taken hold; not counted
	over       time.Duration // how long each cell is measured
	slice      time.Duration // of the charts
	sideBySide bool          // both ways to divide the permits at once
	states     []state       // the reference first
	policies   []policy
	notes      []string // on the settings file
}

// pools are the one for all calls, and the one of each dependency.
type pools struct{ shared, a, b pool }

// pool is a bulkhead, by the name that the user gave it.
type pool struct {
	name    string
	permits int
}

// of finds a pool by the name that services have for it.
func (p pools) of(key string) pool {
	return map[string]pool{"shared": p.shared, "a": p.a, "b": p.b}[key]
}

// state is how A does. Its role is what the claims know it by.
type state struct {
	role  role
	title string
	delay time.Duration // of its answers
	dead  bool          // it refuses connections
}

type role uint8

const (
	reference role = iota // nothing is faulty
	slow
	failing
	well // slower than in the reference, but not faulty
)

// policy is what a call does that finds no permit.
type policy struct {
	title    string
	settings []byte        // the JSON file of both services
	shown    []byte        // the same with the user's names
	deadline time.Duration // that the caller gives a request; 0: none
}

// lasts is how long the load of a cell takes.
func (e experiment) lasts() time.Duration { return e.warmUp + e.over }

// plan is the load of a cell.
func (e experiment) plan() load.Plan {
	return load.Plan{Rate: e.rate, WarmUp: e.warmUp, Over: e.over, Slice: e.slice, Timeout: 10 * e.timeout}
}

// run measures all cells and writes a row for each to out as it goes.
func (e experiment) run(ctx context.Context, d *stand.Dependencies, out, progress io.Writer) (*results, error) {
	r := &results{experiment: e, at: time.Now()}
	writeHead(out, e)
	line := newCountdown(progress, e.takes())
	defer line.clear()
	for _, st := range e.states {
		for i, p := range e.policies {
			line.show(st.title + ", " + p.title)
			c, err := e.measure(ctx, st, p, d)
			line.clear()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", st.title, err)
			}
			if i == 0 {
				writeState(out, st)
			}
			writeRow(out, c)
			r.cells = append(r.cells, c)
		}
	}
	return r, nil
}

// takes is about how long all cells take, with the answers that come late.
func (e experiment) takes() time.Duration {
	each := e.lasts() + e.timeout/2
	if !e.sideBySide {
		each *= 2
	}
	return each * time.Duration(len(e.states)*len(e.policies))
}

// impose brings A into the state. Its delays differ by a tenth, as real ones do:
// if all were equal, permits would be taken and come back in waves.
func (st state) impose(d *stand.Dependencies) error {
	if st.dead {
		d.Dead()
		return nil
	}
	return d.Slow(st.delay, st.delay/20)
}

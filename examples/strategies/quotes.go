package main

import (
	"context"
	"errors"
	"time"
)

//go:generate go tool resgen

// Quotes is the client of the dependency.
//
//resilience:breaker
//resilience:timeout
type Quotes interface {
	// Latest is the call that is guarded. Calls are numbered.
	Latest(ctx context.Context, call int) error

	// Ping asks whether the dependency is there. A strategy that probes asks it
	// while its breaker is OPEN.
	//
	//resilience:probe
	//resilience:none
	Ping(ctx context.Context) error
}

// answer is what the dependency does with a call.
type answer uint8

const (
	well answer = iota
	fails
	hangs // until the caller gives up
)

var errDown = errors.New("quotes: connection refused")

// dependency is the bare Quotes. What it answers to each call is settled before
// the first is made, so it is known too for calls that a breaker refuses.
type dependency struct {
	began   time.Time
	answers []answer
}

func (d dependency) Latest(ctx context.Context, call int) error {
	return d.give(ctx, d.answers[call])
}

// Ping fares as the first call of the turn did.
func (d dependency) Ping(ctx context.Context) error {
	turn := int(time.Since(d.began) / turnLasts)
	return d.give(ctx, d.answers[turn*callsPerTurn])
}

func (d dependency) give(ctx context.Context, a answer) error {
	switch a {
	case fails:
		return errDown
	case hangs:
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

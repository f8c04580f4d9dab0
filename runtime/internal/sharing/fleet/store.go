// Package fleet makes one breaker of those of many processes: it follows what
// package rule decided for all of them.
//
// A member is one shared breaker of this process, a step from its state and an
// event to what is to be done; it knows neither breakers, nor stores, nor
// clocks. One worker takes events in, does what the members say, and exchanges
// inputs for views with a [Store]. So no call ever waits for another process or
// for a server.
package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
	"github.com/resgen-go/resgen/runtime/internal/sharing/rule"
)

// Store holds the state of breakers where all processes reach it, and runs
// [rule.Step] on it, each in one piece. Package storetest says what it must
// bear.
type Store interface {
	// Exchange takes inputs in and answers with a view for each, and the names
	// of breakers of which others have news since the last Exchange. An error
	// means that it is not known whether any input was taken in; one that
	// [ErrWrongServer] is in, that the connection is of no use any more.
	Exchange(context.Context, Request) (Response, error)
	// Changes calls changed for the news of others until ctx is done or the
	// connection breaks. The name may be empty: there may have been some.
	Changes(ctx context.Context, changed func(name string, number int64)) error
	// Close waits for nobody.
	Close()
}

// ErrWrongServer is that the address leads to a server that can't take inputs,
// such as a replica, while another one may be there by now.
var ErrWrongServer = errors.New("this server takes no reports now")

// Request is what a process tells a store.
type Request struct {
	Process string        // empty: a tool
	Alive   time.Duration // the process counts as alive so long; 0: it goes
	Inputs  []Input
}

// Input is that of one breaker.
type Input struct {
	Breaker string
	rule.Input
}

// Response answers a Request.
type Response struct {
	Changed []string
	Answers []Answer // in the order of the inputs
}

// Answer is the view of one breaker, or why there is none.
type Answer struct {
	rule.View
	Dropped string // what was no state of a breaker, or was refused
	Err     error
}

// Backend is a kind of store.
type Backend struct {
	// Complete finds what is missing from the settings.
	Complete func(*sharedstate.Settings) error
	// Connect waits for the store for a few timeouts of the settings at most.
	Connect func(context.Context, *sharedstate.Settings) (Store, error)
	// Place says where the store is, without secrets.
	Place func(*sharedstate.Settings) string
}

// Package sharing is the seam between a registry and an adapter that makes one
// breaker of those of many processes. The registry and the adapter live in
// modules of their own and meet here.
package sharing

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
)

// Adapter shares breakers. All its methods return at once: none waits for
// another process or for a server.
type Adapter interface {
	// Start is called once, before all others.
	Start(Hooks)
	// Configure puts settings in force, or says what is wrong with them and keeps
	// those it has. They need not be complete unless they are needed.
	Configure(settings *sharedstate.Settings, needed bool) error
	// Join shares a breaker until Leave, with its own settings of the rule. For one
	// that is shared it changes these.
	Join(*breaker.Breaker, breaker.Fleet)
	Leave(*breaker.Breaker)
	// Transition is told every change of state of every breaker, under its lock.
	Transition(breaker.Transition)
	// Event is told what happens in breakers that are held, under their locks.
	Event(breaker.FleetEvent)
	// Snapshot is what this process knows of the breakers that it shares, by name.
	Snapshot() []Breaker
	// Order gives an order for all processes. It alone waits, as long as ctx.
	Order(ctx context.Context, breaker string, order Order) error
	// Close ends all that the adapter started.
	Close()
}

// Hooks are told what happens. They may be called from any goroutine and don't
// wait.
type Hooks struct {
	Outage func(Outage)
	Link   func(Link)
	Warn   func(text string) // settings that are not alike in all processes
	Rest   func()            // nothing is shared for now, so there is no link
}

// Change is what happened to an outage.
type Change uint8

// The changes of an outage, in the order of its life.
const (
	Began   Change = iota // every process holds the breaker OPEN
	Tried                 // trial calls begin
	Renewed               // the trials failed
	Ended                 // calls come back in every process
)

var changeNames = [...]string{"BEGAN", "TRIAL", "TRIAL_FAILED", "ENDED"}

// String is the change's name, such as TRIAL_FAILED.
func (c Change) String() string {
	if int(c) < len(changeNames) {
		return changeNames[c]
	}
	return fmt.Sprintf("Change(%d)", uint8(c))
}

// MarshalText writes the change as its String.
func (c Change) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (c *Change) UnmarshalText(text []byte) error {
	i := slices.Index(changeNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is no change of an outage", text)
	}
	*c = Change(i)
	return nil
}

// Outage is a change of an outage that this process made for all.
type Outage struct {
	Breaker string
	Change  Change
	At      time.Time
	Reason  string
}

// Link is the loss of touch with the other processes, or its return.
type Link struct {
	At      time.Time
	Breaker string // empty: all
	Err     error  // nil: it is there
}

// Order is one by hand, for all processes.
type Order struct {
	Word string        // OPEN, CLOSE or OFF
	For  time.Duration // 0: until another
	By   string
}

// Breaker is a shared breaker, as far as this process knows all processes.
type Breaker struct {
	Name                             string
	At                               time.Time // of the last view; zero: there was none
	Linked                           bool
	Calls, Failures                  uint64 // of all windows, as the rule weighs them
	Votes, Witnesses, Processes      int
	OutageSince, RetryAt             time.Time // zero: there is no outage
	TrialsOut, TrialsGood, TrialsBad int
	Reason                           string
	Order, By                        string // by hand
	OrderUntil                       time.Time
	Rule                             Rule
	Others                           []Rule // of processes whose settings differ
}

// Rule is the settings of the rule in so many processes.
type Rule struct {
	OutageThreshold, VoteShare                                   float64
	MinimumErrors, MinimumVotes, TrialsGood, TrialsOf            int
	OutageWindow, SecondsBeforeRetry, TrialTimeout, RampInterval time.Duration
	Processes                                                    int
}

package resilience

import (
	"encoding/json"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/redact"
	"github.com/resgen-go/resgen/runtime/internal/text"
)

// Event is something that happened in a registry: one of [Transition],
// [ShadowTransition], [Refused], [CallEnded], [Probed], [Reloaded], [UnknownName],
// [SettingWarning], [Mismatch], [Undeclared], [Retried], [BudgetSpent], [FellBack],
// [Abandoned], [Crowded], [Faulty], [Outage] and [FleetLink].
type Event interface{ event() }

// Transition is a breaker's change of state.
type Transition struct {
	At      time.Time `json:"at"`
	Breaker string    `json:"breaker"`
	From    State     `json:"from"`
	To      State     `json:"to"`
	Reason  string    `json:"reason"`           // in words, with the figures that decided
	By      string    `json:"by,omitempty"`     // who asked, for a change made by hand
	Figures Figures   `json:"figures"`          // of the period that ended; of OPEN, those that opened it
	Refused uint64    `json:"refused"`          // calls refused in it
	DryRun  bool      `json:"dryRun,omitempty"` // the breaker is not enforced: no call is refused
	Lasted  Duration  `json:"lasted"`           // how long the period was

	LastFailure Trouble `json:"lastFailure,omitzero"` // that counted, whenever it was; zero: none
	LastProbe   Trouble `json:"lastProbe,omitzero"`   // zero: it was good, or there was none
}

// Trouble is an error that a breaker remembers: its text only, because the error
// itself may keep a whole answer in memory.
type Trouble struct {
	At     time.Time `json:"at"`
	Method string    `json:"method,omitempty"` // that returned it; empty of a probe
	Error  string    `json:"error"`            // at most 200 bytes
}

// Refused is a call that a guard refused. The dependency was not called.
type Refused struct {
	At     time.Time     `json:"at"`
	Error  *RefusalError `json:"error"`
	DryRun bool          `json:"dryRun,omitempty"` // the guard is not enforced: it would have refused, and the call went on
}

// CallEnded is the end of a call that was made. Observers get it only with
// [ObserveCalls].
type CallEnded struct {
	At       time.Time `json:"at"`
	Method   string    `json:"method"`
	Outcome  Outcome   `json:"outcome"`
	Duration Duration  `json:"duration"` // since it was admitted, without the wait for permits
	Err      error     `json:"-"`        // that the caller got, "error" in JSON; nil also after a panic
}

// Probed is the end of a probe, or says that a probe has outlived its timeout.
type Probed struct {
	At       time.Time `json:"at"`
	Breaker  string    `json:"breaker"`
	Err      error     `json:"-"` // nil: the dependency is back; "error" in JSON
	Overdue  bool      `json:"overdue,omitempty"`
	External bool      `json:"external,omitempty"` // reported through ExternalProbe
	Duration Duration  `json:"duration"`
}

// Reloaded is the result of reading the settings again.
type Reloaded struct {
	At      time.Time `json:"at"`
	Source  string    `json:"source"`
	Changed []string  `json:"changed,omitempty"` // objects, such as "breakers.payments"; empty: nothing in use changed
	Err     error     `json:"-"`                 // not nil: the old settings stay in force; "error" in JSON
}

// UnknownName is a name of a wrapper that the settings lack; it has the
// defaults. With [Strict] it is an error of the constructor instead.
type UnknownName struct {
	At      time.Time `json:"at"`
	Section string    `json:"section"` // such as "breakers"
	Name    string    `json:"name"`
	Nearest string    `json:"nearest,omitempty"` // the nearest unused name of that section; empty if none is near, or after a hundred unknown names
}

// SettingWarning is about a setting that is allowed but
//
//   - means something else than it says, such as a minimumNumberOfCalls above the
//     window
//   - does not fit how methods use it, such as a strategy that asks a probe where
//     there is none
//   - lets no call through, such as a bulkhead that is smaller than the reservation
//     of an entry.
//
// It is also about a probe that can't succeed while its breaker is OPEN, because
// its calls pass guards that wait for it.
type SettingWarning struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"` // with file and path, and the position where there is one
}

// Mismatch says how an entry used its reservation of one bulkhead. It comes where
// the entry left permits unused although calls under it found none: its
// declaration does not fit its body.
type Mismatch struct {
	At       time.Time `json:"at"`
	Method   string    `json:"method"`
	Bulkhead string    `json:"bulkhead"`
	Reserved int       `json:"reserved"`
	Unused   int       `json:"unused"`
	Overflow int       `json:"overflow"` // calls that found no reserved permit left
}

// tell sends an event to the log and the observers.
func (r *Registry) tell(e Event) {
	r.log.emit(e)
	r.events.emit(e)
	r.attached.emit(e)
}

func (Transition) event()     {}
func (Refused) event()        {}
func (CallEnded) event()      {}
func (Probed) event()         {}
func (Reloaded) event()       {}
func (UnknownName) event()    {}
func (SettingWarning) event() {}
func (Mismatch) event()       {}

// MarshalJSON writes the error as text.
func (e CallEnded) MarshalJSON() ([]byte, error) {
	type fields CallEnded
	return json.Marshal(struct {
		fields
		withError
	}{fields(e), errorText(e.Err)})
}

// MarshalJSON writes the error as text.
func (e FellBack) MarshalJSON() ([]byte, error) {
	type fields FellBack
	return json.Marshal(struct {
		fields
		withError
	}{fields(e), errorText(e.Err)})
}

// MarshalJSON writes the error as text.
func (e Probed) MarshalJSON() ([]byte, error) {
	type fields Probed
	return json.Marshal(struct {
		fields
		withError
	}{fields(e), errorText(e.Err)})
}

// MarshalJSON writes the error as text.
func (e Reloaded) MarshalJSON() ([]byte, error) {
	type fields Reloaded
	return json.Marshal(struct {
		fields
		withError
	}{fields(e), errorText(e.Err)})
}

// withError is the text that JSON has in place of an error.
type withError struct {
	Error string `json:"error,omitempty"`
}

func errorText(err error) withError { return withError{redact.Text(text.Of(err))} }

// Duration is a time.Duration that is written as text, such as "1.5s".
type Duration time.Duration

// String is that of time.Duration.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText writes the duration as its String.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// State is the state of a breaker; see the constants.
type State = breaker.State

// The states of a breaker. The last three are set by hand and stay until Reset.
const (
	Closed      = breaker.Closed      // admits calls and counts their outcomes
	Open        = breaker.Open        // refuses
	HalfOpen    = breaker.HalfOpen    // admits trials and decides on them
	ForcedOpen  = breaker.ForcedOpen  // refuses
	Disabled    = breaker.Disabled    // admits, counts nothing
	MetricsOnly = breaker.MetricsOnly // admits and counts, never opens
)

// Figures are the outcomes a breaker judges by.
type Figures struct {
	Calls        uint64  `json:"calls"`
	Failures     uint64  `json:"failures"`
	SlowCalls    uint64  `json:"slowCalls"`
	FailureRate  float64 `json:"failureRate"`  // percent; -1 while there are too few calls to judge
	SlowCallRate float64 `json:"slowCallRate"` // likewise
}

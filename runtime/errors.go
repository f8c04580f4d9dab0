package resilience

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/resgen-go/resgen/internal/words"
	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/text"
)

// The errors of guards match these with [errors.Is].
var (
	// ErrOpen: a breaker does not admit the call.
	ErrOpen = errors.New("breaker does not admit the call")
	// ErrFull: a bulkhead had no room in time.
	ErrFull = errors.New("bulkhead is full")
	// ErrTooLarge: more permits were wanted than the bulkhead can ever give.
	ErrTooLarge = errors.New("more permits wanted than the bulkhead has")
	// ErrGate: a gate before an entry method refused its work. Such an error
	// matches ErrOpen too.
	ErrGate = errors.New("gate refused")
	// ErrRate: a rate limit let no call begin in time.
	ErrRate = errors.New("rate limit is reached")
	// ErrTimeout: the call outlived the timeout of its guard. It is no refusal:
	// the call was made, and counts as a failure.
	ErrTimeout = errors.New("call outlived its timeout")
	// ErrFailed: the call returned no error, but classify says that it failed. Only
	// fallbacks get it.
	ErrFailed = errors.New("call returned no error, but classify says that it failed")
	// ErrClosed: the registry is closed and takes no new wrappers.
	ErrClosed = errors.New("registry is closed")
)

// Kind says why a guard refused.
type Kind uint8

const (
	// KindOpen: the breaker is OPEN. Matches ErrOpen.
	KindOpen Kind = iota + 1
	// KindNoTrial: the breaker is HALF_OPEN and admits no trial now. Matches
	// ErrOpen.
	KindNoTrial
	// KindForcedOpen: an operator holds the breaker open. Matches ErrOpen.
	KindForcedOpen
	// KindGate: one or more gates of an entry method refuse. Matches ErrGate
	// and ErrOpen.
	KindGate
	// KindFull: the bulkhead had no room in time. Matches ErrFull.
	KindFull
	// KindTooLarge: the bulkhead is smaller than what was wanted. Matches
	// ErrTooLarge.
	KindTooLarge
	// KindDone: the caller's context was done before the call began. No guard
	// counts it. Matches the context's error only.
	KindDone
	// KindRate: the rate limit let no call begin in time. Matches ErrRate.
	KindRate
)

// kinds says of each kind its name, what refused, the error text and the sentinels
// that match.
var kinds = [...]struct {
	name    string
	guard   string
	say     func(*RefusalError) string
	matches []error
}{
	KindOpen:       {"open", "breaker", (*RefusalError).sayOpen, []error{ErrOpen}},
	KindNoTrial:    {"no trial left", "breaker", (*RefusalError).sayOpen, []error{ErrOpen}},
	KindForcedOpen: {"forced open", "breaker", (*RefusalError).sayOpen, []error{ErrOpen}},
	KindGate:       {"gate", "breaker", (*RefusalError).sayGates, []error{ErrGate, ErrOpen}},
	KindFull:       {"full", "bulkhead", (*RefusalError).sayFull, []error{ErrFull}},
	KindTooLarge:   {"too large", "bulkhead", (*RefusalError).sayTooLarge, []error{ErrTooLarge}},
	KindDone:       {"context done", "guard", (*RefusalError).sayDone, nil},
	KindRate:       {"rate", "rate limit", (*RefusalError).sayRate, []error{ErrRate}},
}

// String is the kind in a word or two, such as "open".
func (k Kind) String() string {
	if k.known() {
		return kinds[k].name
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

func (k Kind) known() bool { return 0 < k && int(k) < len(kinds) }

// MarshalText writes the kind as its String.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// RefusalError is the error of a call that a guard refused: the dependency was
// not called. Values are shared and must not be changed.
type RefusalError struct {
	Kind   Kind   `json:"kind"`
	Method string `json:"method"` // package, interface and method, such as "payments.Client.Do"
	// Name is that of the breaker or bulkhead; of the first refusing breaker
	// for KindGate, and of the first guard for KindDone, which was not asked.
	Name string `json:"name"`
	// Gates are the names of all refusing breakers, for KindGate.
	Gates []string `json:"gates,omitempty"`
	// Wanted and Available count permits, for KindFull and KindTooLarge. For
	// KindTooLarge, Available is the most there could ever have been.
	Wanted    int `json:"wanted,omitempty"`
	Available int `json:"available,omitempty"`

	refused  []refusal // by Name, or by Gates
	retryAt  breaker.Instant
	known    bool  // retryAt is
	rate     *rate // for KindRate
	cause    error
	registry *version // of the guard that refused; each registry has its own
	circle   bool     // full, because it would have waited for itself
}

// MarshalJSON also writes the text, the state of the breaker that Name names, the
// time left until another try makes sense, and the context's error.
func (e *RefusalError) MarshalJSON() ([]byte, error) {
	if e == nil {
		return []byte("null"), nil
	}
	type fields RefusalError
	all := struct {
		*fields
		Available  *int      `json:"available,omitempty"`
		State      string    `json:"state,omitempty"`
		RetryAfter *Duration `json:"retryAfter,omitempty"`
		Cause      string    `json:"cause,omitempty"`
		Message    string    `json:"message"`
	}{fields: (*fields)(e), State: e.state(), Cause: text.Of(e.cause), Message: e.Error()}
	if e.Wanted > 0 {
		all.Available = &e.Available
	}
	if wait, known := e.RetryAfter(); known {
		all.RetryAfter = (*Duration)(&wait)
	}
	return json.Marshal(all)
}

// LogValue is the text, so that every handler of package log/slog shows it like
// any other error.
func (e *RefusalError) LogValue() slog.Value { return slog.StringValue(e.Error()) }

// RetryAfter returns the time left until another try makes sense, 0 if that is
// now. It returns false where this is not known: a full bulkhead may have room at
// any moment, and a breaker that waits for a probe or for a running call can't
// tell. With several refusing gates it is the longest of their waits, because all
// must pass.
func (e *RefusalError) RetryAfter() (time.Duration, bool) {
	switch {
	case e == nil:
		return 0, false
	case e.rate != nil:
		return e.rate.limiter.RetryAfter(e.rate.n)
	case !e.known:
		return 0, false
	}
	return max(0, e.retryAt.Sub(breaker.Now())), true
}

// Error says who refused what, and how long until another try makes sense.
func (e *RefusalError) Error() string {
	if e == nil {
		return "<nil>"
	}
	var all strings.Builder
	fmt.Fprintf(&all, "resilience: %s refused: ", e.Method)
	if e.Kind.known() {
		all.WriteString(kinds[e.Kind].say(e))
	}
	if e.cause != nil {
		all.WriteString(": " + text.Of(e.cause))
	}
	if wait, known := e.RetryAfter(); known {
		fmt.Fprintf(&all, "; try again in %v", wait.Round(time.Millisecond))
	}
	return all.String()
}

// refusal says why one breaker refused.
type refusal struct {
	kind  Kind
	calls int  // that the breaker was asked for
	waits bool // OPEN, and time alone does not end that
}

func (r refusing) refusal() refusal {
	kind := kindOf(r.period)
	return refusal{kind, r.calls, kind == KindOpen && (!r.known || r.period.Canaries())}
}

// refusal is the refusal of the i-th breaker. Of an error that no guard made only
// the kind is known.
func (e *RefusalError) refusal(i int, kind Kind) refusal {
	if i < len(e.refused) {
		return e.refused[i]
	}
	return refusal{kind: kind}
}

// state is the state of the first breaker that refused, empty if none did.
func (e *RefusalError) state() string {
	switch e.refusal(0, e.Kind).kind {
	case KindOpen:
		return Open.String()
	case KindNoTrial:
		return HalfOpen.String()
	case KindForcedOpen:
		return ForcedOpen.String()
	}
	return ""
}

// by says in words why the breaker of that name refused.
func (r refusal) by(name string) string {
	switch {
	case r.waits:
		return "breaker " + name + " is OPEN until a probe or a trial succeeds"
	case r.kind == KindOpen:
		return "breaker " + name + " is OPEN"
	case r.kind == KindNoTrial && r.calls > 1:
		return fmt.Sprintf("breaker %s is HALF_OPEN and has no trials for %d calls now", name, r.calls)
	case r.kind == KindNoTrial:
		return "breaker " + name + " is HALF_OPEN and admits no trial now"
	case r.kind == KindForcedOpen:
		return "breaker " + name + " is FORCED_OPEN by an operator"
	}
	return "breaker " + name + " does not admit calls"
}

func (e *RefusalError) sayOpen() string { return e.refusal(0, e.Kind).by(e.Name) }

func (e *RefusalError) sayGates() string {
	all := make([]string, len(e.Gates))
	for i, name := range e.Gates {
		all[i] = e.refusal(i, KindGate).by(name)
	}
	return "gate: " + strings.Join(all, ", ")
}

func (e *RefusalError) sayFull() string {
	text := fmt.Sprintf("bulkhead %s is full (wanted %d, available %d)", e.Name, e.Wanted, e.Available)
	if e.circle {
		text += " and would wait for itself: entries that wait for more of it hold all of it; reserve in the outer entry what the inner ones need"
	}
	return text
}

func (e *RefusalError) sayTooLarge() string {
	return fmt.Sprintf("bulkhead %s can never give %s (at most %d)", e.Name, words.Count(e.Wanted, "permit"), e.Available)
}

func (e *RefusalError) sayDone() string { return "its caller had gone before it began" }

// Is reports whether target is one of the sentinels that e.Kind matches.
func (e *RefusalError) Is(target error) bool {
	return e != nil && e.Kind.known() && slices.Contains(kinds[e.Kind].matches, target)
}

// Unwrap returns the context's error where the context ended the matter.
func (e *RefusalError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.cause
}

// timeoutError is an error that the dependency returned after the timeout of its
// guard. It also is ErrTimeout and context.DeadlineExceeded, which the dependency's
// own error may hide.
type timeoutError struct {
	method string
	after  time.Duration
	err    error
}

func (e *timeoutError) Error() string {
	return fmt.Sprintf("resilience: %s outlived its timeout of %v: %s", e.method, e.after, text.Of(e.err))
}

func (e *timeoutError) Is(target error) bool {
	return target == ErrTimeout || target == context.DeadlineExceeded
}

func (e *timeoutError) Unwrap() error { return e.err }

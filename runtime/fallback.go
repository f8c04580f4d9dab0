package resilience

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/config"
)

// FellBack is a call that came to nothing and that the method's fallback answers.
// It comes before the fallback runs.
type FellBack struct {
	At       time.Time      `json:"at"`
	Method   string         `json:"method"`
	Fallback string         `json:"fallback"` // the name of its settings
	Reason   FallbackReason `json:"reason"`
	Err      error          `json:"-"` // that the fallback gets; "error" in JSON
}

func (FellBack) event() {}

// FallbackReason says why a method falls back.
type FallbackReason uint8

const (
	// FallbackRefused: a guard of the method or one further in refused the call, so
	// that nobody did the work.
	FallbackRefused FallbackReason = iota + 1
	// FallbackTimeout: the call outlived a timeout. Its error is [ErrTimeout].
	FallbackTimeout
	// FallbackFailure: the call failed in another way.
	FallbackFailure
)

var fallbackReasons = [...]string{FallbackRefused: "refused", FallbackTimeout: "timeout", FallbackFailure: "failure"}

// String is "refused", "timeout" or "failure".
func (r FallbackReason) String() string {
	if 0 < r && int(r) < len(fallbackReasons) {
		return fallbackReasons[r]
	}
	return fmt.Sprintf("FallbackReason(%d)", uint8(r))
}

// MarshalText writes the reason as its String.
func (r FallbackReason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// FallbackSnapshot is one fallback: its settings, and how often each method fell
// back.
type FallbackSnapshot struct {
	Name    string            `json:"name"`
	Enabled bool              `json:"enabled"`
	On      string            `json:"on"` // "ANY", "REFUSALS" or "TIMEOUTS"
	Methods []FallbackFigures `json:"methods"`
}

// FallbackFigures count the calls that a method's fallback answered, by reason,
// since the fallback was made.
type FallbackFigures struct {
	Method  string `json:"method"`
	Refused uint64 `json:"refused"`
	Timeout uint64 `json:"timeout"`
	Failure uint64 `json:"failure"`
}

// ofReason are the rows of the setting on.
var ofReason = map[string][]FallbackReason{
	"ANY":      {FallbackRefused, FallbackTimeout, FallbackFailure},
	"REFUSALS": {FallbackRefused},
	"TIMEOUTS": {FallbackTimeout},
}

// fallback is one name of the section fallbacks.
type fallback struct {
	name     string
	settings atomic.Pointer[config.Fallback]
	mu       sync.Mutex
	methods  map[string]*falling
}

// falling is the fallback of one method.
type falling struct {
	of     *fallback
	counts [len(fallbackReasons)]atomic.Uint64 // by reason
}

func newFallback(name string, settings *config.Fallback) *fallback {
	f := &fallback{name: name, methods: map[string]*falling{}}
	f.settings.Store(settings)
	return f
}

// method is the fallback of a method; nil without one.
func (f *fallback) method(name string) *falling {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.methods[name] == nil {
		f.methods[name] = &falling{of: f}
	}
	return f.methods[name]
}

func (f *fallback) snapshot() FallbackSnapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	settings := f.settings.Load()
	return FallbackSnapshot{f.name, settings.Enabled, settings.On, each(slices.Sorted(maps.Keys(f.methods)), func(method string) FallbackFigures {
		n := &f.methods[method].counts
		return FallbackFigures{method, n[FallbackRefused].Load(), n[FallbackTimeout].Load(), n[FallbackFailure].Load()}
	})}
}

// answers reports whether the settings let the method fall back.
func (f *falling) answers(reason FallbackReason) bool {
	settings := f.of.settings.Load()
	return settings.Enabled && slices.Contains(ofReason[settings.On], reason)
}

// lose notes that a call came to nothing, for a method with a fallback.
func (c *Call) lose(g *Guard, outcome Outcome, err error) {
	if g.fallback == nil {
		return
	}
	if outcome == Failure || outcome == Ignored && reasonOf(err) == FallbackRefused {
		c.lost = g
	}
	if m := c.measured; err == nil && m != nil {
		c.over = m.passed(c.ctx)
	}
}

// reasonOf is the reason why a call with that error came to nothing. An error that
// panics when it is unwrapped is a failure like any other.
func reasonOf(err error) (reason FallbackReason) {
	reason = FallbackFailure
	defer func() { recover() }()
	switch only, _ := refusals(err); {
	case only:
		return FallbackRefused
	case errors.Is(err, ErrTimeout):
		return FallbackTimeout
	}
	return reason
}

// FallsBack returns the error with which a method falls back, or nil where it
// returns what it has. Only generated methods with a fallback call it, with what
// Begin or Finish returned, once everything has been given back.
//
// A method falls back where the call failed or was refused, as far as its settings
// allow, unless its caller has gone. The error is err, or [ErrFailed] where classify
// says that a call without an error has failed.
func (c *Call) FallsBack(err error) error {
	if c.lost == nil {
		return nil
	}
	return c.fallBack(c.caller(), err, false)
}

// MustFallBack is FallsBack for a method that has no error to return. Whatever the
// settings say it falls back where its call was refused, because the refusal has no
// other place to go.
func (c *Call) MustFallBack(err error) error {
	if c.lost == nil {
		return nil
	}
	return c.fallBack(c.caller(), err, err != nil)
}

// FallsBack is that of the last attempt, with the error of the call; see
// [Call.FallsBack].
func (a *Attempts) FallsBack(err error) error {
	if a.call.lost == nil {
		return nil
	}
	return a.call.fallBack(a.caller, a.Result(err), false)
}

// MustFallBack is that of the last attempt, with the error of the call; see
// [Call.MustFallBack].
func (a *Attempts) MustFallBack(err error) error {
	if a.call.lost == nil {
		return nil
	}
	err = a.Result(err)
	return a.call.fallBack(a.caller, err, err != nil)
}

// FallsBack is that of the opening; see [Call.FallsBack]. It ends a call that returned
// something, because nobody gets that.
func (s *Stream) FallsBack(err error) error { return s.fallen(s.Call.FallsBack(err)) }

// MustFallBack is that of the opening; see [Call.MustFallBack].
func (s *Stream) MustFallBack(err error) error { return s.fallen(s.Call.MustFallBack(err)) }

func (s *Stream) fallen(err error) error {
	if err != nil && s.opened {
		s.end(nil)
	}
	return err
}

func (c *Call) fallBack(caller context.Context, err error, must bool) error {
	g := c.lost
	c.lost = nil
	if err == nil {
		err = c.silent(g)
	}
	reason := reasonOf(err)
	if !must && (!g.fallback.answers(reason) || gone(caller)) {
		if refusal, is := err.(*RefusalError); is && refusal.Method == g.method && g.entered.Load() {
			noteCutOff(caller, refusal)
		}
		return nil
	}
	g.fallback.counts[reason].Add(1)
	if g.events.observed {
		g.events.emitFrequent(FellBack{time.Now(), g.method, g.fallback.of.name, reason, err})
	}
	return err
}

// silent is the error of a call that returned none although it failed.
func (c *Call) silent(g *Guard) error {
	if c.over {
		return &timeoutError{g.method, c.measured.limit, ErrFailed}
	}
	return ErrFailed
}

// gone reports whether the caller's context is done. A call that was refused before
// it had a context had one that was done.
func gone(caller context.Context) bool {
	return caller == nil || caller.Err() != nil || late(caller)
}

package bulkhead

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/adaptive"
	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// AdaptiveSettings are those of a bulkhead whose size follows what its dependency
// can bear, see package adaptive. The size moves up to maxConcurrentCalls and
// begins at most at the size that a fixed bulkhead has by default.
type AdaptiveSettings struct {
	Settings
	MinConcurrentCalls int            `setting:"minConcurrentCalls" default:"1" range:"[1,1000000]" doc:"the size never goes below it, nor below the permits that one entry reserves"`
	TargetLatency      *time.Duration `setting:"targetLatency" range:"[1ms,8760h]" usual:"10s" doc:"nine of ten calls should take at most that long; without it 70 % of the shortest timeout of the calls, and one of both must be set"`
}

// Check finds a floor above the ceiling.
func (s *AdaptiveSettings) Check() []setting.Problem {
	if s.MinConcurrentCalls <= s.MaxConcurrentCalls {
		return nil
	}
	return []setting.Problem{{Field: "minConcurrentCalls", Other: "maxConcurrentCalls",
		Message: fmt.Sprintf("%d is above maxConcurrentCalls (%d)", s.MinConcurrentCalls, s.MaxConcurrentCalls)}}
}

// Sizing is what a file says of one bulkhead: *Settings for a size that stays, or
// *AdaptiveSettings.
type Sizing interface {
	common() *Settings
	Dry() bool
}

func (s *Settings) common() *Settings { return s }

// Most is the size that the settings never exceed.
func Most(s Sizing) int { return s.common().MaxConcurrentCalls }

// initial is the most that an adaptive bulkhead begins with.
const initial = 25

// start is the size of a new bulkhead.
func start(s Sizing) int {
	if s, adapts := s.(*AdaptiveSettings); adapts {
		return max(min(s.MaxConcurrentCalls, initial), s.MinConcurrentCalls)
	}
	return Most(s)
}

// Calls is what an adaptive bulkhead has to know of the calls that use it.
type Calls struct {
	Reserved int           // the most permits that one entry takes
	Timeout  time.Duration // the shortest; 0: no call has one
	Well     func() bool   // reports whether all breakers of the calls are CLOSED; nil: there are none
}

// targetShare is the target of calls whose settings have none, as a share of their
// timeout.
const targetShare = .7

// target is the duration that nine of ten calls should take at most; 0: unknown.
func (s *AdaptiveSettings) target(c Calls) time.Duration {
	if s.TargetLatency != nil {
		return *s.TargetLatency
	}
	return time.Duration(targetShare * float64(c.Timeout))
}

// Targeted reports whether settings and calls say what a call may take. If not,
// the bulkhead keeps its size.
func Targeted(s Sizing, c Calls) bool {
	adapts, is := s.(*AdaptiveSettings)
	return !is || adapts.target(c) > 0
}

// Limited is a change of the size of an adaptive bulkhead.
type Limited struct {
	At       time.Time
	Bulkhead string
	From, To int
	P90      time.Duration
	Why      adaptive.Reason
}

// adaptation moves the size of a bulkhead. A change of settings makes a new one.
type adaptation struct {
	settings AdaptiveSettings
	calls    Calls
	bounds   adaptive.Bounds
	meter    *adaptive.Meter // nil: the target is unknown

	mu   sync.Mutex // before that of the bulkhead
	rule adaptive.Rule
	last atomic.Pointer[Limited]
	p90  atomic.Int64 // of the last window
}

// Ending is how a call ended, as far as its duration means something.
type Ending uint8

// The endings.
const (
	Succeeded Ending = iota
	CutOff           // by a timeout, or by the deadline of its caller
	Failed           // by itself: a fast error says nothing about load
)

// Adapts reports whether the bulkhead wants to know of the calls on its permits.
func (b *Bulkhead) Adapts() bool { return b.adaptation.Load() != nil }

// Began says that a call begins, which has its permit.
func (b *Bulkhead) Began() {
	if b.now().free() <= 0 {
		b.fill()
	}
}

// fill says that permits are short.
func (b *Bulkhead) fill() {
	if a := b.adaptation.Load(); a != nil && a.meter != nil {
		a.meter.Fill()
	}
}

// Ended says that a call has ended now, in nanoseconds of a monotonic clock.
func (b *Bulkhead) Ended(now int64, took time.Duration, e Ending) {
	a := b.adaptation.Load()
	switch {
	case a == nil || a.meter == nil:
	case e == Failed:
		a.meter.Fail()
	default:
		if w, ended := a.meter.Add(now, took, e == CutOff); ended {
			b.adapt(a, w)
		}
	}
}

// adapt makes what a window says the size.
func (b *Bulkhead) adapt(a *adaptation, w adaptive.Window) {
	w.Unwell = w.Unwell || a.calls.Well != nil && !a.calls.Well()
	a.mu.Lock()
	defer a.mu.Unlock()
	if b.adaptation.Load() != a {
		return // it is of settings that are gone
	}
	before := a.rule.Limit()
	var why adaptive.Reason
	a.rule, why = a.rule.Next(w, a.bounds)
	a.p90.Store(int64(w.P90))
	if to := a.rule.Limit(); to != before {
		b.limit(a, Limited{Bulkhead: b.name, From: before, To: to, P90: w.P90, Why: why})
	}
}

// limit makes a size that the rule chose the bulkhead's.
func (b *Bulkhead) limit(a *adaptation, change Limited) {
	change.At = time.Now()
	a.last.Store(&change)
	b.mu.Lock()
	b.setSize(change.To)
	b.mu.Unlock()
	b.limited(change)
}

// Sized returns a bulkhead with settings of either kind. Tell hears of changes of
// its size by adaptation; it must neither block nor call the bulkhead.
func Sized(name string, s Sizing, tell func(Limited)) *Bulkhead {
	fixed := *s.common()
	fixed.MaxConcurrentCalls = start(s)
	b := New(name, fixed)
	b.limited = tell
	b.Retune(s, Calls{})
	return b
}

// Retune puts settings of either kind in force, as [Bulkhead.Resize] does. The
// size of one that begins to adapt is that in force; one that adapts already keeps
// it, within its new bounds.
func (b *Bulkhead) Retune(s Sizing, c Calls) {
	old := b.adaptation.Load()
	adapts, is := s.(*AdaptiveSettings)
	if old != nil {
		old.mu.Lock()
		defer old.mu.Unlock()
	}
	if !is {
		b.adaptation.Store(nil)
		b.Resize(*s.common())
		return
	}
	now := newAdaptation(*adapts, c, old, b.Size())
	common := adapts.Settings
	common.MaxConcurrentCalls = now.rule.Limit()
	b.adaptation.Store(now)
	b.Resize(common)
}

// newAdaptation takes over what the one before knows.
func newAdaptation(s AdaptiveSettings, c Calls, before *adaptation, size int) *adaptation {
	a := &adaptation{settings: s, calls: c, bounds: adaptive.Bounds{
		Floor:   min(max(s.MinConcurrentCalls, c.Reserved), s.MaxConcurrentCalls),
		Ceiling: s.MaxConcurrentCalls,
		Target:  s.target(c),
	}}
	rule := adaptive.Start(size)
	if before != nil {
		rule = before.rule
		a.last.Store(before.last.Load())
	}
	a.rule = rule.Within(a.bounds)
	switch {
	case a.bounds.Target <= 0:
	case before != nil && before.bounds.Target == a.bounds.Target:
		a.meter = before.meter
	default:
		a.meter = adaptive.NewMeter(a.bounds.Target)
	}
	return a
}

// Use says of which calls an adaptive bulkhead gets to know; one of a fixed size
// does not care.
func (b *Bulkhead) Use(c Calls) {
	if a := b.adaptation.Load(); a != nil {
		b.Retune(&a.settings, c)
	}
}

// Size is how many permits there are now.
func (b *Bulkhead) Size() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.size
}

// largest is the size that the bulkhead may have without new settings. Adaptation
// refuses nothing for good.
func (b *Bulkhead) largest(t tally) int {
	if a := b.adaptation.Load(); a != nil {
		return max(t.size(), a.bounds.Ceiling)
	}
	return t.size()
}

// AdaptiveSnapshot is what a snapshot has of adaptation.
type AdaptiveSnapshot struct {
	Floor, Ceiling int
	Target         time.Duration // 0: unknown, so that the size stays
	P90            time.Duration // of the last window; 0: there was none
	Last           *Limited      // nil: the size has not changed yet
}

func (b *Bulkhead) adaptiveSnapshot() *AdaptiveSnapshot {
	a := b.adaptation.Load()
	if a == nil {
		return nil
	}
	return &AdaptiveSnapshot{a.bounds.Floor, a.bounds.Ceiling, a.bounds.Target, time.Duration(a.p90.Load()), a.last.Load()}
}

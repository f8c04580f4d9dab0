// Package faults decides which calls a file of settings makes slow or lets fail, so
// that a team sees what its guards do then. What a call is, and what becomes of it, is
// left to others.
package faults

import (
	"sync"
	"sync/atomic"
	"time"
)

// A Fault is what happens to the calls of one name. Most of the time that is nothing.
// All methods are safe for concurrent use.
type Fault struct {
	name    string
	plan    atomic.Pointer[plan] // nil: nothing happens
	tell    func(Change)
	failed  atomic.Uint64
	delayed atomic.Uint64

	mu    sync.Mutex
	timer *time.Timer // ends the plan
	ended bool        // for good
}

// plan is settings in force.
type plan struct {
	Settings
	until time.Time
	calls atomic.Uint64
}

// Change says that faults have begun or ended.
type Change struct {
	At     time.Time
	Name   string
	Active bool
	Settings
	Until           time.Time
	Failed, Delayed uint64 // calls, since the Fault was made
}

// New returns a fault of that name. Tell hears when something begins to happen, and when
// that is over; it must neither block nor call the fault.
func New(name string, s *Settings, tell func(Change)) *Fault {
	f := &Fault{name: name, tell: tell}
	f.Retune(s)
	return f
}

// Name is the fault's name.
func (f *Fault) Name() string { return f.name }

// Retune puts other settings into force. Calls are counted from the beginning.
func (f *Fault) Retune(s *Settings) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stop()
	end, err := s.end()
	if f.ended || err != nil || !s.Injects() || !end.After(time.Now()) {
		return
	}
	p := &plan{Settings: *s, until: end}
	f.plan.Store(p)
	f.timer = time.AfterFunc(time.Until(end), func() { f.expire(p) })
	f.tell(f.change(p, true))
}

// End ends the fault for good.
func (f *Fault) End() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	f.stop()
}

// expire ends a plan, if it is still in force.
func (f *Fault) expire(p *plan) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.plan.Load() == p {
		f.stop()
	}
}

// stop ends the plan in force. The lock must be held.
func (f *Fault) stop() {
	if p := f.plan.Swap(nil); p != nil {
		f.timer.Stop()
		f.tell(f.change(p, false))
	}
}

func (f *Fault) change(p *plan, active bool) Change {
	return Change{time.Now(), f.name, active, p.Settings, p.until, f.failed.Load(), f.delayed.Load()}
}

// Active reports whether anything happens to calls now.
func (f *Fault) Active() bool { return f.plan.Load() != nil }

// Next is what happens to the next call.
func (f *Fault) Next() (delay time.Duration, fails bool) {
	p := f.plan.Load()
	if p == nil {
		return 0, false
	}
	if !time.Now().Before(p.until) { // the clock was set
		f.expire(p)
		return 0, false
	}
	n := p.calls.Add(1)
	if fails = p.hits(2*n, p.FailPercent); fails {
		f.failed.Add(1)
	}
	if p.Delay != nil && p.hits(2*n+1, p.DelayPercent) {
		f.delayed.Add(1)
		delay = *p.Delay
	}
	return delay, fails
}

// NextProbe is what happens to the next probe, which is nothing unless the settings say
// that probes are hit.
func (f *Fault) NextProbe() (delay time.Duration, fails bool) {
	if p := f.plan.Load(); p == nil || !p.Probes {
		return 0, false
	}
	return f.Next()
}

// hits reports whether the n-th number of the seed is in the lowest percent of all
// numbers. (The mixing is that of SplitMix64.)
func (p *plan) hits(n uint64, percent float64) bool {
	x := (uint64(p.Seed) + 1) * 0xd1342543de82ef95
	x += n * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	return float64(x>>11)/(1<<53)*100 < percent
}

// Snapshot is a fault at one moment.
type Snapshot struct {
	Name   string
	Active bool
	Settings
	Until           time.Time // zero: it is not active
	Failed, Delayed uint64    // calls, since it was made
}

// Snapshot returns the present figures.
func (f *Fault) Snapshot() Snapshot {
	s := Snapshot{Name: f.name, Failed: f.failed.Load(), Delayed: f.delayed.Load()}
	if p := f.plan.Load(); p != nil {
		s.Active, s.Settings, s.Until = true, p.Settings, p.until
	}
	return s
}

package retry

import "sync/atomic"

// Policy is how calls of one name are made again, with what came of it. Its methods
// are safe for concurrent use.
type Policy struct {
	name     string
	settings atomic.Pointer[Settings]
	budget   atomic.Pointer[Budget]

	counts    bool // calls, too
	calls     atomic.Uint64
	retries   atomic.Uint64
	recovered atomic.Uint64
	stopped   [len(reasons)]atomic.Uint64
}

// Reason says why a call that failed was not made again.
type Reason uint8

// The reasons.
const (
	Attempts  Reason = iota // it had as many as it may have
	Deadline                // another one could not end in time
	Exhausted               // the budget is empty
	Refused                 // a guard would refuse it, or did
	Hint                    // the dependency asked for a longer pause than maxDelay
	Trial                   // the call was the trial of a breaker
)

var reasons = [...]string{"attempts", "deadline", "budget", "refused", "hint", "trial"}

// NewPolicy makes the policy of a name; counts says whether it counts all calls.
func NewPolicy(name string, s *Settings, b *Budget, counts bool) *Policy {
	p := &Policy{name: name, counts: counts}
	p.Retune(s, b)
	return p
}

// Name is the name that settings use.
func (p *Policy) Name() string { return p.name }

// Retune puts other settings in force, for calls that begin.
func (p *Policy) Retune(s *Settings, b *Budget) {
	p.settings.Store(s)
	p.budget.Store(b)
}

// Settings are those in force; they don't change.
func (p *Policy) Settings() *Settings { return p.settings.Load() }

// Budget is the one in force.
func (p *Policy) Budget() *Budget { return p.budget.Load() }

// Recovered counts a call that has succeeded after a retry.
func (p *Policy) Recovered() { p.recovered.Add(1) }

// Began counts a call.
func (p *Policy) Began() {
	if p.counts {
		p.calls.Add(1)
	}
}

// Retried counts an attempt that follows another.
func (p *Policy) Retried() { p.retries.Add(1) }

// Stop counts a call that failed and was not made again.
func (p *Policy) Stop(why Reason) { p.stopped[why].Add(1) }

// Snapshot is a policy at one moment.
type Snapshot struct {
	Name        string
	MaxAttempts int
	Budget      string
	Counted     bool // calls are
	Calls       uint64
	Retries     uint64
	Recovered   uint64
	Stopped     map[string]uint64 // by reason
}

// Snapshot tells how the policy is, and what came of it since it was made.
func (p *Policy) Snapshot() Snapshot {
	s := Snapshot{
		Name: p.name, MaxAttempts: p.Settings().MaxAttempts, Budget: p.Budget().Name(),
		Counted: p.counts, Calls: p.calls.Load(), Retries: p.retries.Load(), Recovered: p.recovered.Load(),
		Stopped: map[string]uint64{},
	}
	for why := range p.stopped {
		if n := p.stopped[why].Load(); n > 0 {
			s.Stopped[reasons[why]] = n
		}
	}
	return s
}

// Reasons are the names of all reasons, as in a snapshot.
func Reasons() []string { return reasons[:] }

package redis

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/sharing"
	"github.com/resgen-go/resgen/runtime/redis/internal/lua"
)

// member is one shared breaker of this process. The fleet's goroutine works
// with it, but for what is atomic: that is set while the breaker changes its
// state, under the breaker's lock.
type member struct {
	core    *breaker.Breaker
	fleet   *fleet
	trying  atomic.Uint64           // the outage whose trial token is here; 0: none
	verdict atomic.Pointer[verdict] // what the trials said, till the server knows it

	mu         sync.Mutex
	own        breaker.Fleet // settings of the breaker that come before those of the fleet
	membership membership
	parted     time.Time // when it was shared last
	unanswered bool      // it asked what may have changed something, and was told of none yet

	calls, failures uint64 // of the breaker that are counted already
	reports         []report
	reported        uint64 // number of the last report made
	sent            uint64 // number of the last report that was ever sent

	failed   *lua.Script // what the last exchange asked in vain; nil: it got an answer
	known    int64       // number of the last change
	told     int64       // highest number of a change that observers could be told of
	stale    bool        // something happened that an answer on its way may not know
	outage   uint64      // that the breaker is held for; 0: none
	forced   bool        // by hand
	lookAt   time.Time
	tryAt    time.Time
	waited   bool // tryAt was put off, since no call waits here
	renewAt  time.Time
	progress trialProgress
}

// membership says whether a breaker is shared. One that is not may have
// something to hand in.
type membership uint8

const (
	left   membership = iota
	paused            // while sharing is turned off
	joined
)

// verdict is the end of trials.
type verdict struct {
	outage uint64
	good   bool
	reason string
}

// trialProgress tells when trials last began or ended.
type trialProgress struct {
	seen uint64
	at   time.Time
}

// observe is told every change of the breaker's state.
func (m *member) observe(t breaker.Transition) (news bool) {
	outage := m.trying.Load()
	if t.From != breaker.HalfOpen || outage == 0 {
		return false
	}
	m.verdict.Store(&verdict{outage, t.To == breaker.Closed && t.By == "", t.Reason + " in " + m.fleet.process})
	return true
}

// due is when the member has something to ask.
func (m *member) due(flushAt time.Time) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, _ := m.plan(time.Now(), flushAt)
	return at
}

// ask is what the member has to ask now, if anything.
func (m *member) ask(now, flushAt time.Time, s *settings) (r request, due bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.yield(now, s)
	at, what := m.plan(now, flushAt)
	if at.After(now) {
		return request{}, false
	}
	m.stale, m.unanswered = false, true
	return what(s, now), true
}

// nudge makes the member look, unless it knows of the change already. 0 is a
// change that might have been.
func (m *member) nudge(change int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.membership != joined || change != 0 && change <= m.known {
		return false
	}
	m.stale, m.lookAt = true, time.Time{}
	return true
}

func (m *member) isLost() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failed != nil && (m.membership == joined || m.owes())
}

// busy reports that the member is shared, or has something to hand in.
func (m *member) busy() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.membership == joined || m.owes()
}

// owes reports that there is something to hand in, or to tell of.
func (m *member) owes() bool { return m.verdict.Load() != nil || len(m.reports) > 0 || m.unanswered }

// plan is what to ask the server next, and when. Every answer brings a view, so
// a look is for when nothing else is due.
func (m *member) plan(now, flushAt time.Time) (at time.Time, ask func(*settings, time.Time) request) {
	switch {
	case m.membership != joined:
		return m.planParting(now)
	case m.failed != nil:
		return m.lookAt, m.planReturn()
	case m.verdict.Load() != nil:
		return now, m.settle
	}
	at, ask = m.lookAt, m.look
	consider := func(due time.Time, what func(*settings, time.Time) request) {
		if !due.After(now) || due.Before(at) {
			ask = what
		}
		at = earliest(at, due)
	}
	switch {
	case m.trying.Load() != 0:
		consider(m.renewAt, m.try)
	case m.outage != 0 && !m.forced:
		consider(m.tryAt, m.try)
	}
	if len(m.reports) > 0 {
		consider(flushAt, m.record)
	}
	return at, ask
}

// planParting is plan for a member that is not shared now. What it owes is due
// at once, or when the server may be back.
func (m *member) planParting(now time.Time) (at time.Time, ask func(*settings, time.Time) request) {
	switch {
	case m.verdict.Load() != nil:
		return m.lookAt, m.settle
	case len(m.reports) > 0:
		return m.lookAt, m.record
	case m.unanswered:
		return m.lookAt, m.look
	default:
		return farOff(now, 0), m.look
	}
}

// planReturn is what to ask a server that failed. If reports failed, no other
// answer tells that they will be taken again.
func (m *member) planReturn() func(*settings, time.Time) request {
	switch {
	case m.verdict.Load() != nil:
		return m.settle
	case m.failed == lua.Record:
		return m.record
	default:
		return m.look
	}
}

// yield puts off what had better be left to other processes: keeping a token
// without trials, and asking for one where no call waits.
func (m *member) yield(now time.Time, s *settings) {
	if m.verdict.Load() != nil || m.outage == 0 || m.forced || m.failed != nil {
		return
	}
	if m.trying.Load() != 0 {
		if !now.Before(m.renewAt) && m.stalled(now, s) {
			m.renewAt = now.Add(s.TrialTimeout / 3)
		}
		return
	}
	if now.Before(m.tryAt) {
		return
	}
	switch state := m.core.Snapshot(); {
	case state.State != breaker.Open || !state.Held: // set by hand
		m.tryAt = now.Add(s.TrialTimeout)
	case state.Refused == 0 && !m.waited:
		m.tryAt, m.waited = now.Add(s.TrialTimeout/10), true
	}
}

// stalled reports that no trials are made here: soon if there was none yet,
// else after some patience, and not while those that run may come back.
func (m *member) stalled(now time.Time, s *settings) bool {
	state := m.core.Snapshot()
	if seen := state.Calls*2 + uint64(state.Trials); seen != m.progress.seen {
		m.progress = trialProgress{seen, now}
	}
	patience := s.TrialTimeout / 2
	if m.progress.seen > 0 {
		patience = 6 * s.TrialTimeout
	}
	return now.Sub(m.progress.at) > patience && !m.core.Waits()
}

// errForgot is that an outage is no more, though nobody ended it: the server
// was emptied, or is another one.
var errForgot = errors.New("the server has lost what it knew")

// answered takes the view that an exchange brought.
func (m *member) answered(r request, v view, s *settings) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failed, m.unanswered = nil, false
	switch r.script {
	case lua.Settle:
		m.verdict.Store(nil)
		m.trying.Store(0)
	case lua.Record:
		m.drop(m.sent)
	}
	m.announce(v)
	forgot := m.outage != 0 && v.outage == 0 && v.change < m.known
	m.known = v.change
	switch {
	case m.membership != joined:
		return nil
	case forgot:
		return fmt.Errorf("%w of the outage of breaker %s", errForgot, m.core.Name())
	}
	if m.lookAt = farOff(v.at, s.checkAfter(v)); m.stale {
		m.lookAt = time.Time{}
	}
	m.forced = v.forced
	m.follow(v, s)
	return nil
}

// follow does what the fleet does.
func (m *member) follow(v view, s *settings) {
	switch {
	case v.off:
		m.release(false, "sharing was turned off by hand")
	case v.outage == 0:
		m.release(true, "the outage of all processes ended: "+v.reason)
	default:
		m.hold(v, s)
	}
}

// checkAfter is how old the view may get. While the fleet keeps a breaker from
// its process, that is bounded in any case: what an operator wrote may expire,
// which nobody pushes.
func (s *settings) checkAfter(v view) time.Duration {
	if s.OutageCheckInterval == 0 && (v.outage != 0 || v.off) {
		return usual.OutageCheckInterval
	}
	return s.OutageCheckInterval
}

// farOff is the moment d after now; never, for all that matters, if d is 0.
func farOff(now time.Time, d time.Duration) time.Time {
	if d == 0 {
		d = 1000 * time.Hour
	}
	return now.Add(d)
}

// announce tells of the changes that this process made. They are read from the
// history, so that one whose answer got lost is told too, and none twice.
func (m *member) announce(v view) {
	for _, c := range v.changes {
		var what sharing.Change
		if c.process == m.fleet.process && what.UnmarshalText([]byte(c.what)) == nil {
			m.fleet.hooks.Outage(sharing.Outage{Breaker: m.core.Name(), Change: what, At: c.at, Reason: c.reason})
		}
	}
	m.told = max(m.told, v.change)
}

// hold follows the fleet into an outage, or goes on in it.
func (m *member) hold(v view, s *settings) {
	m.outage = v.outage
	m.reports = nil
	mine := v.holder == m.fleet.process
	if m.verdict.Load() != nil {
		return // the server is about to know it
	}
	if m.trying.Load() != 0 && !mine {
		m.trying.Store(0)
		m.core.Recall(v.outage, "another process has the trials")
	}
	m.core.Hold(v.outage, "outage of all processes: "+v.reason)
	switch {
	case mine && m.trying.Load() == 0:
		m.begin(v, s)
	case mine:
		m.renewAt = v.at.Add(s.TrialTimeout / 3)
	default:
		m.waitForToken(v)
	}
}

// begin starts the trials of this process.
func (m *member) begin(v view, s *settings) {
	m.trying.Store(v.outage)
	m.progress = trialProgress{at: v.at}
	m.renewAt = v.at.Add(s.TrialTimeout / 3)
	if !m.core.Try(v.outage, "this process has the trials of all") {
		m.verdict.Store(&verdict{outage: v.outage, reason: "the state was set by hand in " + m.fleet.process})
	}
}

// waitForToken sets when to ask for it. A little chance keeps the processes
// from asking all at once.
func (m *member) waitForToken(v view) {
	due := v.retry
	if v.holder != "" && v.until.After(due) {
		due = v.until
	}
	m.waited = false
	m.tryAt = v.local(due).Add(time.Millisecond + rand.N(20*time.Millisecond))
}

// release gives the breaker back to its strategy. What it counted in the outage
// counts nowhere.
func (m *member) release(over bool, why string) {
	m.trying.Store(0)
	m.verdict.Store(nil)
	m.core.Release(over, why)
	if m.outage != 0 {
		m.calls, m.failures = m.core.Totals()
	}
	m.outage = 0
}

// lose is an exchange that failed: from now on the breaker is its process's
// own. Trials that are decided still count, if the server comes back before
// their token has passed on. A breaker that is not shared now asks again as
// long as its counts would count.
func (m *member) lose(script *lua.Script, retryAt time.Time, s *settings) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failed, m.lookAt = script, retryAt
	if m.membership != joined && retryAt.Sub(m.parted) > s.OutageWindow {
		m.verdict.Store(nil)
		m.reports, m.unanswered = nil, false
	}
	if m.verdict.Load() == nil {
		m.trying.Store(0)
	}
	m.core.Release(false, "")
	m.outage = 0
}

// join shares the breaker by its own settings of the fleet's rule.
func (m *member) join(own breaker.Fleet) (news bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.own = own
	if m.membership == joined {
		return false
	}
	m.enter()
	return true
}

// leave makes the breaker its process's own. What is owed gets a chance at
// once, though the server may have failed just now.
func (m *member) leave(now time.Time, s *settings) {
	m.collect(now, s)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.membership == joined {
		m.part(now)
	}
	m.membership, m.lookAt = left, now
}

// pause makes the breaker its process's own until resume.
func (m *member) pause(now time.Time, s *settings) {
	m.collect(now, s)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.membership == joined {
		m.part(now)
		m.membership, m.lookAt = paused, now
	}
}

// resume shares a breaker again that paused, not one that left.
func (m *member) resume() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.membership == paused {
		m.enter()
	}
}

// enter begins to share. The numbers of reports and changes go on where the
// breaker was shared before.
func (m *member) enter() {
	m.membership = joined
	m.stale, m.lookAt = true, time.Time{}
	m.core.KeepTotals(true)
	m.calls, m.failures = m.core.Totals()
}

// part ends sharing. What was counted, and the trial token, are still to be
// handed in.
func (m *member) part(now time.Time) {
	m.parted = now
	if outage := m.trying.Swap(0); outage != 0 && m.verdict.Load() == nil {
		m.verdict.Store(&verdict{outage: outage, reason: m.fleet.process + " shares the breaker no more"})
	}
	m.core.KeepTotals(false)
	m.core.Release(false, "")
	m.outage = 0
}

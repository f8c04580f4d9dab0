package redis

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/sharing"
	"github.com/resgen-go/resgen/runtime/redis/internal/lua"
)

// member is one shared breaker of this process. The fleet's goroutine works with it, but for what is atomic: that is set
// while the breaker changes its state, under the breaker's lock.
type member struct {
	core    *breaker.Breaker
	fleet   *fleet
	trying  atomic.Uint64           // the outage whose trial token is here; 0: none
	verdict atomic.Pointer[verdict] // what the trials said, till the server knows it

	mu   sync.Mutex
	gone bool // it left, or the fleet is closed

	calls, failures uint64 // of the breaker that are counted already
	reports         []report
	reported        uint64 // number of the last report made
	sent            uint64 // number of the last report that was ever sent

	lost      bool   // the last exchange failed
	known     int64  // number of the last change
	announced int64  // number of the last change that observers were told
	stale     bool   // something happened that an answer on its way may not know
	outage    uint64 // that the breaker is held for; 0: none
	forced    bool   // by hand
	lookAt    time.Time
	tryAt     time.Time
	waited    bool // tryAt was put off, since no call waits here
	renewAt   time.Time
	progress  trialProgress
}

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
	if m.gone {
		return request{}, false
	}
	m.yield(now, s)
	at, what := m.plan(now, flushAt)
	if at.After(now) {
		return request{}, false
	}
	m.stale = false
	return what(s, now), true
}

// nudge makes the member look, unless it knows of the change already. 0 is a change that might have been.
func (m *member) nudge(change int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if change != 0 && change <= m.known {
		return false
	}
	m.stale, m.lookAt = true, time.Time{}
	return true
}

func (m *member) isLost() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lost
}

// plan is what to ask the server next, and when. Every answer brings a view, so a look is for when nothing else is due.
func (m *member) plan(now, flushAt time.Time) (at time.Time, ask func(*settings, time.Time) request) {
	at, ask = m.lookAt, m.look
	if m.verdict.Load() != nil {
		ask = m.settle
		if !m.lost {
			at = now
		}
		return at, ask
	}
	if m.lost {
		return at, ask
	}
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

// yield puts off what had better be left to other processes: keeping a token without trials, and asking for one where no
// call waits.
func (m *member) yield(now time.Time, s *settings) {
	if m.verdict.Load() != nil || m.outage == 0 || m.forced || m.lost {
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

// stalled reports that no trials are made here: soon if there was none yet, else after some patience.
func (m *member) stalled(now time.Time, s *settings) bool {
	state := m.core.Snapshot()
	if seen := state.Calls*2 + uint64(state.Trials); seen != m.progress.seen {
		m.progress = trialProgress{seen, now}
	}
	patience := s.TrialTimeout / 2
	if m.progress.seen > 0 {
		patience = 6 * s.TrialTimeout
	}
	return now.Sub(m.progress.at) > patience
}

// answered takes the view that an exchange brought.
func (m *member) answered(r request, v view, s *settings) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gone {
		return
	}
	m.lost = false
	switch r.script {
	case lua.Settle:
		m.verdict.Store(nil)
		m.trying.Store(0)
	case lua.Record:
		m.drop(m.sent)
	}
	m.announce(v)
	if m.lookAt = farOff(v.at, s.OutageCheckInterval); m.stale {
		m.lookAt = time.Time{}
	}
	m.forced = v.forced
	switch {
	case v.off:
		m.release(false, "sharing was turned off by hand")
	case v.outage == 0:
		m.release(true, "the outage of all processes ended: "+v.reason)
	default:
		m.hold(v, s)
	}
}

// farOff is the moment d after now; never, for all that matters, if d is 0.
func farOff(now time.Time, d time.Duration) time.Time {
	if d == 0 {
		d = 1000 * time.Hour
	}
	return now.Add(d)
}

// announce tells of the changes that this process made. They are read from the history, so that one whose answer got lost
// is told too, and none twice.
func (m *member) announce(v view) {
	for _, c := range v.changes {
		if c.process != m.fleet.process || c.at.UnixMilli() <= m.announced {
			continue
		}
		m.announced = c.at.UnixMilli()
		for what := sharing.Began; what <= sharing.Ended; what++ {
			if what.String() == c.what {
				m.fleet.hooks.Outage(sharing.Outage{Breaker: m.core.Name(), Change: what, At: c.at, Reason: c.reason})
			}
		}
	}
	m.known = v.change
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

// waitForToken sets when to ask for it. A little chance keeps the processes from asking all at once.
func (m *member) waitForToken(v view) {
	due := v.retry
	if v.holder != "" && v.until.After(due) {
		due = v.until
	}
	m.waited = false
	m.tryAt = v.local(due).Add(time.Millisecond + rand.N(20*time.Millisecond))
}

// release gives the breaker back to its strategy. What it counted in the outage counts nowhere.
func (m *member) release(over bool, why string) {
	m.trying.Store(0)
	m.verdict.Store(nil)
	m.core.Release(over, why)
	if m.outage != 0 {
		m.calls, m.failures = m.core.Totals()
	}
	m.outage = 0
}

// lose is an exchange that failed: from now on the breaker is its process's own. Trials that are decided still count, if
// the server comes back before their token has passed on.
func (m *member) lose(retryAt time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lost, m.lookAt = true, retryAt
	if m.verdict.Load() == nil {
		m.trying.Store(0)
	}
	m.core.Release(false, "")
	m.outage = 0
}

// suspend makes the breaker its process's own while sharing is turned off.
func (m *member) suspend() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reports = nil
	m.release(false, "")
	m.calls, m.failures = m.core.Totals()
}

// leave does so for good.
func (m *member) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gone = true
	m.release(false, "")
}

// resign gives the trial token back.
func (m *member) resign() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if outage := m.trying.Load(); outage != 0 && m.verdict.Load() == nil {
		m.verdict.Store(&verdict{outage: outage, reason: m.fleet.process + " was closed"})
	}
}

package resilience_test

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	resilience "github.com/resgen-go/resgen/runtime"
)

// composedRules are the settings of the model. All durations are whole microseconds,
// so that no two events of different steps fall on one moment.
type composedRules struct {
	failures, trials     int // in a row that open the breaker, and that close it
	openFor              time.Duration
	size, places         int // in the queue
	longestWait          time.Duration
	token                time.Duration
	burst                int
	timeout              time.Duration
	attempts             int
	pause                time.Duration // before the second attempt; twice as long before each further one
	percent, mostRetries int
	fallsBack            bool
}

func drawComposedRules(t *rapid.T) composedRules {
	between := func(what string, least, most int) int { return rapid.IntRange(least, most).Draw(t, what) }
	return composedRules{
		failures: between("failures", 2, 4), trials: between("trials", 2, 3), openFor: 10_019 * time.Microsecond,
		size: between("size", 3, 6), places: 3, longestWait: 9_043 * time.Microsecond,
		token: 1000 * time.Microsecond, burst: 5,
		timeout:  time.Duration(8_017+2_000*between("timeout", 0, 2)) * time.Microsecond,
		attempts: between("attempts", 1, 4), pause: 2_111 * time.Microsecond,
		percent: 20, mostRetries: 3, fallsBack: rapid.Bool().Draw(t, "falls back"),
	}
}

// retuned are rules of which those have changed that may change at any moment.
func (c composedRules) retuned(t *rapid.T) composedRules {
	other := drawComposedRules(t)
	c.size, c.timeout, c.attempts, c.fallsBack = other.size, other.timeout, other.attempts, other.fallsBack
	return c
}

func (c composedRules) String() string {
	return fmt.Sprintf(`{
		"breakers": {"p": {"strategy": "CONSECUTIVE_FAILURES", "failureThreshold": %d, "successThreshold": %d, "testDelay": "%v", "maxHalfOpenDuration": "1h"}},
		"bulkheads": {"p": {"maxConcurrentCalls": %d, "queueCapacity": %d, "maxWaitDuration": "%v"}},
		"rateLimits": {"p": {"limit": 1, "period": "%v", "burst": %d}},
		"timeouts": {"p": {"duration": "%v"}},
		"retries": {"p": {"maxAttempts": %d, "initialDelay": "%v", "maxDelay": "1s", "jitter": 0}},
		"budgets": {"p": {"percent": %d, "burst": %d}},
		"fallbacks": {"p": {"enabled": %t}}
	}`, c.failures, c.trials, c.openFor, c.size, c.places, c.longestWait, c.token, c.burst, c.timeout,
		c.attempts, c.pause, c.percent, c.mostRetries, c.fallsBack)
}

// composition is a model of every guard around the calls of one dependency, in which
// one event comes after the other.
type composition struct {
	composedRules
	state  resilience.State
	stay   int // in the state, by number
	inRow  int // failures, while CLOSED
	opened time.Time
	out    int       // trials, while HALF_OPEN
	good   int       // trials that succeeded, while HALF_OPEN
	full   time.Time // when the bucket of tokens is full
	inUse  int
	idle   int // permits that entries keep for calls to come
	queue  []*visit
	left   int // of the budget, in thousandths of a retry
	going  []*visit

	// Since the beginning:
	successes, failed, retried, recovered, answered int

	unclear bool // the next step depends on who is faster
}

// visit is a call with all its attempts, or an entry.
type visit struct {
	under            *visit // the entry around a call, or nil
	retries, answers bool
	phase            phase
	due              time.Time // ends the phase; zero: time does not
	began            time.Time // when the attempt that is inside did
	cancelled        bool
	most, attempt    int
	limit            time.Duration // of the attempt
	paid             int           // tokens from the bucket
	lentToken        bool          // or one from the entry
	holds, reserved  bool          // a permit; it is the entry's
	stay             int           // in which the breaker admitted it
	onTrial          bool

	entry // for n calls, if it is one
}

type entry struct {
	n            int
	lease        bool // calls give their permits back to it; it asks no gate
	tokens       int  // of these left
	permits      int
	trials       int
	whole        bool // it is one trial, with all its calls
	trialsOf     int  // the stay in which it took them; 0: it holds none
	begun, calls int  // under it: so far, now
}

type phase int

const (
	isWaiting phase = iota + 1
	isInside
	isPaused
	isOver
)

// nowhere is a stay to which no outcome belongs.
const nowhere = -1

func newComposition(rules composedRules) *composition {
	return &composition{composedRules: rules, state: resilience.Closed, stay: 1, left: rules.mostRetries * 1000, full: time.Now()}
}

// start begins a call or an entry.
func (m *composition) start(v *visit) {
	m.going = append(m.going, v)
	v.most = m.attempts
	switch e := v.under; {
	case v.n > 0:
		m.enter(v)
		return
	case e != nil:
		e.begun++
		e.calls++
	}
	m.try(v)
}

// try begins an attempt: gate, token, permit, breaker.
func (m *composition) try(v *visit) {
	v.attempt++
	v.limit = m.timeout
	e := v.under
	switch {
	case !m.admits(1) && !e.holdsTrial():
		m.refuse(v)
		return
	case e != nil && e.tokens > 0:
		e.tokens--
		v.lentToken = true
	case m.take(1):
		v.paid = 1
	default:
		m.refuse(v)
		return
	}
	if e == nil {
		m.wait(v)
		return
	}
	e.permits--
	m.idle--
	m.inUse++
	v.holds, v.reserved = true, true
	m.admit(v)
}

// enter begins an entry: gate, tokens, permits, trials.
func (m *composition) enter(v *visit) {
	switch {
	case !v.lease && !m.admits(v.n), v.tokens > 0 && !m.take(v.tokens):
		m.refuse(v)
		return
	}
	v.paid = v.tokens
	m.wait(v)
}

// wait lets v wait for its permits, if they are not there.
func (m *composition) wait(v *visit) {
	v.phase, v.due = isWaiting, time.Now().Add(m.longestWait)
	m.queue = append(m.queue, v)
	m.serve()
	if v.phase == isWaiting && len(m.queue) > m.places {
		m.refuse(v)
	}
}

// serve lets those go on for whom there are permits, in their order.
func (m *composition) serve() {
	var granted []*visit
	for len(m.queue) > 0 && m.size-m.inUse-m.idle >= max(1, m.queue[0].n) {
		v := m.queue[0]
		m.queue = m.queue[1:]
		if v.permits = v.n; v.n == 0 {
			m.inUse++
			v.holds, v.reserved = true, false
		}
		m.idle += v.n
		v.phase, v.due = 0, time.Time{}
		granted = append(granted, v)
	}
	m.unclear = m.unclear || len(granted) > 1 && m.state != resilience.Closed
	for _, v := range granted {
		if v.n > 0 {
			m.open(v)
		} else {
			m.admit(v)
		}
	}
}

// admit asks the breaker for a call that has its token and its permit.
func (m *composition) admit(v *visit) {
	if !m.admitted(v) {
		m.refuse(v)
		return
	}
	v.phase, v.began, v.due = isInside, time.Now(), time.Now().Add(v.limit)
	if v.attempt > 1 {
		m.retried++
	}
}

func (m *composition) admitted(v *visit) bool {
	v.stay, v.onTrial = m.stay, m.state != resilience.Closed
	if !v.onTrial {
		return true
	}
	e := v.under
	if !e.holdsTrial() {
		taken := m.takeTrials(1)
		v.stay = m.stay
		return taken
	}
	if !e.whole {
		e.trials--
	}
	switch {
	case e.trialsOf == m.stay && e.whole:
		m.out++
	case e.trialsOf != m.stay && !m.takeTrials(1): // it runs, because the entry began
		v.stay = nowhere
		return true
	}
	v.stay = m.stay
	return true
}

// open begins the body of an entry that has its tokens and permits.
func (m *composition) open(v *visit) {
	if !v.lease && m.state != resilience.Closed {
		if !m.admits(v.n) {
			m.refuse(v)
			return
		}
		if v.trials = v.n; !m.takeTrials(v.n) {
			m.takeTrials(1)
			v.trials, v.whole = 1, true
		}
		v.trialsOf = m.stay
	}
	v.phase = isInside
}

// refuse ends an attempt that does not reach the dependency, or an entry that does not
// begin. What it has taken goes back to where it came from.
func (m *composition) refuse(v *visit) {
	m.queue = slices.DeleteFunc(m.queue, func(other *visit) bool { return other == v })
	m.put(v.paid)
	if v.lentToken {
		v.under.tokens++
	}
	if v.attempt > 1 {
		m.earn(1000)
	}
	v.phase = 0
	m.letGo(v, true)
	m.end(v, true)
}

// letGo gives the permits of v back: that of an entry to it where it may serve again.
func (m *composition) letGo(v *visit, again bool) {
	v.paid, v.lentToken = 0, false
	m.idle -= v.permits
	v.permits = 0
	if v.holds {
		m.inUse--
	}
	if v.holds && v.reserved && (again || v.under.lease) {
		v.under.permits++
		m.idle++
	}
	v.holds = false
	m.serve()
}

// end ends a call or an entry. A call that came to nothing may be answered by its
// fallback.
func (m *composition) end(v *visit, lost bool) {
	v.phase, v.due = isOver, time.Time{}
	if v.under != nil {
		v.under.calls--
	}
	m.going = slices.DeleteFunc(m.going, func(other *visit) bool { return other == v })
	if lost && v.answers && m.fallsBack && !v.cancelled {
		m.answered++
	}
}

// leave ends the body of an entry.
func (m *composition) leave(v *visit) {
	m.put(v.tokens)
	if v.trialsOf == m.stay {
		m.out -= v.trials
	}
	m.letGo(v, false)
	m.end(v, false)
}

// finish ends an attempt that is inside, and begins a pause if there is another one.
func (m *composition) finish(v *visit, outcome resilience.Outcome, panics bool) {
	m.record(v.stay, outcome)
	lost := outcome == resilience.Failure && !panics
	again := lost && v.retries && m.again(v)
	v.phase, v.due = 0, time.Time{}
	if outcome == resilience.Success && v.retries {
		m.earn(10 * m.percent)
		if v.attempt > 1 {
			m.recovered++
		}
	}
	if again {
		v.phase, v.due = isPaused, time.Now().Add(m.pause<<(v.attempt-1))
	}
	m.letGo(v, again)
	if !again {
		m.end(v, lost)
	}
}

// again decides whether there is another attempt.
func (m *composition) again(v *visit) bool {
	if v.onTrial || v.attempt >= v.most || m.state != resilience.Closed || m.left < 1000 {
		return false
	}
	m.left -= 1000
	return true
}

// expire is what time does to v.
func (m *composition) expire(v *visit) {
	switch v.phase {
	case isWaiting:
		m.refuse(v)
	case isInside:
		m.finish(v, resilience.Failure, false)
	case isPaused:
		if m.state == resilience.Closed {
			m.try(v)
			return
		}
		m.earn(1000)
		m.end(v, true)
	}
}

// cancel is what happens to v when its caller goes.
func (m *composition) cancel(v *visit) {
	v.cancelled = true
	switch v.phase {
	case isWaiting:
		m.refuse(v)
	case isInside:
		m.finish(v, resilience.Ignored, false)
	case isPaused:
		m.earn(1000)
		m.end(v, true)
	}
}

func (m *composition) earn(n int) { m.left = min(m.left+n, m.mostRetries*1000) }

// admits is the answer of the gate to n calls.
func (m *composition) admits(n int) bool {
	switch m.state {
	case resilience.Open:
		return !time.Now().Before(m.opened.Add(m.openFor))
	case resilience.HalfOpen:
		return m.room(n) || m.out == 0
	}
	return true
}

// room reports whether HALF_OPEN has n trials more.
func (m *composition) room(n int) bool {
	return n == 1 && m.out == 0 || m.out+m.good+n <= m.trials
}

// takeTrials takes n trials at once, while the breaker is not CLOSED.
func (m *composition) takeTrials(n int) bool {
	switch {
	case m.state == resilience.Open && !m.admits(n):
		return false
	case m.state == resilience.Open:
		m.move(resilience.HalfOpen)
	}
	if !m.room(n) {
		return false
	}
	m.out += n
	return true
}

func (v *visit) holdsTrial() bool { return v != nil && v.trialsOf != 0 && v.trials > 0 }

// record is what the breaker learns of a call that it admitted in a stay.
func (m *composition) record(stay int, outcome resilience.Outcome) {
	if stay != m.stay {
		return
	}
	trial := m.state == resilience.HalfOpen
	if trial {
		m.out--
	}
	switch outcome {
	case resilience.Success:
		m.successes++
		m.inRow = 0
		if m.good++; trial && m.good >= m.trials {
			m.move(resilience.Closed)
		}
	case resilience.Failure:
		m.failed++
		if m.inRow++; trial || m.inRow >= m.failures {
			m.move(resilience.Open)
		}
	}
}

// move changes the state. A breaker that opens ends the waits of all that it guards.
func (m *composition) move(to resilience.State) {
	m.state, m.inRow, m.out, m.good = to, 0, 0, 0
	m.stay++
	if to != resilience.Open {
		return
	}
	m.opened = time.Now()
	for _, v := range slices.Clone(m.queue) {
		if v.phase == isWaiting && !v.lease {
			m.refuse(v)
		}
	}
}

func (m *composition) take(n int) bool {
	full := time.Now().Add(max(0, time.Until(m.full)) + time.Duration(n)*m.token)
	if time.Until(full) > time.Duration(m.burst)*m.token {
		return false
	}
	m.full = full
	return true
}

func (m *composition) put(n int) { m.full = m.full.Add(-time.Duration(n) * m.token) }

func (m *composition) tune(rules composedRules) {
	m.composedRules = rules
	m.serve()
}

// String is everything that can be seen.
func (m *composition) String() string {
	tokens := int((time.Duration(m.burst)*m.token - max(0, time.Until(m.full))) / m.token)
	return seen{
		m.state, m.out, m.successes, m.failed, m.inUse, m.idle, max(0, m.size-m.inUse-m.idle), len(m.queue),
		tokens, float64(m.left) / 1000, m.retried, m.recovered, m.answered,
	}.String()
}

// seen is what a snapshot shows of a composition.
type seen struct {
	state                          resilience.State
	trials, successes, failures    int
	inUse, idle, available, queued int
	tokens                         int
	budget                         float64
	retried, recovered, answered   int
}

func (s seen) String() string {
	return fmt.Sprintf("%v with %d trials, %d good, %d failed; permits: %d in use, %d idle, %d free, %d wait; tokens: %d; budget %.3f: %d retries, %d recovered; %d answered",
		s.state, s.trials, s.successes, s.failures, s.inUse, s.idle, s.available, s.queued, s.tokens, s.budget, s.retried, s.recovered, s.answered)
}

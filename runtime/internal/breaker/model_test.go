package breaker_test

import (
	"math/big"
	"strconv"
	"time"

	. "github.com/resgen-go/resgen/runtime/internal/breaker"
)

// model is a breaker as the rules read: one thread, every outcome kept one by
// one, every judgement made anew.
type model struct {
	settings Settings
	external bool // a prober outside reports

	state    State
	since    time.Time
	stay     int // calls of other stays are strangers
	outcomes []outcome
	frozen   figures // shown while OPEN
	refused  uint64

	trialsOut int
	trialsIn  int       // of those that are out: came back after they were given up
	newest    time.Time // trial that is out or counted
	paced     time.Time // start of the newest trial that counted
	backed    time.Time // a trial that is out may run so long by its own timeout
	lostSince time.Time // settled although nobody has asked

	slowest time.Duration     // good call that came back after it was given up
	givenUp map[int]time.Time // by stay, the start of the newest trial

	atOnce      bool // the first tick of canaries need not wait
	pausedAt    time.Time
	failedTicks int
	failed      int // canaries of this tick
	canaryOut   bool
	canaryAt    time.Time
	canaryLimit time.Duration

	events []event
}

type outcome struct {
	at           time.Time
	failed, slow bool
	abandoned    bool // by its caller, when it was slow
}

type figures struct {
	calls, failures, slow uint64
	failureRate, slowRate float64
}

type event struct {
	from, to State
	by       string
	at       time.Time
	refused  uint64
	figures  figures
}

// call is one that was admitted, and the stay it belongs to.
type call struct{ stay int }

func newModel(settings Settings, external bool) *model {
	m := &model{settings: settings, external: external, stay: 1, since: time.Now(), frozen: noFigures, givenUp: map[int]time.Time{}}
	if c, ok := settings.(*Canary); ok && c.InitialState == "OPEN" {
		m.state = Open
		m.pausedAt = m.since
		_, m.atOnce = m.canaries()
	}
	return m
}

var noFigures = figures{failureRate: -1, slowRate: -1}

// window is the last calls or the last span; of the state's outcomes, those
// count.
func (m *model) window() (calls int, span time.Duration) {
	if m.state == HalfOpen {
		switch s := m.settings.(type) {
		case *Static:
			return s.SuccessThresholdCapacity, 0
		case *Consecutive:
			return s.SuccessThreshold, 0
		case *Canary:
			return s.PermittedNumberOfCallsInHalfOpenState, 0
		case *Paced:
			return s.PermittedNumberOfCallsInHalfOpenState, 0
		}
		return 0, 0
	}
	switch s := m.settings.(type) {
	case *Static:
		return s.FailureThresholdCapacity, 0
	case *Consecutive:
		return s.FailureThreshold, 0
	case *Canary:
		if s.SlidingWindowType == "TIME_BASED" {
			return 0, time.Duration(s.SlidingWindowSize) * time.Second
		}
		return s.SlidingWindowSize, 0
	case *Paced:
		return 0, s.SlidingWindowDuration
	}
	return 0, 0
}

func (m *model) minimum() int {
	switch s := m.settings.(type) {
	case *Canary:
		switch {
		case m.state == HalfOpen:
			return min(s.MinimumNumberOfCalls, s.PermittedNumberOfCallsInHalfOpenState)
		case s.SlidingWindowType == "TIME_BASED":
			return s.MinimumNumberOfCalls
		}
		return min(s.MinimumNumberOfCalls, s.SlidingWindowSize)
	case *Paced:
		if m.state != HalfOpen {
			return s.MinimumNumberOfCalls
		}
	}
	return 1
}

// delay is after how long time alone ends OPEN.
func (m *model) delay() (d time.Duration, ends bool) {
	switch s := m.settings.(type) {
	case *Static:
		return s.TestDelay, true
	case *Consecutive:
		return s.TestDelay, true
	case *Paced:
		return s.TestDelay, true
	case *Canary:
		if s.WaitDurationInOpenState == nil {
			return 0, false
		}
		return *s.WaitDurationInOpenState, true
	}
	return 0, true
}

// canaries are the settings of calls that serve as probes, if they do.
func (m *model) canaries() (*Canary, bool) {
	s, ok := m.settings.(*Canary)
	return s, ok && s.WaitDurationInOpenState == nil && !m.external
}

// longest is how long a trial is waited for.
func (m *model) longest() time.Duration { return max(m.longestSet(), m.slowest*3/2) }

func (m *model) longestSet() time.Duration {
	switch s := m.settings.(type) {
	case *Static:
		return s.MaxHalfOpenDuration
	case *Consecutive:
		return s.MaxHalfOpenDuration
	case *Canary:
		return s.MaxHalfOpenDuration
	case *Paced:
		return s.MaxHalfOpenDuration
	}
	return 0
}

func (m *model) counting() bool {
	return m.state == Closed || m.state == HalfOpen || m.state == MetricsOnly
}

// counted are the outcomes that are in the window now.
func (m *model) counted() []outcome {
	if !m.counting() {
		return nil
	}
	calls, span := m.window()
	if span == 0 {
		return m.outcomes[max(0, len(m.outcomes)-calls):]
	}
	var in []outcome
	for _, o := range m.outcomes {
		if time.Since(o.at) < span {
			in = append(in, o)
		}
	}
	return in
}

func (m *model) permitLeft() bool { return m.fits(1) }

// fits reports whether n more trials may be out at once.
func (m *model) fits(n int) bool {
	total, atATime, paced := 0, 0, false
	switch s := m.settings.(type) {
	case *Static:
		atATime = s.SuccessThresholdCapacity
	case *Consecutive:
		total = s.SuccessThreshold
	case *Canary:
		total = s.PermittedNumberOfCallsInHalfOpenState
	case *Paced:
		total, atATime, paced = s.PermittedNumberOfCallsInHalfOpenState, 1, s.TestDelay > 0
	}
	switch {
	case n == 1 && m.trialsOut == 0:
		return true
	case n > 1 && paced, atATime > 0 && m.trialsOut+n > atATime:
		return false
	}
	return total == 0 || m.trialsOut+n+len(m.counted()) <= total
}

// lostAt is when the trials that are out were lost.
func (m *model) lostAt() (at time.Time, lost bool) {
	switch {
	case m.state != HalfOpen || m.permitLeft():
		return at, false
	case !m.lostSince.IsZero():
		return m.lostSince, true
	}
	at = m.newest.Add(m.longest())
	if m.backed.After(at) {
		at = m.backed
	}
	return at, !time.Now().Before(at)
}

// present ends HALF_OPEN if its trials were lost.
func (m *model) present() {
	if at, lost := m.lostAt(); lost {
		m.giveUp(at, "")
	}
}

func (m *model) giveUp(at time.Time, by string) {
	m.givenUp[m.stay] = m.newest
	m.move(Open, at, by)
}

// returned learns from a call that was given up. What is given up stays so.
func (m *model) returned(began time.Time, result *outcome) {
	if result == nil || result.failed || result.abandoned || time.Since(began) <= m.slowest {
		return
	}
	m.giveUpCanary()
	if at, lost := m.lostAt(); lost {
		m.lostSince = at
	}
	m.slowest = time.Since(began)
}

// over is how long a call with a timeout of its own may run.
func over(limit time.Duration) time.Duration { return limit + limit/10 }

func (m *model) trialFree() bool {
	if m.state != HalfOpen || !m.permitLeft() {
		return false
	}
	return !time.Now().Before(m.pacedUntil())
}

// pacedUntil is until when the pace admits no trial.
func (m *model) pacedUntil() (until time.Time) {
	if s, paced := m.settings.(*Paced); paced && !m.newest.IsZero() {
		return m.newest.Add(s.TestDelay)
	}
	return until
}

// delayedUntil is when time alone ends OPEN.
func (m *model) delayedUntil() (at time.Time, ends bool) {
	delay, ends := m.delay()
	if m.state != Open || !ends {
		return at, false
	}
	return m.since.Add(delay), true
}

// retryAt is when a call that is refused may come again.
func (m *model) retryAt() time.Time {
	if at, lost := m.lostAt(); lost {
		ended := *m
		ended.events, ended.givenUp = nil, map[int]time.Time{}
		ended.giveUp(at, "")
		return ended.retryAt()
	}
	at, ends := m.delayedUntil()
	s, serve := m.canaries()
	switch {
	case ends:
		return at
	case m.state == Open && serve && !m.canaryOut:
		at = m.tickAt(s)
	case m.state == HalfOpen:
		at = m.pacedUntil()
	}
	if !at.After(time.Now()) {
		return time.Time{}
	}
	return at
}

// tickAt is when the next tick of canaries begins.
func (m *model) tickAt(s *Canary) time.Time {
	if m.atOnce {
		return m.pausedAt
	}
	pause, longest := s.ProbeInterval, s.ProbeBackoffMax
	if longest == s.ProbeInterval {
		longest = max(longest, 30*time.Second)
	}
	for range m.failedTicks - 1 {
		pause = min(2*pause, longest)
	}
	return m.pausedAt.Add(pause)
}

// giveUpCanary takes one that does not come back for failed.
func (m *model) giveUpCanary() {
	s, serve := m.canaries()
	if m.state != Open || !serve || !m.canaryOut {
		return
	}
	if lost := m.canaryLostAt(); !time.Now().Before(lost) {
		m.givenUp[m.stay] = m.canaryAt
		m.stay++
		m.canaryFailed(s, lost)
	}
}

func (m *model) canaryLostAt() time.Time {
	return m.canaryAt.Add(max(m.longest(), over(m.canaryLimit)))
}

func (m *model) canaryFailed(s *Canary, at time.Time) {
	m.canaryOut = false
	m.failed++
	if s.ProbesPerTick == nil || m.failed >= *s.ProbesPerTick {
		m.failed, m.atOnce = 0, false
		m.failedTicks++
		m.pausedAt = at
	}
}

func (m *model) canaryFree() bool {
	s, serve := m.canaries()
	return m.state == Open && serve && !m.canaryOut && !time.Now().Before(m.tickAt(s))
}

// admits says what admit would, of a copy.
func (m *model) admits() bool {
	copied := *m
	copied.givenUp = map[int]time.Time{}
	_, admitted := copied.admit(0)
	return admitted
}

func (m *model) admit(limit time.Duration) (call, bool) {
	m.present()
	if at, ends := m.delayedUntil(); ends && !time.Now().Before(at) {
		m.move(HalfOpen, time.Now(), "")
	}
	m.giveUpCanary()
	switch {
	case m.state == Closed || m.state == Disabled || m.state == MetricsOnly:
	case m.trialFree():
		m.trialsOut++
		m.newest = time.Now()
		if until := m.newest.Add(over(limit)); until.After(m.backed) {
			m.backed = until
		}
	case m.canaryFree():
		m.canaryOut, m.canaryAt, m.canaryLimit = true, time.Now(), limit
	default:
		return call{}, false
	}
	return call{m.stay}, true
}

// end takes the result of a call, nil for an ignored one.
func (m *model) end(c call, result *outcome) {
	if result != nil && result.abandoned && !m.judgesSlow() {
		result = nil
	}
	if c.stay != m.stay {
		if began, givenUp := m.givenUp[c.stay]; givenUp {
			m.returned(began, result)
		}
		return
	}
	switch m.state {
	case Open:
		m.endCanary(result)
		return
	case HalfOpen:
		if _, lost := m.lostAt(); lost {
			m.trialsIn++
			m.returned(m.newest, result)
			return
		}
		m.endTrial(result)
	}
	if result == nil || !m.counting() {
		return
	}
	result.at = time.Now()
	m.outcomes = append(m.outcomes, *result)
	if m.state != MetricsOnly {
		m.judge()
	}
}

func (m *model) judgesSlow() bool {
	s, ok := m.settings.(*Canary)
	return ok && s.SlowCallRateThreshold != nil
}

// endTrial takes a trial back, and the pace if it is ignored.
func (m *model) endTrial(result *outcome) {
	m.trialsOut--
	if result != nil {
		m.paced = m.newest
	}
	if m.trialsOut == 0 {
		m.newest, m.backed = m.paced, time.Time{}
	}
}

func (m *model) endCanary(result *outcome) {
	s, serve := m.canaries()
	switch {
	case !serve || !m.canaryOut:
	case !time.Now().Before(m.canaryLostAt()):
		m.returned(m.canaryAt, result)
	case result == nil:
		m.canaryOut = false
	case result.failed || result.abandoned:
		m.canaryFailed(s, time.Now())
	default:
		m.move(HalfOpen, time.Now(), "")
	}
}

func (m *model) report(err error) {
	m.present()
	if _, ok := m.settings.(*Canary); ok && m.state == Open && err == nil {
		m.move(HalfOpen, time.Now(), "")
	}
}

func (m *model) judge() {
	if to, decided := m.verdict(); decided {
		m.move(to, time.Now(), "")
	}
}

func (m *model) verdict() (to State, decided bool) {
	calls, failures, slow := count(m.counted())
	halfOpen := m.state == HalfOpen
	switch s := m.settings.(type) {
	case *Static:
		switch {
		case !halfOpen:
			return Open, failures >= s.FailureThreshold
		case calls-failures >= s.SuccessThreshold:
			return Closed, true
		}
		return Open, failures > s.SuccessThresholdCapacity-s.SuccessThreshold
	case *Consecutive:
		switch {
		case !halfOpen:
			return Open, failures == s.FailureThreshold
		case failures > 0:
			return Open, true
		}
		return Closed, calls >= s.SuccessThreshold
	case *Canary:
		switch {
		case calls < m.minimum():
			return 0, false
		case reaches(failures, calls, s.FailureRateThreshold):
			return Open, true
		case s.SlowCallRateThreshold != nil && reaches(slow, calls, *s.SlowCallRateThreshold):
			return Open, true
		}
		return Closed, halfOpen
	case *Paced:
		if !halfOpen {
			return Open, calls >= m.minimum() && reaches(failures, calls, s.FailureRateThreshold)
		}
		total := s.PermittedNumberOfCallsInHalfOpenState
		if reaches(calls-failures, total, s.SuccessRateThreshold) {
			return Closed, true
		}
		return Open, !reaches(total-failures, total, s.SuccessRateThreshold)
	}
	return Closed, halfOpen && !m.outcomes[len(m.outcomes)-1].failed
}

func count(outcomes []outcome) (calls, failures, slow int) {
	for _, o := range outcomes {
		calls++
		if o.failed {
			failures++
		}
		if o.slow {
			slow++
		}
	}
	return
}

// reaches compares without any rounding with the number that a person wrote.
func reaches(part, whole int, percent float64) bool {
	threshold, ok := new(big.Rat).SetString(strconv.FormatFloat(percent, 'g', -1, 64))
	if !ok {
		panic(percent)
	}
	return big.NewRat(int64(part)*100, int64(whole)).Cmp(threshold) >= 0
}

func (m *model) figures() figures {
	if !m.counting() {
		return m.frozen
	}
	calls, failures, slow := count(m.counted())
	f := figures{uint64(calls), uint64(failures), uint64(slow), -1, -1}
	if calls >= m.minimum() {
		f.failureRate = float64(failures*100) / float64(calls)
		f.slowRate = float64(slow*100) / float64(calls)
	}
	return f
}

func (m *model) move(to State, at time.Time, by string) {
	old := m.figures()
	m.events = append(m.events, event{m.state, to, by, at, m.refused, old})
	*m = model{
		settings: m.settings, external: m.external, events: m.events, slowest: m.slowest, givenUp: m.givenUp,
		state: to, since: at, stay: m.stay + 1, frozen: noFigures, pausedAt: at,
	}
	if to == Open || to == ForcedOpen {
		m.frozen = old
	}
}

func (m *model) trip(by string) {
	if m.state == Open || m.state == ForcedOpen {
		return
	}
	if at, lost := m.lostAt(); lost {
		m.giveUp(at, by)
	} else {
		m.move(Open, time.Now(), by)
	}
}

func (m *model) force(to State, by string) {
	if m.state != to || to == Closed {
		m.move(to, time.Now(), by)
	}
}

// reconfigure keeps what both windows hold. A window of calls does not know
// times.
func (m *model) reconfigure(settings Settings) {
	m.present()
	_, hadCanaries := m.canaries()
	kept := m.counted()
	_, oldSpan := m.window()
	m.settings = settings
	_, newSpan := m.window()
	if oldSpan == 0 && newSpan > 0 {
		for i := range kept {
			kept[i].at = time.Now()
		}
	}
	m.outcomes = kept
	m.outcomes = append([]outcome(nil), m.counted()...)
	if _, serve := m.canaries(); m.state == Open && hadCanaries && !serve {
		m.stay++
		m.atOnce, m.canaryOut, m.failed, m.failedTicks, m.pausedAt = false, false, 0, 0, m.since
	}
}

package fleet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/sharing"
	"github.com/resgen-go/resgen/runtime/internal/sharing/rule"
)

// member is one shared breaker of this process. It is changed by step and by
// nothing else.
type member struct {
	name, process string
	rule          rule.Settings // as this process has them
	flush         time.Duration // pause between two reports while calls fail
	window        window
	sharing       phase
	since         time.Time // when it was shared
	parted        time.Time // when it left
	linked        bool      // the last exchange brought a view
	now           time.Time // of the last step

	last          rule.View // the last one
	viewed        time.Time
	told          int64 // highest change that observers were told of
	ended, outage int64
	retryAt       time.Time
	handUntil     time.Time // zero: no end is known
	rules         string    // that were warned of

	vote     bool
	reported report
	asap     bool      // an exchange is due now
	againAt  time.Time // zero: none is
	failedAt time.Time // of the last exchange, if it failed

	permit   int64 // trial that this process may make
	started  bool  // a call makes it
	unusedAt time.Time
	permitAt time.Time // when the permit is void
	trial    rule.Trial
	want     bool
	backoff  time.Duration

	ramping bool
	rampAt  time.Time
	share   int64
	localAt time.Time // trial without the store; zero: none
	local   int64     // that were good
	actions []action
	order   *rule.Hand
	ordered []chan<- error
}

// phase says whether a breaker is shared.
type phase uint8

const (
	left    phase = iota
	leaving       // something is to be handed in
	joined
)

// report is what the store was told last.
type report struct {
	at              time.Time // zero: nothing
	calls, failures int64
	young           bool
}

// event is what a member takes in.
type event interface{}

type (
	counted   struct{ calls, failures int64 } // since the last time
	voted     struct{ open bool }
	waits     struct{ outage int64 } // a call, for a trial
	begun     struct{ outage int64 } // the trial
	trialOver struct {
		outage int64
		result rule.Result
	}
	declined struct{ outage int64 } // the trial: a state was set by hand
	changed  struct{ number int64 } // elsewhere; 0: perhaps
	answered struct{ Answer }
	lost     struct{ err error }
	join     struct {
		rule  rule.Settings
		flush time.Duration
	}
	leave   struct{}
	moved   struct{} // to another fleet
	ordered struct {
		hand rule.Hand
		done chan<- error
	}
	tick struct{}
)

// action is what is to be done for a member.
type action interface{}

type (
	hold struct {
		outage int64
		until  time.Time // zero: not known
		why    string
	}
	permit  struct{ outage int64 }
	ramp    struct{ share int64 }
	release struct{ why string }
	warn    struct{ text string }
)

// step takes an event in and says what is to be done.
func (m *member) step(e event, now time.Time) []action {
	m.now, m.actions = now, nil
	switch e := e.(type) {
	case counted:
		if m.outage == 0 && m.last.Hand.Word != rule.Off {
			m.window.add(now, e.calls, e.failures)
		}
	case voted:
		m.asap = m.asap || m.vote != e.open && m.outage == 0
		m.vote = e.open
	case waits:
		if e.outage == m.outage && m.linked && m.permit == 0 {
			m.want, m.asap = true, true
		}
	case begun:
		m.started = m.started || e.outage == m.outage
	case trialOver:
		m.trialEnded(e)
	case declined:
		if e.outage == m.outage {
			m.giveBack()
		}
	case changed:
		m.asap = m.asap || e.number == 0 || e.number > m.last.Change || m.last.Calm
	case answered:
		m.answer(e.Answer)
	case lost:
		m.lose()
	case join:
		m.join(e.rule)
		m.flush = e.flush
	case leave:
		m.leave()
	case moved:
		m.forget()
	case ordered:
		m.order, m.asap = &e.hand, true
		m.ordered = append(m.ordered, e.done)
	case tick:
		m.tick()
	}
	return m.actions
}

func (m *member) do(a action) { m.actions = append(m.actions, a) }

func (m *member) join(r rule.Settings) {
	news := m.sharing != joined || m.rule != r
	if m.sharing != joined {
		m.since = m.now
	}
	m.rule, m.sharing = r, joined
	m.asap = m.asap || news
	m.spread()
}

func (m *member) leave() {
	if m.sharing != joined {
		return
	}
	m.sharing, m.asap, m.parted = leaving, true, m.now
	m.giveBack()
	m.letGo("the breaker is not shared any more")
}

// letGo makes the breaker the process's own.
func (m *member) letGo(why string) {
	if m.outage != 0 || m.ramping {
		m.do(release{why})
	}
	m.outage, m.ramping, m.localAt, m.permit = 0, false, time.Time{}, 0
}

// forget is for another fleet, whose numbers are others.
func (m *member) forget() {
	m.letGo("the breaker is shared with other processes now")
	m.last, m.ended, m.told, m.trial, m.rules = rule.View{}, 0, 0, rule.Trial{}, ""
}

// spread makes the window as long as that of the rule in force, so that nobody
// misses what others count.
func (m *member) spread() {
	m.window.span = milliseconds(max(m.rule.Window, m.inForce().Window))
}

// inForce are the settings of most processes.
func (m *member) inForce() rule.Settings {
	for _, kind := range rule.Kinds(m.last.Rules) {
		return kind.Settings
	}
	return m.rule
}

// input is what to tell the store.
func (m *member) input() rule.Input {
	in := rule.Input{
		Process: m.process, Rule: m.rule, Told: m.told, Ended: m.ended, Outage: m.outage,
		RetryIn: max(m.retryAt.Sub(m.now).Milliseconds(), 0), Trial: m.trial, Want: m.want, Order: m.order, Known: m.last.Hand,
	}
	if in.Known.For = 0; !m.handUntil.IsZero() {
		in.Known.For = max(m.handUntil.Sub(m.now).Milliseconds(), 1)
	}
	m.told = max(m.told, 1)
	in.Calls, in.Failures = m.window.sum(m.now)
	switch {
	case m.sharing != joined:
		in.Vote = rule.Left
	case m.vote:
		in.Vote = rule.Open
	case in.Calls == 0 && m.now.Before(m.grownUp()):
		in.Vote = rule.Young
	}
	m.reported = report{m.now, in.Calls, in.Failures, in.Vote == rule.Young}
	m.asap, m.againAt = false, time.Time{}
	return in
}

// grownUp is when others no longer wait for the first calls of this process.
func (m *member) grownUp() time.Time {
	_, sums := m.inForce().Settle()
	return m.since.Add(milliseconds(sums))
}

// dueAt is when the member has something to tell the store; zero: not for now.
// In an outage it asks now and then, so that a server that lost it has it again.
func (m *member) dueAt(flushAt time.Time, interval time.Duration) (at time.Time) {
	switch {
	case m.sharing == left:
		return at
	case !m.failedAt.IsZero():
		return m.failedAt
	case m.asap || m.reported.at.IsZero():
		return m.now
	}
	at = m.againAt
	if m.reported.young {
		at = earliest(at, m.grownUp())
	}
	calls, failures := m.window.sum(m.now)
	switch {
	case m.outage != 0 || m.last.Hand.Word == rule.Off:
		at = earliest(at, m.reported.at.Add(interval))
	case m.vote, failures > m.reported.failures, !m.last.Calm && (calls != m.reported.calls || failures != m.reported.failures):
		at = earliest(at, flushAt)
	case calls > 0 && m.reported.calls == 0:
		at = earliest(at, flushAt)
	case calls != m.reported.calls:
		at = earliest(at, m.reported.at.Add(m.window.span/2))
	}
	return at
}

// earliest is the earlier moment; zero is none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// answer takes a view in.
func (m *member) answer(a Answer) {
	v := a.View
	m.linked, m.failedAt, m.trial = true, time.Time{}, rule.Trial{}
	wanted := m.want
	m.want, m.order = false, nil
	for _, done := range m.ordered {
		done <- nil
	}
	m.ordered = nil
	m.told = max(m.told, v.Change, 1)
	if m.told > v.Now+rule.Horizon {
		m.told = v.Change // of a store whose clock is far ahead of this one's
	}
	m.last, m.viewed = v, m.now
	m.last.Events = nil
	m.retryAt, m.handUntil = m.now.Add(milliseconds(v.RetryIn)), time.Time{}
	if v.Hand.For > 0 {
		m.handUntil = m.now.Add(milliseconds(v.Hand.For))
	}
	if v.Again > 0 {
		again := milliseconds(v.Again) + rand.N(20*time.Millisecond)
		if !m.vote { // a report that is due anyway will do
			again = max(again, m.flush+m.flush/4)
		}
		m.againAt = m.now.Add(again)
	}
	m.announce(v.Events)
	m.compare(v.Rules)
	m.remember(v)
	if m.sharing != joined {
		m.sharing = left
		return
	}
	m.follow(v, wanted)
}

// announce tells of the changes that this process made.
func (m *member) announce(events []rule.Event) {
	for _, e := range events {
		var what sharing.Change
		if what.UnmarshalText([]byte(e.What)) == nil {
			m.do(sharing.Outage{Breaker: m.name, Change: what, At: time.UnixMilli(e.N), Reason: e.Reason})
		}
	}
}

// compare warns, once, of settings that are not alike in all processes.
func (m *member) compare(rules string) {
	kinds := rule.Kinds(rules)
	m.spread()
	differ := ""
	if len(kinds) > 1 {
		_, differ = cutCount(kinds)
	}
	if differ == m.rules {
		return
	}
	m.rules = differ
	names := rule.Names
	for _, other := range kinds[min(1, len(kinds)):] {
		in, theirs := kinds[0].Values(), other.Values()
		for i, name := range names {
			if in[i] != theirs[i] {
				m.do(warn{fmt.Sprintf("breakers.%s: %s is %s in %d processes and %s in %d: the former holds, because most have it",
					m.name, name, valueOf(name, in[i]), kinds[0].Processes, valueOf(name, theirs[i]), other.Processes)})
			}
		}
	}
}

// cutCount are settings without how many have them.
func cutCount(kinds []rule.Kind) (n int, texts string) {
	for _, k := range kinds {
		texts += k.Settings.String() + ";"
	}
	return len(kinds), texts
}

// valueOf writes a value of the rule as users do.
func valueOf(name string, v float64) string {
	switch name {
	case "outageWindow", "secondsBeforeRetry", "trialTimeout", "rampInterval":
		return milliseconds(int64(v)).String()
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// remember keeps the highest outage that ended. What was counted before counts
// no more.
func (m *member) remember(v rule.View) {
	if m.ended > v.Now+rule.Horizon {
		m.ended = 0 // of a store whose clock is far ahead of this one's
	}
	if v.Ended > m.ended {
		m.window.buckets = nil
	}
	m.ended = max(m.ended, v.Ended)
}

// follow does what all processes do.
func (m *member) follow(v rule.View, wanted bool) {
	switch {
	case v.Hand.Word == rule.Off:
		m.letGo("sharing is off by hand: " + v.Hand.By)
	case v.Outage > m.ended:
		m.holdOn(v, wanted)
	case m.outage != 0 && v.Ended < m.outage:
		m.letGo("the store has lost the outage")
	case m.outage != 0 || m.ramping:
		m.recover(v)
	}
}

// holdOn follows into an outage, or goes on in it.
func (m *member) holdOn(v rule.View, wanted bool) {
	why := "outage of all processes: " + v.Reason
	if v.Outage != m.outage {
		m.permit, m.window.buckets = 0, nil
		m.do(hold{v.Outage, m.retryAt, why}) // also before a trial: the breaker may have closed while the store was away
	}
	m.outage, m.ramping, m.localAt, m.local = v.Outage, false, time.Time{}, 0
	if v.Permit != 0 {
		m.backoff = 0
		if v.Permit != m.permit {
			m.permit, m.started = v.Permit, false
			m.unusedAt = m.now.Add(max(m.trialTime()/10, 10*time.Millisecond))
			m.do(permit{v.Outage})
		}
		m.permitAt = m.now.Add(milliseconds(v.PermitFor))
		return
	}
	m.permit = 0
	until := m.retryAt
	switch {
	case v.Hand.Word == rule.Force:
		until = m.handUntil
	case wanted && v.RetryIn == 0:
		m.backoff = min(max(2*m.backoff, 50*time.Millisecond), time.Second)
		until = m.now.Add(m.backoff/2 + rand.N(m.backoff))
	}
	m.do(hold{v.Outage, until, why})
}

func (m *member) trialTime() time.Duration { return milliseconds(m.inForce().Trial) }

// recover lets calls back in after an outage.
func (m *member) recover(v rule.View) {
	m.outage, m.permit, m.vote = 0, 0, m.vote && m.ramping
	m.rampAt, m.ramping = m.now.Add(-milliseconds(v.RampFor)), true
	if v.RampFor < 0 {
		m.rampAt = m.now.Add(-1000 * time.Hour)
	}
	m.share = 0
	m.climb()
}

// climb admits the share of the calls that is due.
func (m *member) climb() {
	share := rule.Share(m.now.Sub(m.rampAt).Milliseconds(), max(m.inForce().Ramp, 1), m.last.Top)
	if share == m.share {
		return
	}
	m.share, m.ramping = share, share < 1000
	m.do(ramp{share})
}

// tick does what time alone makes due.
func (m *member) tick() {
	if m.ramping {
		m.climb()
	}
	switch {
	case m.permit == 0:
	case !m.now.Before(m.permitAt):
		m.permit, m.want, m.asap = 0, false, true
		m.do(hold{m.outage, m.retryAt, "the trial did not come back in time"})
	case !m.started && !m.now.Before(m.unusedAt):
		m.giveBack()
		m.do(hold{m.outage, m.now, "no call made the trial"})
	}
	if !m.localAt.IsZero() && !m.now.Before(m.localAt) {
		m.localAt = time.Time{}
		m.do(permit{m.outage})
	}
}

// giveBack returns a trial that no call made.
func (m *member) giveBack() {
	if m.permit != 0 && !m.started {
		m.trial = rule.Trial{Outage: m.outage, ID: m.permit, Result: rule.Unused}
		m.permit, m.asap = 0, true
	}
}

func (m *member) trialEnded(e trialOver) {
	switch {
	case e.outage != m.outage:
	case m.permit != 0:
		m.trial = rule.Trial{Outage: m.outage, ID: m.permit, Result: e.result}
		m.permit, m.want, m.asap = 0, true, true
		if !m.linked {
			m.await()
		}
	case !m.linked:
		m.judgeAlone(e.result)
	}
}

// judgeAlone takes the result of a trial that this process made while the store
// is away. Others have not ended the outage for that.
func (m *member) judgeAlone(result rule.Result) {
	switch {
	case result == rule.Good:
		if m.local++; m.local >= m.inForce().Good {
			m.outage = 0
			m.do(ramp{1000})
			return
		}
		m.do(permit{m.outage})
	case result == rule.Bad:
		m.local = 0
		m.retryAt = m.now.Add(milliseconds(m.inForce().Retry) / 2)
		m.await()
	default:
		m.do(permit{m.outage})
	}
}

// await holds the breaker until a trial without the store is due: at a moment of
// chance, so that not all processes try at once.
func (m *member) await() {
	retry := max(milliseconds(m.inForce().Retry), 100*time.Millisecond)
	if m.retryAt.Before(m.now) {
		m.retryAt = m.now
	}
	m.localAt = m.retryAt.Add(rand.N(retry))
	if m.last.Hand.Word == rule.Force {
		m.localAt = m.handUntil
	}
	m.do(hold{m.outage, m.localAt, "outage of all processes: " + m.last.Reason})
}

// lose is an exchange that failed. A known outage holds on.
func (m *member) lose() {
	wasLinked := m.linked
	m.linked = false
	if m.sharing == leaving && m.now.Sub(m.parted) > m.window.span {
		m.sharing = left
	}
	if m.outage != 0 && wasLinked && m.permit == 0 {
		m.await()
	}
}

// nextTick is when tick has something to do; zero: not for now.
func (m *member) nextTick() (at time.Time) {
	if m.ramping {
		interval := max(milliseconds(m.inForce().Ramp), time.Millisecond)
		at = m.rampAt.Add((m.now.Sub(m.rampAt)/interval + 1) * interval)
	}
	if m.permit != 0 {
		at = earliest(at, m.permitAt)
		if !m.started {
			at = earliest(at, m.unusedAt)
		}
	}
	return earliest(at, m.localAt)
}

func milliseconds(n int64) time.Duration {
	return time.Duration(min(n, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
}

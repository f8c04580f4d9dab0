package fleet

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
	"github.com/resgen-go/resgen/runtime/internal/sharing"
)

// pause is how long a store that failed is left alone.
const pause = time.Second

// shortestLife is how long a process counts as alive at least after an exchange.
const shortestLife = 10 * time.Second

// worker is the goroutine of a fleet. It alone changes members and the store.
type worker struct {
	fleet    *Fleet
	settings *sharedstate.Settings
	ctx      context.Context // ends all exchanges at once
	closing  chan struct{}   // closed to end the worker
	done     chan struct{}   // closed when it has

	all       map[string]*shared
	store     Store // nil: none
	stop      func()
	listeners sync.WaitGroup
	connectAt time.Time
	collectAt time.Time
	flushAt   time.Time
	askedAt   time.Time // of the last exchange
	link      linkState
}

// shared is a member with its breaker.
type shared struct {
	member
	core            *breaker.Breaker
	own             breaker.Fleet
	calls, failures uint64          // that are counted already
	link            linkState       // as observers were told
	dropped         map[string]bool // complaints that they were told
}

// linkState is what observers were told last.
type linkState uint8

const (
	untold linkState = iota
	up
	down
)

func (w *worker) work() {
	defer close(w.done)
	defer w.disconnect()
	for {
		next := time.NewTimer(max(time.Until(w.step()), 0))
		select {
		case <-w.closing:
			next.Stop()
			w.finish()
			return
		case <-w.fleet.wake:
			next.Stop()
		case <-next.C:
		}
	}
}

// step does all that is due, and says when something will be.
func (w *worker) step() (next time.Time) {
	now := time.Now()
	w.adopt(now)
	w.takeIn(now)
	w.collect(now)
	for _, m := range w.all {
		w.apply(m, tick{}, now)
	}
	if !w.busy() {
		w.disconnect()
		w.rest()
		return now.Add(time.Hour)
	}
	if w.store == nil && !now.Before(w.connectAt) {
		w.connect()
	}
	if w.store != nil {
		w.exchange(time.Now())
	}
	w.forget()
	w.publish()
	return w.nextAt()
}

// forget drops members that have left, so that instances that come and go leave
// nothing behind.
func (w *worker) forget() {
	for name, m := range w.all {
		if m.sharing == left {
			delete(w.all, name)
			w.fleet.forget(name)
		}
	}
}

// nextAt is when the worker has something to do.
func (w *worker) nextAt() time.Time {
	next := w.collectAt
	for _, m := range w.all {
		next = earliest(next, m.nextTick())
		if w.store != nil {
			next = earliest(next, m.dueAt(w.flushAt, w.interval()))
		}
	}
	if w.store == nil {
		return earliest(next, w.connectAt)
	}
	return earliest(next, w.askedAt.Add(w.interval()))
}

func (w *worker) busy() bool {
	for _, m := range w.all {
		if m.sharing != left {
			return true
		}
	}
	return false
}

// apply lets a member take an event in, and does what it says.
func (w *worker) apply(m *shared, e event, now time.Time) {
	for _, a := range m.step(e, now) {
		switch a := a.(type) {
		case hold:
			m.core.Hold(uint64(a.outage), instant(a.until), a.why)
		case permit:
			if !m.core.Permit(uint64(a.outage), "this process may make a trial for all") {
				w.fleet.post(m.name, declined(a))
			}
		case ramp:
			m.core.Ramp(float64(a.share)/1000, "the outage of all processes ended: "+m.last.Reason)
			if a.share >= 1000 || a.share <= 100 {
				m.calls, m.failures = m.core.Totals()
			}
		case release:
			m.core.Release(a.why)
		case warn:
			w.fleet.hooks.Warn(a.text)
		case sharing.Outage:
			w.fleet.hooks.Outage(a)
		}
	}
}

// instant is a moment on the clock of breakers; never where it is not known.
func instant(t time.Time) breaker.Instant {
	if t.IsZero() {
		return breaker.Never
	}
	return breaker.Now().Add(time.Until(t))
}

// adopt puts changed settings in force.
func (w *worker) adopt(now time.Time) {
	s := w.fleet.inForce()
	if s == w.settings {
		return
	}
	if !samePlace(s, w.settings) {
		w.disconnect()
		w.connectAt = now
		for _, m := range w.all {
			if s.Prefix() != w.settings.Prefix() {
				w.apply(m, moved{}, now)
			}
			w.apply(m, lost{}, now)
			m.asap = true
		}
	}
	w.settings = s
	w.collectAt, w.flushAt = now, now
	w.fleet.rejoin()
}

// takeIn hands events to the members.
func (w *worker) takeIn(now time.Time) {
	for _, l := range w.fleet.letters() {
		m := w.all[l.breaker]
		switch e := l.event.(type) {
		case enlist:
			if m == nil {
				m = &shared{member: member{name: l.breaker, process: w.fleet.process}, core: e.core, dropped: map[string]bool{}}
				w.all[l.breaker] = m
			}
			m.own = e.own
			if m.sharing != joined || m.core != e.core {
				m.core = e.core // another one, if an instance was made anew
				m.calls, m.failures = e.calls, e.failures
			}
			w.apply(m, join{ruleOf(w.settings, e.own, e.core.Budget()), w.settings.FlushInterval}, now)
		default:
			if m != nil {
				if _, parts := e.(leave); parts {
					w.count(m, now)
				}
				w.apply(m, e, now)
			}
		}
	}
}

func (w *worker) count(m *shared, now time.Time) {
	calls, failures := m.core.Totals()
	newCalls, newFailures := calls-m.calls, failures-m.failures
	m.calls, m.failures = calls, failures
	if m.sharing == joined && newCalls > 0 {
		rate := 1.0
		if w.settings.Recording == "SAMPLED" {
			rate = w.settings.SuccessSampleRate
		}
		w.apply(m, counted{sample(newCalls-newFailures, rate) + int64(newFailures), int64(newFailures)}, now)
	}
}

// collect counts what came since the last time: for each flush, and for each
// bucket where flushes are rarer.
func (w *worker) collect(now time.Time) {
	flush := w.settings.FlushInterval
	if w.flushAt.IsZero() {
		w.flushAt = now.Add(rand.N(flush)) // processes that start together don't flush together
	}
	if now.Before(w.collectAt) && now.Before(w.flushAt) {
		return
	}
	for _, m := range w.all {
		w.count(m, now)
	}
	w.collectAt = now.Add(min(flush, w.settings.OutageWindow/buckets))
}

func (w *worker) connect() {
	store, err := w.fleet.backend.Connect(w.ctx, w.settings)
	if err != nil {
		w.connectAt = time.Now().Add(pause/2 + rand.N(pause))
		w.fail(err)
		return
	}
	ctx, cancel := context.WithCancel(w.ctx)
	w.store, w.stop = store, cancel
	w.listeners.Go(func() { w.fleet.listen(ctx, store) })
	for _, m := range w.all {
		m.asap, m.failedAt = true, time.Time{}
	}
}

func (w *worker) disconnect() {
	if w.store == nil {
		return
	}
	w.stop()
	w.store.Close()
	w.listeners.Wait()
	w.store = nil
}

// interval is how often to ask for changes, and to show that the process lives.
func (w *worker) interval() time.Duration {
	if every := w.settings.OutageCheckInterval; every > 0 {
		return every
	}
	return usual.OutageCheckInterval
}

// exchange asks what is due and takes the answers in.
func (w *worker) exchange(now time.Time) {
	var due []*shared
	for _, m := range w.all {
		if at := m.dueAt(w.flushAt, w.interval()); !at.IsZero() && !at.After(now) {
			due = append(due, m)
		}
	}
	for !w.flushAt.After(now) {
		w.flushAt = w.flushAt.Add(max(w.settings.FlushInterval, now.Sub(w.flushAt)))
	}
	if len(due) == 0 && now.Before(w.askedAt.Add(w.interval())) {
		return
	}
	w.ask(due, max(3*w.interval(), 3*w.settings.FlushInterval, shortestLife), now)
}

func (w *worker) ask(due []*shared, alive time.Duration, now time.Time) {
	slices.SortFunc(due, func(a, b *shared) int { return strings.Compare(a.name, b.name) })
	request := Request{Process: w.fleet.process, Alive: alive}
	for _, m := range due {
		w.count(m, now)
		m.now = now
		request.Inputs = append(request.Inputs, Input{m.name, m.input()})
	}
	ctx, cancel := context.WithTimeout(w.ctx, w.settings.Timeout)
	defer cancel()
	response, err := w.store.Exchange(ctx, request)
	w.askedAt = time.Now()
	if err != nil {
		w.broken(due, err)
		return
	}
	w.tell(&w.link, "", nil)
	for _, name := range response.Changed {
		if m := w.all[name]; m != nil && !slices.Contains(due, m) {
			w.apply(m, changed{}, w.askedAt)
		}
	}
	for i, answer := range response.Answers {
		w.answer(due[i], answer)
	}
}

// answer hands an answer to its member, and tells observers of one that is none.
func (w *worker) answer(m *shared, answer Answer) {
	if answer.Err != nil {
		w.apply(m, lost{answer.Err}, w.askedAt)
		m.asap = true
		m.failedAt = w.askedAt.Add(pause/2 + rand.N(pause))
		w.tell(&m.link, m.name, answer.Err)
		return
	}
	if m.link == down {
		w.tell(&m.link, m.name, nil)
	}
	w.apply(m, answered{answer}, w.askedAt)
	if text := answer.Dropped; text != "" && !m.dropped[text] && len(m.dropped) < 20 {
		m.dropped[text] = true
		m.link = up
		w.tell(&m.link, m.name, fmt.Errorf("the server refused a part of a change, or something was dropped that is no state of a breaker: %s", text))
		w.tell(&m.link, m.name, nil)
	}
}

// broken takes an exchange that failed as a whole. What was to be told is told
// again.
func (w *worker) broken(due []*shared, err error) {
	if w.ctx.Err() != nil {
		return
	}
	w.fail(err)
	for _, m := range due {
		m.asap = true
	}
	w.disconnect()
	w.connectAt = w.askedAt.Add(pause/2 + rand.N(pause))
	if errors.Is(err, ErrWrongServer) {
		w.connectAt = w.askedAt.Add(pause/10 + rand.N(pause/2))
	}
}

// fail loses the link of all members.
func (w *worker) fail(err error) {
	for _, m := range w.all {
		w.apply(m, lost{err}, time.Now())
	}
	w.tell(&w.link, "", err)
}

// tell tells observers once that a link is lost, with the store's address, and
// once that it is back.
func (w *worker) tell(told *linkState, name string, trouble error) {
	state := up
	if trouble != nil {
		state = down
	}
	if *told == state || w.ctx.Err() != nil {
		return
	}
	*told = state
	if place := w.fleet.backend.Place(w.settings); trouble != nil && place != "" {
		trouble = fmt.Errorf("link to Redis at %s: %w", place, trouble)
	}
	w.fleet.hooks.Link(sharing.Link{At: time.Now(), Breaker: name, Err: trouble})
}

// rest tells that nothing is shared for now, so that there is no link.
func (w *worker) rest() {
	if w.link != untold {
		w.link = untold
		w.fleet.hooks.Rest()
	}
}

// finish hands in what was counted, and trials that no call made, before the
// process goes.
func (w *worker) finish() {
	now := time.Now()
	w.takeIn(now)
	var all []*shared
	for _, m := range w.all {
		if m.sharing == left {
			continue
		}
		w.count(m, now)
		m.now = now
		m.giveBack()
		all = append(all, m)
	}
	if w.store != nil && len(all) > 0 {
		w.ask(all, 0, now)
	}
}

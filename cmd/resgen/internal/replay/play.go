// Package replay plays recorded calls against settings. The guards are those of the
// runtime, all of them, in the fake time of testing/synctest: an hour passes as fast as
// its calls can be made. Only the dependency is played: a call takes as long and ends as
// it did when it was recorded.
package replay

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resgen-go/resgen/internal/trace"
	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/settingsfile"
)

// Settings are those that a trace is played against.
type Settings struct {
	Name string
	Text []byte
}

// fate is what came of a call.
type fate struct {
	refused resilience.Kind // 0: it was made
	by      string          // the guard that refused, without its instance
	outcome trace.Outcome
	absent  bool // it did not come: its entry was refused, or its caller had gone
}

func (f fate) made() bool { return f.refused == 0 && !f.absent }

// bad reports whether the call failed at the dependency.
func (f fate) bad() bool {
	return f.made() && (f.outcome == trace.Failure || f.outcome == trace.TimedOut)
}

// change is a breaker's change of state.
type change struct {
	at       time.Duration
	breaker  string // with its instance
	from, to resilience.State
}

// play is a trace under one setting.
type play struct {
	*score
	settings *settingsfile.File
	hopeful  bool // calls that were never made would have gone well

	registry *resilience.Registry
	guards   []*resilience.Guard
	patient  []bool // by method: its calls may wait
	probed   bool   // some breaker has a probe
	began    time.Time
	events   timetable
	live     map[int32]*call
	waiting  int

	mu      sync.Mutex
	settled []*call       // that are admitted or refused, after a wait or without
	idle    []chan *call  // of goroutines that are there to begin calls
	news    chan struct{} // something is settled

	fates   []fate
	ghosts  []ghost
	made    int // ghosts, so far
	usage   usage
	unknown int                         // calls of which nobody knows how they would have ended
	guessed atomic.Bool                 // some have a guessed end, with the ghosts
	first   map[string]resilience.State // of breakers, at the beginning
	changes []change
	missing []string // names that the settings lack
}

// maxGhosts is how many ghosts there are at most for each call of a trace: many more than
// there would be of a service, because those of one entry can be as many as one likes.
const maxGhosts = 50

// ghost is a call under an entry that was refused when it was recorded, and is made now:
// it comes as one did under another such entry, and nobody knows how it would have ended.
type ghost struct {
	fate
	like int32
	at   time.Duration
}

// call is one on its way.
type call struct {
	resilience.Call
	index  int32 // of a ghost, that of the call that it is like
	ghost  bool
	entry  int32 // around it; -1: none
	from   source
	err    error
	ctx    context.Context
	cancel context.CancelFunc
	at     time.Duration // it was admitted
	end    fate
	limit  bool // it ends by its timeout
}

// event is the begin of a call or its end.
type event struct {
	at    time.Duration
	order int64 // of those at the same time
	index int32
	of    *call // at its end; at its begin nil, unless it is a ghost
}

func (e event) before(f event) bool { return e.at < f.at || e.at == f.at && e.order < f.order }

// timetable is a heap.
type timetable []event

func (t timetable) Len() int           { return len(t) }
func (t timetable) Less(i, j int) bool { return t[i].before(t[j]) }
func (t timetable) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *timetable) Push(e any)        { *t = append(*t, e.(event)) }
func (t *timetable) Pop() any {
	last := len(*t) - 1
	e := (*t)[last]
	*t = (*t)[:last]
	return e
}

// inFakeTime runs f in a bubble of testing/synctest, where time passes only while
// everything waits, and then at once. A bubble wants a *testing.T to report failures
// to. A program has none, and nothing here fails through it, so an empty one will do.
func inFakeTime(f func()) {
	synctest.Test(new(testing.T), func(*testing.T) { f() })
}

// newPlay plays a trace.
func newPlay(s *score, settings Settings, hopeful bool) (p *play, err error) {
	p = &play{
		score: s, hopeful: hopeful, live: map[int32]*call{},
		fates: make([]fate, len(s.trace.Calls)), usage: newUsage(s),
	}
	if p.settings, err = settingsfile.Parse(settings.Name, settings.Text); err != nil {
		return nil, err
	}
	inFakeTime(func() { err = p.run(settings) })
	return p, err
}

func (p *play) run(settings Settings) (err error) {
	p.registry, err = resilience.New(resilience.Settings(settings.Name, settings.Text), resilience.Logger(nil))
	if err != nil {
		return err
	}
	defer p.registry.Close()
	p.news = make(chan struct{}, 1) // of the bubble
	p.began = time.Now()
	p.registry.Observe(resilience.ObserverFunc(p.observe))
	if err := p.wire(); err != nil {
		return err
	}
	p.first = p.states()
	defer p.dismiss()
	next := 0
	for next < len(p.top) || len(p.events) > 0 || p.waiting > 0 {
		switch {
		case next < len(p.top) && (len(p.events) == 0 || p.top[next].before(p.events[0])):
			if p.sleep(p.top[next].at) {
				p.happen(p.top[next])
				next++
			}
		case len(p.events) > 0:
			if p.sleep(p.events[0].at) {
				p.happen(heap.Pop(&p.events).(event))
			}
		default:
			<-p.news
			p.settle()
		}
	}
	return nil
}

// dismiss ends the goroutines that begin calls.
func (p *play) dismiss() {
	for _, calls := range p.idle {
		close(calls)
	}
}

// states are those of the breakers.
func (p *play) states() map[string]resilience.State {
	all := map[string]resilience.State{}
	for _, name := range p.named("breaker") {
		if b, err := p.registry.Breaker(name); err == nil {
			all[name] = b.State()
		}
	}
	return all
}

// observe notes changes. It runs while the play waits for it.
func (p *play) observe(e resilience.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := e.(type) {
	case resilience.Transition:
		p.changes = append(p.changes, change{e.At.Sub(p.began), e.Breaker, e.From, e.To})
	case resilience.UnknownName:
		p.missing = append(p.missing, e.Section+"."+e.Name)
	}
}

// wire makes the guards of all methods.
func (p *play) wire() error {
	for _, m := range p.trace.Methods {
		name := m.Name
		iface, method := "", name
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			iface, method = name[:i], name[i+1:]
		}
		var options []resilience.WrapperOption
		if m.Instance != "" {
			options = append(options, resilience.Instance(m.Instance))
		}
		wiring, err := resilience.Wire[any](p.registry, "trace", iface, p, options...)
		if err != nil {
			return err
		}
		p.guards = append(p.guards, wiring.Guard(method, guardsOf(&m)))
		if m.Traits&trace.Probed != 0 && !p.hasProbe(m.Breaker, m.Instance) {
			p.probed = true
			wiring.Probe(m.Breaker, p.probe(m.Breaker))
		}
		if err := wiring.Done(); err != nil {
			return err
		}
		p.patient = append(p.patient, p.waits(&m))
	}
	return nil
}

// hasProbe reports whether a method before has given the breaker its probe.
func (p *play) hasProbe(breaker, instance string) bool {
	return slices.ContainsFunc(p.trace.Methods[:len(p.guards)-1], func(m trace.Method) bool {
		return m.Breaker == breaker && m.Instance == instance && m.Traits&trace.Probed != 0
	})
}

// guardsOf are the guards of a method but those around all of it: each attempt was
// recorded by itself, and what a fallback answers is no call.
func guardsOf(m *trace.Method) resilience.Guards {
	guards := resilience.Guards{Breaker: m.Breaker, RateLimit: m.RateLimit, Bulkhead: m.Bulkhead, Timeout: m.Timeout}
	for i, by := range []*string{&guards.BreakerBy, &guards.BulkheadBy, &guards.TimeoutBy} {
		if m.Traits&(trace.BreakerByKey<<i) != 0 {
			*by = "key"
		}
	}
	for _, w := range m.Check {
		guards.Check = append(guards.Check, resilience.Calls{Breaker: w.Name, N: w.N})
	}
	for _, w := range m.Rate {
		guards.Rate = append(guards.Rate, resilience.Tokens{RateLimit: w.Name, N: w.N, Number: w.Number})
	}
	permits := func(wants []trace.Want) (all []resilience.Permits) {
		for _, w := range wants {
			all = append(all, resilience.Permits{Bulkhead: w.Name, N: w.N, Number: w.Number})
		}
		return all
	}
	guards.Preload, guards.Lease = permits(m.Preload), permits(m.Lease)
	return guards
}

// waits reports whether calls of a method may wait.
func (p *play) waits(m *trace.Method) bool {
	return slices.ContainsFunc(append(reserved(m), trace.Want{Name: m.Bulkhead}), func(w trace.Want) bool { return p.maxWait("bulkheads", w.Name) }) ||
		slices.ContainsFunc(append(m.Rate, trace.Want{Name: m.RateLimit}), func(w trace.Want) bool { return p.maxWait("rateLimits", w.Name) })
}

func reserved(m *trace.Method) []trace.Want { return slices.Concat(m.Preload, m.Lease) }

func (p *play) maxWait(section, name string) bool {
	if name == "" {
		return false
	}
	return slices.ContainsFunc(p.settings.Effective(section, name), func(v resilience.Value) bool {
		return v.Setting == "maxWaitDuration" && v.Value != "0s"
	})
}

// probe answers as the dependency did to whatever came next to now, and takes as long
// as such probes did.
func (p *play) probe(breaker string) func(context.Context) error {
	return func(ctx context.Context) error {
		well, known := p.health[breaker].at(time.Since(p.began))
		if !known {
			well = p.hopeful
			p.guessed.Store(true)
		}
		took, err := p.probing[breaker].good, error(nil)
		if !well {
			took, err = p.probing[breaker].bad, errFailed
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(took):
			return err
		}
	}
}

var (
	errFailed  = errors.New("failed, as recorded")
	errIgnored = errors.New("ignored, as recorded")
)

// sleep sleeps until a moment of the trace. It returns false earlier, if something was
// settled that waited.
func (p *play) sleep(until time.Duration) (arrived bool) {
	left := until - time.Since(p.began)
	switch {
	case left <= 0:
	case p.waiting > 0:
		timer := time.NewTimer(left)
		defer timer.Stop()
		select {
		case <-p.news:
			p.settle()
			return false
		case <-timer.C:
		}
	default:
		time.Sleep(left)
	}
	if p.probed || p.waiting > 0 {
		synctest.Wait()
		p.settle()
	}
	return true
}

func (p *play) happen(e event) {
	switch {
	case e.of == nil:
		p.begin(e.index)
	case e.of.Context() == nil: // it has not begun
		p.ask(e.of)
	default:
		p.finish(e.of)
	}
	if p.waiting > 0 {
		synctest.Wait()
		p.settle()
	}
}

// begin begins a call, if it comes.
func (p *play) begin(i int32) {
	of := &p.trace.Calls[i]
	c := &call{index: i, entry: p.within[i], ctx: context.Background()}
	if around := p.within[i]; around >= 0 {
		entry := p.live[around]
		if entry == nil {
			p.fates[i] = fate{absent: true}
			return
		}
		c.ctx = entry.Context()
	}
	switch {
	case of.Gone && of.Waited == 0:
		p.fates[i] = fate{absent: true}
		return
	case of.Gone: // so long it was ready to wait
		c.ctx, c.cancel = context.WithTimeout(c.ctx, of.Waited)
	case of.Refused == 0 && of.Outcome == trace.Abandoned:
		c.ctx, c.cancel = context.WithCancel(c.ctx)
	}
	p.ask(c)
}

// ask asks the guards whether they admit a call.
func (p *play) ask(c *call) {
	of := &p.trace.Calls[c.index]
	if !p.patient[of.Method] {
		c.begin(p.guard(of), p.numbers(of))
		p.begun(c)
		return
	}
	p.waiting++
	p.asks(c)
}

// asks lets a goroutine begin a call that may have to wait.
func (p *play) asks(c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.idle) - 1; last >= 0 {
		p.idle[last] <- c
		p.idle = p.idle[:last]
		return
	}
	calls := make(chan *call, 1)
	calls <- c
	go p.work(calls)
}

// work begins calls, one after the other.
func (p *play) work(calls chan *call) {
	for c := range calls {
		of := &p.trace.Calls[c.index]
		c.begin(p.guard(of), p.numbers(of))
		p.mu.Lock()
		p.settled = append(p.settled, c)
		p.idle = append(p.idle, calls)
		p.mu.Unlock()
		select {
		case p.news <- struct{}{}:
		default:
		}
	}
}

func (c *call) begin(g *resilience.Guard, numbers []int) {
	if len(numbers) > 0 {
		c.err = c.BeginEntry(c.ctx, g, numbers...)
	} else {
		c.err = c.Begin(c.ctx, g)
	}
}

// numbers are those that an entry needs.
func (p *play) numbers(of *trace.Call) []int {
	given := of.Numbers
	for len(given) < p.given[of.Method] {
		given = append(given, 0)
	}
	return given
}

func (p *play) guard(of *trace.Call) *resilience.Guard {
	g := p.guards[of.Method]
	if of.Key != 0 {
		return g.For(fmt.Sprintf("key-%x", of.Key))
	}
	return g
}

// settle goes on with calls that had to be asked for on goroutines of their own.
func (p *play) settle() {
	p.mu.Lock()
	settled := p.settled
	p.settled = nil
	p.mu.Unlock()
	slices.SortFunc(settled, func(a, b *call) int { return int(a.index - b.index) })
	for _, c := range settled {
		p.waiting--
		p.begun(c)
	}
}

// begun goes on with a call that was admitted or refused.
func (p *play) begun(c *call) {
	if refusal, is := c.err.(*resilience.RefusalError); is {
		by, _, _ := strings.Cut(refusal.Name, "/")
		p.end(c, fate{refused: refusal.Kind, by: by})
		return
	}
	c.at = time.Since(p.began)
	if !c.ghost {
		p.live[c.index] = c
	}
	c.from = p.usage.begin(c.index, c.entry)
	took := p.ending(c)
	heap.Push(&p.events, event{c.at + took, int64(c.index)*4 + 3, c.index, c})
	p.enter(c)
}

// enter lets the calls under an entry come. Those of one that was refused then come as
// those of the next one that went well.
func (p *play) enter(c *call) {
	like, ghosts := c.index, p.trace.Calls[c.index].Refused != 0
	if ghosts {
		like = p.alike(c.index)
	}
	if c.ghost || like < 0 || ghosts && p.made > maxGhosts*len(p.fates) {
		return
	}
	entry := &p.trace.Calls[like]
	for _, i := range p.inside[like] {
		begin := event{at: c.at + max(0, p.trace.Calls[i].Began()-(entry.At-entry.Took)), order: p.order(i), index: i}
		if ghosts {
			p.made++
			begin.of = &call{index: i, ghost: true, entry: c.index, ctx: c.Context()}
		}
		heap.Push(&p.events, begin)
	}
}

// end ends a call on which the guards have had their say.
func (p *play) end(c *call, f fate) {
	c.stop()
	if c.ghost {
		p.ghosts = append(p.ghosts, ghost{f, c.index, time.Since(p.began)})
		return
	}
	delete(p.live, c.index)
	p.fates[c.index] = f
}

func (c *call) stop() {
	if c.cancel != nil {
		c.cancel()
	}
}

// ending decides how a call ends, and when.
func (p *play) ending(c *call) (took time.Duration) {
	of := &p.trace.Calls[c.index]
	took, c.end.outcome = of.Took, of.Outcome
	limit, limited := time.Duration(0), false
	if at, bounded := c.Context().Deadline(); bounded && p.trace.Methods[of.Method].Timeout != "" {
		limit, limited = time.Until(at), true
	}
	switch {
	case c.ghost || of.Refused != 0:
		took, c.end.outcome = p.guess(c)
	case of.Outcome == trace.TimedOut && limited && limit <= of.Limit:
		c.limit = true
		return limit + of.Took - of.Limit
	case of.Outcome == trace.TimedOut: // it may run on now
		p.unknown++
		p.guessed.Store(true)
		switch {
		case p.hopeful:
			c.end.outcome = trace.Success
		case !limited:
			c.end.outcome = trace.Failure
		default:
			took = limit
		}
	}
	if limited && limit < took && (of.Limit == 0 || c.ghost) {
		took, c.end.outcome = limit, trace.TimedOut
	}
	c.limit = c.end.outcome == trace.TimedOut
	return took
}

// guess is how a call would have gone that was refused then: as those before and after
// it, if these went alike.
func (p *play) guess(c *call) (time.Duration, trace.Outcome) {
	method := p.trace.Calls[c.index].Method
	well, known := p.seen(method, c.at)
	if !known {
		well = p.hopeful
		p.guessed.Store(true)
		if !c.ghost {
			p.unknown++
		}
	}
	if well {
		return p.usual[method].good, trace.Success
	}
	return p.usual[method].bad, trace.Failure
}

// finish ends a call.
func (p *play) finish(c *call) {
	p.usage.end(c.index, c.entry, c.from)
	switch c.end.outcome {
	case trace.Success:
		c.Finish(nil)
	case trace.Failure:
		c.Finish(errFailed)
	case trace.TimedOut:
		c.Finish(context.DeadlineExceeded)
	case trace.Abandoned:
		c.stop()
		c.Finish(context.Canceled)
	default:
		c.FinishAs(resilience.Ignored, errIgnored)
	}
	p.end(c, c.end)
}

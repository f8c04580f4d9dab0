package resilience

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"strings"
	"time"

	"github.com/resgen-go/resgen/internal/trace"
	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/config"
	"github.com/resgen-go/resgen/runtime/internal/text"
)

// Record writes a trace of all guarded calls to w, for go tool resgen replay, which
// plays it against other settings. A trace has times, names of methods and guards,
// outcomes and refusals; it has no arguments, results, keys or texts of errors. A call
// takes 10 to 16 bytes, and costs what [ObserveCalls] costs, or less.
//
// The goroutine that delivers events writes, in blocks, at least once a second while
// there are calls, and [Registry.Close] writes the last one; it does not close w. What a
// full queue drops is counted in the trace. The first error of w ends the recording and
// is logged, and nothing else changes. A nil w records nothing; the last Record counts.
func Record(w io.Writer) Option {
	return func(s *setup) {
		s.record = nil
		if w != nil {
			s.record = func(tell func(Event)) callRecorder { return newRecorder(w, tell) }
		}
	}
}

// callRecorder is the recorder. Programs that record nothing do not link it, because
// only [Record] knows what it is.
type callRecorder interface {
	Observer
	recording(w *Wiring, g *Guard, guards Guards) *recording
}

// recording is what calls of one method have in common for the recorder.
type recording struct {
	method trace.Method

	// Of the goroutine that delivers events:
	number uint32
	known  int // 0: not yet; below: it found no room
}

// record is one call for the recorder. It is made as the call comes, and an event
// once it has ended or was refused.
type record struct {
	measured
	guard   *Guard
	came    breaker.Instant
	ended   breaker.Instant
	before  uint64 // records as it came
	place   uint64 // records before it
	within  any    // the innermost entry around it; nil: none
	entry   any    // itself as such
	refusal *RefusalError
	outcome Outcome
	waited  bool      // for tokens or permits
	at      time.Time // for observers; zero: they don't get it
	few     [4]int    // numbers of an entry
	numbers []int
}

func (*record) event() {}

// missed says that the queue had no room for records.
type missed struct {
	from    breaker.Instant
	dropped int
}

func (missed) event() {}

// endOfRecord is the last event that the recorder heeds.
type endOfRecord struct{}

func (endOfRecord) event() {}

// unrecorded is for the log: the recording has ended with an error.
type unrecorded struct {
	at  time.Time
	err error
}

func (unrecorded) event() {}

// arrive notes that a call has come, unless that is noted already.
func (c *Call) arrive(g *Guard) *record {
	if c.measured != nil {
		return c.measured.record
	}
	r := &record{guard: g, came: breaker.Now(), before: g.events.records.Load()}
	r.measured.record, r.measured.caller = r, c.ctx
	if g.entered.Load() {
		r.within = entryOf(c)
	}
	c.measured = &r.measured
	return r
}

// entryOf is what stands for the innermost entry around a call: its reservation, or its
// body.
func entryOf(c *Call) any {
	ctx := c.outside()
	b, r := bodyFrom(ctx), bulkhead.From(ctx)
	switch {
	case b != nil && (r == nil || bulkhead.From(b.Context) == r):
		return b
	case r != nil:
		return r
	}
	return nil
}

// again is what is known of a call that begins anew.
func (m *measured) again() *measured {
	if m == nil || m.record == nil {
		return nil
	}
	*m = measured{record: m.record, caller: m.caller}
	return m
}

// noteNumbers notes the numbers that an entry was called with.
func (c *Call) noteNumbers(ctx context.Context, g *Guard, numbers []int) {
	if c.ctx = ctx; ctx == nil {
		c.ctx = context.Background()
	}
	r := c.arrive(g)
	r.numbers = append(r.few[:0], numbers...)
}

// endRecord records a call that was made.
func (c *Call) endRecord(g *Guard, outcome Outcome) {
	if c.measured == nil || c.measured.began == 0 {
		return
	}
	r := c.measured.record
	r.outcome = outcome
	r.entry = c.asEntry()
	g.events.record(r)
}

// noteEnd notes when a call ends before its breaker hears of it: to open takes a while,
// in which calls come that the breaker refuses.
func (c *Call) noteEnd() {
	if m := c.measured; m != nil && m.began != 0 {
		m.record.ended = breaker.Now()
	}
}

// asEntry is what stands for the call with calls under it, as [entryOf] finds it: the
// inner one of reservation and body. It is nil if the call is no entry.
func (c *Call) asEntry() any {
	switch {
	case c.body != nil && (c.reservation == nil || c.body.Context == context.Context(c.reservation)):
		return c.body
	case c.reservation != nil:
		return c.reservation
	}
	return nil
}

func (c *Call) recordRefusal(g *Guard, refusal *RefusalError) {
	r := c.arrive(g)
	r.refusal = refusal
	g.events.record(r)
}

// recordTo makes the recorder the last of the observers.
func (q *events) recordTo(r callRecorder) {
	q.observers = append(q.observers[:len(q.observers):len(q.observers)], r)
	q.observed, q.calls = true, true
}

// record sends a record to the recorder, and to the observers as the event it is for
// them.
func (q *events) record(r *record) {
	if len(q.observers) > 1 {
		r.at = time.Now()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.ended == 0 {
		r.ended = breaker.Now()
	}
	if len(q.waiting) >= frequentLimit {
		q.miss(r.ended)
		return
	}
	q.tellMissed()
	r.place = q.records.Load()
	q.records.Store(r.place + 1)
	q.push(r)
}

func (q *events) miss(at breaker.Instant) {
	if q.missed.dropped == 0 {
		q.missed.from = at
	}
	q.missed.dropped++
	q.figures.Dropped++
}

// tellMissed tells the recorder of what was dropped before. The lock must be held.
func (q *events) tellMissed() {
	if q.missed.dropped > 0 {
		q.push(q.missed)
		q.missed = missed{}
	}
}

// endRecord sends the recorder its last event, even if the queue is full.
func (q *events) endRecord() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tellMissed()
	q.push(endOfRecord{})
}

// shown is an event for observers; nil: they don't get it.
func (q *events) shown(e Event) Event {
	switch e := e.(type) {
	case *record:
		switch {
		case e.refusal != nil:
			return Refused{At: e.at, Error: e.refusal}
		case q.ends:
			return CallEnded{e.at, e.guard.method, min(e.outcome, Ignored), Duration(e.ended.Sub(e.began)), e.err}
		}
		return nil
	case missed, endOfRecord:
		return nil
	}
	return e
}

// recorder writes the trace. It is an observer like others, and the last of them.
type recorder struct {
	to      *trace.Writer
	tell    func(Event)
	start   time.Time
	from    breaker.Instant
	seed    maphash.Seed
	entries map[any]uint32 // under way, of which a call has ended
	free    []uint32       // numbers of entries
	over    bool
}

// maxEntries is how many entries may be under way at the same time. With more of them
// the trace forgets which calls belong together.
const maxEntries = 1 << 14

func newRecorder(to io.Writer, tell func(Event)) *recorder {
	start := time.Now()
	return &recorder{
		to: trace.NewWriter(calm{to}, start), tell: tell, start: start, from: breaker.Now(), seed: maphash.MakeSeed(), entries: map[any]uint32{},
	}
}

// calm makes errors of panics.
type calm struct{ to io.Writer }

func (c calm) Write(p []byte) (n int, err error) {
	err = errors.New("the writer ended its goroutine")
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the writer panicked: %s", text.OfPanic(v))
		}
	}()
	return c.to.Write(p)
}

// recording is what a guard needs so that its calls are recorded.
func (r *recorder) recording(w *Wiring, g *Guard, guards Guards) *recording {
	m := trace.Method{
		Name: g.method, Instance: w.instance,
		Breaker: guards.Breaker, RateLimit: guards.RateLimit, Bulkhead: guards.Bulkhead, Timeout: guards.Timeout, Retry: guards.Retry, Answers: guards.Fallback,
	}
	for i, by := range []string{guards.BreakerBy, guards.BulkheadBy, guards.TimeoutBy} {
		if by != "" {
			m.Traits |= trace.BreakerByKey << i
		}
	}
	for _, calls := range guards.Check {
		m.Check = append(m.Check, trace.Want{Name: calls.Breaker, N: calls.N})
	}
	for _, t := range guards.Rate {
		m.Rate = append(m.Rate, trace.Want{Name: t.RateLimit, N: t.N, Number: t.Number})
	}
	m.Preload, m.Lease = tracePermits(guards.Preload), tracePermits(guards.Lease)
	return &recording{method: m}
}

func tracePermits(all []Permits) (wants []trace.Want) {
	for _, p := range all {
		wants = append(wants, trace.Want{Name: p.Bulkhead, N: p.N, Number: p.Number})
	}
	return wants
}

// Observe writes what belongs into a trace.
func (r *recorder) Observe(e Event) {
	if r.over {
		return
	}
	switch e := e.(type) {
	case *record:
		r.call(e)
	case missed:
		r.missed(e)
	case Transition:
		base, key := r.split(e.Breaker)
		r.to.Transition(trace.Transition{
			At: e.At.Sub(r.start), Breaker: r.to.Name(base), Key: key, From: uint8(e.From), To: uint8(e.To), ByHand: e.By != "",
		})
	case Probed:
		base, _ := r.split(e.Breaker)
		r.to.Probe(trace.Probe{At: e.At.Sub(r.start), Took: time.Duration(e.Duration), Breaker: r.to.Name(base), Good: e.Err == nil && !e.Overdue})
	case Reloaded:
		if len(e.Changed) > 0 {
			r.to.Reload(e.At.Sub(r.start))
		}
	case endOfRecord:
		r.to.Close(time.Since(r.start))
		r.over = true
	}
	if err := r.to.Err(); err != nil {
		r.over = true
		r.tell(unrecorded{time.Now(), err})
	}
}

func (r *recorder) missed(m missed) {
	now := breaker.Now()
	r.to.Gap(now.Sub(r.from), now.Sub(m.from), m.dropped)
	r.forget()
}

// forget begins the numbers of entries anew, as a gap does in the trace.
func (r *recorder) forget() {
	clear(r.entries)
	r.free = r.free[:0]
}

// split is the name of a guard without its instance, and the key for that.
func (r *recorder) split(name string) (base string, key uint32) {
	base = config.Base(name)
	return base, r.key(strings.TrimPrefix(name[len(base):], "/"))
}

// key is a number for a key, 0 for none.
func (r *recorder) key(key string) uint32 {
	if key == "" {
		return 0
	}
	return uint32(maphash.String(r.seed, key))>>4 | 1
}

func (r *recorder) call(e *record) {
	of := e.guard.recording
	if of.known == 0 {
		if b := e.guard.breaker; b != nil && b.Probed() {
			of.method.Traits |= trace.Probed
		}
		number, ok := r.to.Method(&of.method)
		if of.number, of.known = number, 1; !ok {
			of.known = -1
		}
	}
	at := e.ended.Sub(r.from)
	if of.known < 0 {
		r.to.Gap(at, 0, 1)
		r.forget()
		return
	}
	c := trace.Call{
		At: at, Method: of.number, Since: uint32(e.place - min(e.before, e.place)), Key: r.key(e.guard.key),
		Within: r.entry(e.within), Numbers: e.numbers,
	}
	if e.refusal != nil {
		c.Refused, c.Gone, c.Waited = uint8(e.refusal.Kind), e.refusal.cause != nil, e.wait(e.ended)
		c.By = r.to.Name(config.Base(e.refusal.Name))
	} else {
		c.Took, c.Waited = e.ended.Sub(e.began), e.wait(e.began)
		c.Outcome, c.Limit = e.traced()
		c.Entry = r.ended(e.entry)
	}
	r.to.Call(&c)
}

// wait is how long the call waited, if it did. Asking guards takes a moment, too; who
// tells of a wait is not asked for one that a gate ended.
func (r *record) wait(until breaker.Instant) time.Duration {
	if long := until.Sub(r.came); r.waited || long > 5*time.Microsecond {
		return long
	}
	return 0
}

// traced is how a call ended, and its timeout if it took longer.
func (r *record) traced() (trace.Outcome, time.Duration) {
	if _, late := r.err.(*timeoutError); late {
		return trace.TimedOut, r.limit
	}
	late := r.limit
	if r.limit <= 0 || r.ended.Sub(r.began) <= r.limit {
		late = 0
	}
	switch r.outcome {
	case Success:
		return trace.Success, late
	case Failure:
		return trace.Failure, late
	case abandoned:
		return trace.Abandoned, late
	}
	return trace.Ignored, late
}

// entry is the number of an entry under way, 0 of none.
func (r *recorder) entry(e any) uint32 {
	if e == nil {
		return 0
	}
	if number := r.entries[e]; number > 0 {
		return number
	}
	if len(r.entries) >= maxEntries {
		r.to.Gap(breaker.Now().Sub(r.from), 0, 0)
		r.forget()
	}
	number := uint32(len(r.entries) + 1)
	if last := len(r.free) - 1; last >= 0 {
		number, r.free = r.free[last], r.free[:last]
	}
	r.entries[e] = number
	return number
}

// ended is the number of an entry that has ended, 0 if no call under it was recorded.
func (r *recorder) ended(e any) uint32 {
	number := r.entries[e]
	if e != nil && number > 0 {
		delete(r.entries, e)
		r.free = append(r.free, number)
	}
	return number
}

package bulkhead

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// TestMain makes the random tests longer than rapid does by itself, where the
// command line says nothing.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "300"); err != nil {
		panic(err)
	}
	m.Run()
}

// TestRandomInterleavingsFollowTheModel plays random steps on two to four
// bulkheads, compares all that can be seen with the model after each, and
// checks that nothing is left at the end. For a long run: go test -run Random
// -rapid.checks=100000
//
// It gives up the model where too much happens at one moment, in about one
// sequence of fifty thousand. If it did so often it would prove nothing.
func TestRandomInterleavingsFollowTheModel(t *testing.T) {
	all, lost := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		settings := rapid.SliceOfN(drawnSettings, 2, 4).Draw(rt, "bulkheads")
		length := rapid.IntRange(10, 80).Draw(rt, "length")
		steps := rapid.SliceOfN(drawnStep, length, length).Draw(rt, "steps")
		var fault any
		synctest.Test(t, func(*testing.T) {
			p := newPlay(settings)
			defer func() { fault = recover() }()
			defer p.stop()
			for _, s := range steps {
				p.step(s)
			}
			p.finish()
			if all++; p.lost {
				lost++
			}
		})
		if fault != nil {
			rt.Fatal(fault)
		}
	})
	if lost > 0 {
		t.Logf("in %d of %d sequences there were too many orders to try", lost, all)
	}
	if lost > 1+all/1000 {
		t.Error("that is too often")
	}
}

// A draw is a step before it is known who is there to make it: numbers are
// taken modulo what there is.
type draw struct {
	op
	who    int
	nested bool
	later  bool // than the step before; too much in one moment has too many orders to try
}

var drawnSettings = rapid.Custom(func(t *rapid.T) Settings {
	s := Settings{
		MaxConcurrentCalls: rapid.IntRange(1, 5).Draw(t, "size"),
		MaxWaitDuration:    rapid.SampledFrom([]time.Duration{0, 5, 20}).Draw(t, "wait") * time.Millisecond,
	}
	if capacity := rapid.IntRange(0, 6).Draw(t, "capacity"); capacity <= 3 {
		s.QueueCapacity = &capacity
	}
	return s
})

var drawnWant = rapid.Custom(func(t *rapid.T) mWant {
	w := mWant{rapid.IntRange(0, 3).Draw(t, "of"), rapid.IntRange(1, 4).Draw(t, "n"), Use(rapid.IntRange(int(Own), int(Lease)).Draw(t, "as"))}
	if w.as == Own {
		w.n = 1
	}
	return w
})

var drawnStep = rapid.Custom(func(t *rapid.T) draw {
	d := draw{
		op:     op{do: rapid.SampledFrom([]string{"call", "call", "call", "enter", "enter", "pass", "resize", "end", "end", "end", "cancel"}).Draw(t, "do")},
		who:    rapid.IntRange(0, 1000).Draw(t, "who"),
		nested: rapid.IntRange(0, 3).Draw(t, "nested") > 0,
		later:  rapid.IntRange(0, 3).Draw(t, "later") > 0,
	}
	switch d.do {
	case "call", "enter":
		d.timeout = rapid.SampledFrom([]time.Duration{0, 0, 0, 3, 12}).Draw(t, "timeout") * time.Millisecond
		d.bulkhead = rapid.IntRange(0, 3).Draw(t, "bulkhead")
		d.wants = rapid.SliceOfNDistinct(drawnWant, 1, 4, func(w mWant) int { return w.bulkhead }).Draw(t, "wants")
	case "pass":
		d.pass = time.Duration(rapid.IntRange(1, 25).Draw(t, "pass")) * time.Millisecond
	case "resize":
		d.bulkhead = rapid.IntRange(0, 3).Draw(t, "bulkhead")
		d.settings = drawnSettings.Draw(t, "settings")
	}
	return d
})

// A play is one sequence of steps on real bulkheads. It panics with what goes
// wrong.
type play struct {
	settings  []Settings // at the begin
	bulkheads []*Bulkhead
	requests  []*request
	stop      context.CancelFunc
	ctx       context.Context

	ops     []op
	seen    []string // after each
	choices []int    // which explain all of it so far
	lost    bool     // there were too many orders to try: from here on only the figures are checked
}

type request struct {
	*attempt
	cancel context.CancelFunc
	ended  bool
}

func newPlay(settings []Settings) *play {
	p := &play{settings: settings}
	p.ctx, p.stop = context.WithCancel(context.Background())
	for i, s := range settings {
		p.bulkheads = append(p.bulkheads, New(string(rune('a'+i/2)), s)) // some have the same name
	}
	return p
}

// step makes a drawn step, if there is anybody to make it.
func (p *play) step(d draw) {
	if d.later {
		p.make(op{do: "pass", pass: time.Microsecond})
	}
	o := d.op
	o.in = -1
	o.bulkhead %= len(p.bulkheads)
	o.wants = slices.DeleteFunc(slices.Clone(o.wants), func(w mWant) bool { return w.bulkhead >= len(p.bulkheads) })
	var among []int
	switch {
	case o.do == "enter" && len(o.wants) == 0:
		return
	case o.do == "end":
		among = p.those((*request).runs)
	case o.do == "cancel":
		among = p.those(func(r *request) bool { return r.waits() || r.runs() })
	case d.nested && (o.do == "call" || o.do == "enter"):
		// Ended entries too: a context may be kept.
		if entries := p.those(func(r *request) bool { return r.granted() && r.entry != nil }); len(entries) > 0 {
			o.in = entries[d.who%len(entries)]
		}
		p.make(o)
		return
	default:
		p.make(o)
		return
	}
	if len(among) > 0 {
		o.who = among[d.who%len(among)]
		p.make(o)
	}
}

// those returns the numbers of the requests that satisfy is.
func (p *play) those(is func(*request) bool) (all []int) {
	for i, r := range p.requests {
		if is(r) {
			all = append(all, i)
		}
	}
	return all
}

func (r *request) runs() bool { return r.granted() && !r.ended }

// make makes a step and compares what became of it with the model.
func (p *play) make(o op) {
	p.do(o)
	synctest.Wait()
	p.ops = append(p.ops, o)
	p.seen = append(p.seen, p.String())
	if !p.lost && !p.explain() {
		panic(fmt.Sprintf("no order of events explains\n%s\nafter %+v\nwhile the model may have\n%s", p.seen[len(p.seen)-1], o, p.replay(p.choices, len(p.ops)).model))
	}
}

func (p *play) do(o op) {
	switch o.do {
	case "call", "enter":
		p.begin(o)
	case "end":
		p.requests[o.who].ended = true
		p.requests[o.who].release()
	case "cancel":
		p.requests[o.who].cancel()
	case "pass":
		time.Sleep(o.pass)
	case "resize":
		p.bulkheads[o.bulkhead].Resize(o.settings)
	}
}

func (p *play) begin(o op) {
	ctx := p.ctx
	if o.in >= 0 {
		ctx = p.requests[o.in].entry
	}
	var cancel context.CancelFunc
	if o.timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, o.timeout)
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	r := &request{cancel: cancel}
	if o.do == "call" {
		r.attempt = tryAcquire(ctx, p.bulkheads[o.bulkhead])
	} else {
		var wants []Want
		for _, w := range o.wants {
			wants = append(wants, Want{p.bulkheads[w.bulkhead], w.n, w.as})
		}
		d, err := NewDemand(wants...)
		if err != nil {
			panic(err)
		}
		r.attempt = tryReserve(ctx, d)
	}
	p.requests = append(p.requests, r)
}

// finish ends everything that runs, until nobody waits either, and checks that
// nothing is left.
func (p *play) finish() {
	for len(p.those((*request).runs)) > 0 {
		for _, who := range slices.Backward(p.those((*request).runs)) {
			p.make(op{do: "end", who: who})
		}
		p.make(op{do: "pass", pass: time.Second})
	}
	for _, b := range p.bulkheads {
		t := b.now()
		if t.free() != t.size() || t.busy() != 0 || t.idle() != 0 || t.queued() || b.open.Load() != 0 || b.queue.first != nil {
			panic(fmt.Sprintf("left at the end: %+v", b.Snapshot()))
		}
	}
}

// String is all that can be seen from outside, as the model puts it.
func (p *play) String() string {
	var s strings.Builder
	for _, b := range p.bulkheads {
		f := b.Snapshot()
		if sum := f.InUse + f.ReservedIdle + f.Available; sum != f.MaxConcurrentCalls && (sum < f.MaxConcurrentCalls || f.Available > 0) {
			panic(fmt.Sprintf("not exact: %+v", f))
		}
		var queue []int
		b.mu.Lock()
		for w := b.queue.first; w != nil; w = w.next {
			queue = append(queue, w.n)
		}
		b.mu.Unlock()
		fmt.Fprintln(&s, f.MaxConcurrentCalls, f.InUse, f.ReservedIdle, f.Available, queue,
			f.Refused.Full, f.Refused.TooLarge, f.Refused.Cancelled, f.Reserved, f.UsedFromReservation, f.Overflow, f.ReturnedUnused)
	}
	for _, r := range p.requests {
		var refusal Refusal
		waits := r.waits()
		if !waits && r.refused != nil {
			refusal = *r.refused
		}
		fmt.Fprintln(&s, describe(waits, !waits && r.waited, refusal.Kind > 0, refusal))
	}
	return s.String()
}

// explain looks for choices of the model that lead to all that was seen: first
// those that explained the past, then their neighbours, back to the first.
func (p *play) explain() bool {
	choices, known := p.choices, len(p.ops)-1
	for range 100_000 {
		r := p.replay(choices, known)
		if r.explained == len(p.ops) {
			p.choices = r.made
			if b := r.model.circle(); b != nil {
				panic(fmt.Sprintf("who waits for bulkhead %d waits in a circle or for ever:\n%s", b.order, r.model))
			}
			return true
		}
		next := len(r.made) - 1
		for next >= 0 && r.made[next]+1 >= r.among[next] {
			next--
		}
		if next < 0 {
			return false
		}
		choices, known = append(r.made[:next:next], r.made[next]+1), r.during[next]
	}
	p.lost = true
	return true
}

// A replay is a run of the model, until it differs from what was seen.
type replay struct {
	model       *model
	explained   int // steps
	made, among []int
	during      []int // the step of each choice
}

// replay runs the model with the given choices, which explain the known steps,
// and the first ones where no more are given.
func (p *play) replay(choices []int, known int) *replay {
	r := &replay{model: &model{}}
	r.model.choose = func(n int) int {
		if n == 1 {
			return 0
		}
		choice := 0
		if len(r.made) < len(choices) {
			choice = choices[len(r.made)]
		}
		r.made, r.among, r.during = append(r.made, choice), append(r.among, n), append(r.during, r.explained)
		return choice
	}
	for i, s := range p.settings {
		b := &mBulkhead{order: i}
		b.set(s)
		r.model.bulkheads = append(r.model.bulkheads, b)
	}
	for i, o := range p.ops {
		r.model.apply(o)
		if i >= known && r.model.String() != p.seen[i] {
			break
		}
		r.explained++
	}
	return r
}

// Package overload is a model of clients that overload what they depend on. It
// compares rules that limit how many calls run, in virtual time.
//
// The dependency has servers and a queue without an end, and it goes on working
// for callers that have given up, as most do. That is what makes overload last:
// once its queue is longer than the callers' timeout, all its work is for nobody.
package overload

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Limiter says how many calls of one client may run.
type Limiter interface {
	// Admit begins a call, or returns nil.
	Admit(now time.Duration) Call
}

// Call ends a call, with how long it took. A late one was given up by its caller.
type Call func(now, took time.Duration, late bool)

// Phase is a while in which nothing about the world changes.
type Phase struct {
	Name    string
	Length  time.Duration
	Rate    float64 // calls of all clients in a second
	Servers int
	Service func(*rand.Rand) time.Duration // of one call
}

// Possible is how many calls in a second can be answered.
func (p Phase) Possible() float64 {
	r, mean := rand.New(rand.NewPCG(0, 0)), 0.0
	const calls = 20_000
	for range calls {
		mean += p.Service(r).Seconds() / calls
	}
	return min(p.Rate, float64(p.Servers)/mean)
}

// Figures are those of a phase without its first third, in which limits find
// their way.
type Figures struct {
	Phase   Phase
	Refused int
	Good    []time.Duration // answers in time, sorted: how long they took
	Late    int
}

// Share is how many of the possible answers there were, 1 for all.
func (f Figures) Share() float64 {
	return float64(len(f.Good)) / (f.Phase.Possible() * counted(f.Phase).Seconds())
}

// counted is how much of a phase counts.
func counted(p Phase) time.Duration { return p.Length * 2 / 3 }

// World is what does not change with the phases.
type World struct {
	Clients int
	Timeout time.Duration // of a call, after which its caller gives up
	Seed    uint64
	Wait    func(time.Duration) // called for the time between two events; nil: nothing has a clock
}

// Run plays the phases with a limiter for each client.
func (w World) Run(phases []Phase, limiter func() Limiter) []Figures {
	run := &run{World: w, random: rand.New(rand.NewPCG(w.Seed, 7)), phases: phases}
	for range w.Clients {
		run.limiters = append(run.limiters, limiter())
	}
	run.nextPhase()
	run.play()
	for i := range run.figures {
		slices.Sort(run.figures[i].Good)
	}
	return run.figures
}

type run struct {
	World
	random   *rand.Rand
	phases   []Phase
	limiters []Limiter
	figures  []Figures
	events   events
	now, end time.Duration // end of the phase
	queue    []*call
	busy     int // servers
}

type call struct {
	end   Call
	began time.Duration
	ended bool // for its caller
}

func (r *run) phase() Phase { return r.phases[len(r.figures)-1] }

// nextPhase reports whether there is one.
func (r *run) nextPhase() bool {
	if len(r.figures) == len(r.phases) {
		return false
	}
	next := r.phases[len(r.figures)]
	r.figures = append(r.figures, Figures{Phase: next})
	r.end += next.Length
	return true
}

func (r *run) play() {
	r.arriveNext()
	for {
		e := heap.Pop(&r.events).(event)
		if r.Wait != nil {
			r.Wait(e.at - r.now)
		}
		for r.now = e.at; r.now >= r.end; {
			if !r.nextPhase() {
				return
			}
		}
		e.do()
	}
}

func (r *run) after(d time.Duration, do func()) { heap.Push(&r.events, event{r.now + d, do}) }

// figure are those of now, and nil where nothing counts.
func (r *run) figure() *Figures {
	if r.now < r.end-counted(r.phase()) {
		return new(Figures)
	}
	return &r.figures[len(r.figures)-1]
}

func (r *run) arriveNext() {
	r.after(time.Duration(r.random.ExpFloat64()/r.phase().Rate*float64(time.Second)), r.arrive)
}

func (r *run) arrive() {
	r.arriveNext()
	c := &call{began: r.now}
	if c.end = r.limiters[r.random.IntN(len(r.limiters))].Admit(r.now); c.end == nil {
		r.figure().Refused++
		return
	}
	r.queue = append(r.queue, c)
	r.after(r.Timeout, func() { r.giveUp(c) })
	r.serve()
}

func (r *run) serve() {
	for r.busy < r.phase().Servers && len(r.queue) > 0 {
		c := r.queue[0]
		r.queue = r.queue[1:]
		r.busy++
		r.after(r.phase().Service(r.random), func() { r.answer(c) })
	}
}

func (r *run) answer(c *call) {
	r.busy--
	if r.finish(c, false) {
		f := r.figure()
		f.Good = append(f.Good, r.now-c.began)
	}
	r.serve()
}

func (r *run) giveUp(c *call) {
	if r.finish(c, true) {
		r.figure().Late++
	}
}

// finish reports whether the caller still waited.
func (r *run) finish(c *call, late bool) bool {
	if c.ended {
		return false
	}
	c.ended = true
	c.end(r.now, r.now-c.began, late)
	return true
}

// event is what happens at a time.
type event struct {
	at time.Duration
	do func()
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	popped := (*e)[last]
	*e = (*e)[:last]
	return popped
}

// LogNormal is a service time with a long tail, as those of real services have.
func LogNormal(mean time.Duration, sigma float64) func(*rand.Rand) time.Duration {
	return func(r *rand.Rand) time.Duration {
		return time.Duration(float64(mean) * math.Exp(sigma*r.NormFloat64()-sigma*sigma/2))
	}
}

// Mixed is a service time that is slow for a share of the calls by their nature.
func Mixed(fast, slow time.Duration, share float64) func(*rand.Rand) time.Duration {
	return func(r *rand.Rand) time.Duration {
		if r.Float64() < share {
			return slow
		}
		return fast
	}
}

// Phases are those by which rules are judged: load below and above what the
// dependency can do, most of its servers gone and back, slower servers, next to no
// load, and calls of which some are slow by nature. Size is the share of a
// dependency with 20 servers that answer 400 calls a second.
func Phases(size float64) []Phase {
	rate := func(calls float64) float64 { return calls * size }
	servers := func(n float64) int { return max(1, int(n*size)) }
	usual := LogNormal(50*time.Millisecond, .5)
	return []Phase{
		{"70 % load", 90 * time.Second, rate(280), servers(20), usual},
		{"200 % load", 180 * time.Second, rate(800), servers(20), usual},
		{"70 % again", 90 * time.Second, rate(280), servers(20), usual},
		{"a quarter of the servers", 180 * time.Second, rate(280), servers(5), usual},
		{"all are back", 90 * time.Second, rate(280), servers(20), usual},
		{"answers 3 × slower", 180 * time.Second, rate(280), servers(60), LogNormal(150*time.Millisecond, .5)},
		{"next to no load", 180 * time.Second, rate(5), servers(20), usual},
		{"15 % slow by nature", 180 * time.Second, rate(280), servers(60), Mixed(20*time.Millisecond, 400*time.Millisecond, .15)},
	}
}

// Join joins the figures of the same phases of several runs.
func Join(runs ...[]Figures) []Figures {
	joined := slices.Clone(runs[0])
	for _, run := range runs[1:] {
		for i, f := range run {
			joined[i].Phase.Length += f.Phase.Length
			joined[i].Refused += f.Refused
			joined[i].Late += f.Late
			joined[i].Good = slices.Sorted(slices.Values(append(joined[i].Good, f.Good...)))
		}
	}
	return joined
}

// Percentile is the duration that a share of the answers don't exceed, 0 without
// answers.
func (f Figures) Percentile(share float64) time.Duration {
	if len(f.Good) == 0 {
		return 0
	}
	return f.Good[min(len(f.Good)-1, int(share*float64(len(f.Good))))]
}

package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"

	"github.com/resgen-go/resgen/runtime/redis/internal/lua"
)

// The rule of the fleet, in uncompressed time.
const (
	window    = 2 * time.Minute
	buckets   = 24
	threshold = 50
	least     = 20
	failing   = .4 // share of failures while all is as usual

	fullWindow = window + window/10 // after this long it surely is full
)

// load is what the fleets call.
type load struct {
	callsPerMinute float64
	compressed     float64       // so many seconds pass in one
	fleets         int           // side by side, for more figures in the same time
	fill           time.Duration // before anything is measured
	minutes        float64
	detect         bool
}

// real is how long d takes here.
func (l load) real(d time.Duration) time.Duration { return time.Duration(float64(d) / l.compressed) }

func (l load) run(server *server, s scheme) figures {
	server.do("FLUSHALL")
	fleets := make([]*fleet, l.fleets)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	for i := range fleets {
		fleets[i] = newFleet(server, l, s, fmt.Sprint("f", i))
		for n := range processes {
			all.Go(func() { fleets[i].process(ctx, strconv.Itoa(n)) })
		}
	}
	time.Sleep(l.real(l.fill))
	each(fleets, func(f *fleet) { f.judged.Store(l.detect) })
	figures := l.watch(server, fleets)
	if l.detect {
		figures.detect = l.fail(fleets)
	}
	return figures
}

func each(fleets []*fleet, do func(*fleet)) {
	for _, f := range fleets {
		do(f)
	}
}

// watch lets the fleets run and sees what they cost and how well they count.
func (l load) watch(server *server, fleets []*fleet) (f figures) {
	before, began := server.usage(), time.Now()
	var squares, samples float64
	for until := began.Add(l.real(time.Duration(l.minutes * float64(time.Minute)))); time.Now().Before(until); {
		time.Sleep(50 * time.Millisecond)
		for _, fleet := range fleets {
			if off, ok := fleet.error(); ok {
				squares, samples = squares+off*off, samples+1
			}
		}
	}
	seconds := time.Since(began).Seconds() * l.compressed * float64(l.fleets)
	used := server.usage().since(before)
	each(fleets, func(fleet *fleet) { f.wrong += float64(fleet.outages.Load()) })
	f.writes, f.cpu, f.error = used.scripts/seconds, 100*used.cpu/seconds, math.Sqrt(squares/samples)
	f.wrong *= 600 / seconds
	return f
}

// fail makes every call fail and takes the time until an outage begins.
func (l load) fail(fleets []*fleet) (seconds float64) {
	var times []float64
	for _, f := range fleets {
		f.outages.Store(0)
		f.dead.Store(true)
	}
	began := time.Now()
	for len(times) < len(fleets) && time.Since(began) < l.real(2*window) {
		time.Sleep(time.Millisecond)
		for _, f := range fleets {
			if f.dead.Load() && f.outages.Load() > 0 {
				f.dead.Store(false)
				times = append(times, time.Since(began).Seconds()*l.compressed)
			}
		}
	}
	if len(times) == 0 {
		return math.NaN()
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// fleet is processes that share a breaker.
type fleet struct {
	server  *server
	load    load
	scheme  scheme
	key     string
	judged  atomic.Bool
	dead    atomic.Bool // all calls fail
	outages atomic.Int64

	mu    sync.Mutex
	calls []outcome // that are in the window, for the truth
}

type outcome struct {
	at     time.Time
	failed bool
}

func newFleet(server *server, l load, s scheme, name string) *fleet {
	return &fleet{server: server, load: l, scheme: s, key: "schemes:{" + name + "}:"}
}

// process makes calls at random moments and records them as the scheme says.
func (f *fleet) process(ctx context.Context, name string) {
	client, err := f.server.connect()
	if err != nil {
		panic(err)
	}
	defer client.Close()
	p := &recorder{fleet: f, client: client, name: name}
	mean := float64(f.load.real(time.Minute)) / f.load.callsPerMinute * processes
	flush := f.load.real(f.scheme.flush)
	next := time.Now()
	flushAt := next.Add(time.Duration(rand.Float64() * float64(flush)))
	for ctx.Err() == nil {
		wake := next
		if flush > 0 && flushAt.Before(wake) {
			wake = flushAt
		}
		time.Sleep(time.Until(wake))
		for now := time.Now(); !next.After(now); next = next.Add(time.Duration(rand.ExpFloat64() * mean)) {
			p.call(ctx, next)
		}
		if now := time.Now(); flush > 0 && !now.Before(flushAt) {
			p.record(ctx)
			flushAt = flushAt.Add(max(flush, now.Sub(flushAt)))
		}
	}
}

// call is one call of the dependency.
func (f *fleet) call(at time.Time) (failed bool) {
	failed = f.dead.Load() || rand.Float64() < failing
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, outcome{at, failed})
	return failed
}

// error is how far the server's rate of failures is from the true one, in
// percentage points.
func (f *fleet) error() (off float64, ok bool) {
	var truth, known counts
	f.mu.Lock()
	from := time.Now().Add(-f.load.real(window))
	kept := f.calls[:0]
	for _, c := range f.calls {
		if c.at.After(from) {
			kept = append(kept, c)
			truth.add(1, c.failed)
		}
	}
	f.calls = kept
	f.mu.Unlock()
	fields, err := f.server.Do(context.Background(), f.server.B().Hgetall().Key(f.key+"counts").Build()).AsStrMap()
	if err != nil {
		return 0, false
	}
	for _, bucket := range fields {
		var c counts
		fmt.Sscan(bucket, &c.calls, &c.failures)
		known.calls, known.failures = known.calls+c.calls, known.failures+c.failures
	}
	if truth.failures < least || known.failures < least {
		return 0, false
	}
	return known.percent() - truth.percent(), true
}

type counts struct{ calls, failures float64 }

func (c *counts) add(n float64, failed bool) {
	c.calls += n
	if failed {
		c.failures += n
	}
}

func (c counts) percent() float64 { return 100 * c.failures / c.calls }

// recorder is a process's way to the server.
type recorder struct {
	*fleet
	client rueidis.Client
	name   string
	sent   int
	held   counts
}

func (r *recorder) call(ctx context.Context, at time.Time) {
	switch failed := r.fleet.call(at); {
	case failed:
		r.held.add(1, true)
	case rand.Float64() < r.scheme.rate:
		r.held.add(1/r.scheme.rate, false)
	}
	if r.scheme.flush == 0 {
		r.record(ctx)
	}
}

// keys are those of the breaker.
func (r *recorder) keys() []string {
	return []string{r.key + "state", r.key + "counts", r.key + "history", r.key + "manual"}
}

// look asks for the view.
func (r *recorder) look() {
	evaluate(r.client, lua.Look, r.keys(), []string{"schemes:changes", "b", r.name, "9999999999999", "1000", "READ"})
}

// record hands in what is held, as package redis does.
func (r *recorder) record(ctx context.Context) {
	if r.held.calls == 0 || ctx.Err() != nil {
		return
	}
	enough := least
	if !r.judged.Load() {
		enough = math.MaxInt32
	}
	r.sent++
	span := r.load.real(window)
	keys := append(r.keys(), r.key+"seen:"+r.name)
	args := []string{
		"schemes:changes", "b", r.name, "9999999999999", "1000",
		strconv.Itoa(threshold), strconv.FormatInt(span.Milliseconds(), 10), strconv.FormatInt((span / buckets).Milliseconds(), 10),
		strconv.Itoa(enough),
		strconv.Itoa(r.sent), "0", strconv.FormatFloat(r.held.calls, 'g', -1, 64), strconv.FormatFloat(r.held.failures, 'g', -1, 64),
	}
	r.held = counts{}
	answer := evaluate(r.client, lua.Record, keys, args)
	if len(answer) > 2 && answer[2] != "0" { // an outage: start anew
		r.outages.Add(1)
		r.server.do("DEL", r.key+"state", r.key+"counts")
	}
}

func evaluate(client rueidis.Client, script *lua.Script, keys, args []string) []string {
	run := func(name, text string) ([]string, error) {
		command := client.B().Arbitrary(name, text, strconv.Itoa(len(keys))).Keys(keys...).Args(args...).Build()
		return client.Do(context.Background(), command).AsStrSlice()
	}
	answer, err := run("EVALSHA", script.SHA)
	if e, ok := rueidis.IsRedisErr(err); ok && e.IsNoScript() {
		answer, _ = run("EVAL", script.Text)
	}
	return answer
}

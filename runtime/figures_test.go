package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// TestFiguresAreThoseOfAnIndependentCount lets random users make calls and
// entries, nested ones too, cancel them and try again, while settings are
// reloaded. What callers and bodies saw is counted beside, and must be what the
// snapshot shows at the end; meanwhile no figure that is said to grow goes back.
func TestFiguresAreThoseOfAnIndependentCount(t *testing.T) {
	for seed := range uint64(5) {
		synctest.Test(t, func(t *testing.T) {
			r := newRush(t, seed)
			var users, others sync.WaitGroup
			stop := make(chan struct{})
			others.Go(func() { r.watch(stop) })
			others.Go(func() { r.reload(stop) })
			for i := range 24 {
				users.Go(func() {
					user := &rushing{r, rand.New(rand.NewPCG(seed, uint64(i)))}
					for range 40 {
						user.act()
					}
				})
			}
			users.Wait()
			close(stop)
			others.Wait()
			r.compare()
		})
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}

// rush is what the users of one run share. Breaker x opens often and m never.
// Bulkhead t has entries with tickets, l leases for one call at a time and q
// those for several, p calls and entries with a permit of their own.
type rush struct {
	t        *testing.T
	seed     uint64
	source   *text
	registry *resilience.Registry
	guards   map[string]*resilience.Guard
	shapes   map[string]resilience.Guards

	mu       sync.Mutex
	breakers map[string]*breakerCount
	counts   map[string]*bulkheadCount
}

type breakerCount struct{ refused, gates, calls, failures uint64 }

// bulkheadCount is what a bulkhead should show. Some of it is known only
// together, or between two bounds.
type bulkheadCount struct {
	full, tooLarge, cancelled, gate uint64
	open                            uint64 // refused by the breaker, before or behind the bulkhead
	done                            uint64 // refused because the caller had gone, before the bulkhead was asked or by it
	reserved, used, overflow        uint64
	either                          uint64 // used or overflow
	unused                          uint64
}

func newRush(t *testing.T, seed uint64) *rush {
	r := &rush{
		t: t, seed: seed, guards: map[string]*resilience.Guard{},
		breakers: map[string]*breakerCount{"m": {}, "x": {}},
		counts:   map[string]*bulkheadCount{"l": {}, "p": {}, "q": {}, "t": {}},
		shapes: map[string]resilience.Guards{
			"x":    {Breaker: "x"},
			"mp":   {Breaker: "m", Bulkhead: "p"},
			"xp":   {Breaker: "x", Bulkhead: "p"},
			"mt":   {Breaker: "m", Bulkhead: "t"},
			"xt":   {Breaker: "x", Bulkhead: "t"},
			"l":    {Bulkhead: "l"},
			"q":    {Bulkhead: "q"},
			"own":  {Breaker: "x", Bulkhead: "p", Check: []resilience.Calls{{Breaker: "m"}}},
			"gate": {Check: []resilience.Calls{{Breaker: "m"}, {Breaker: "x"}}},
			"both": {Check: []resilience.Calls{{Breaker: "x"}}, Preload: permits("t", 2), Lease: permits("l", 1)},
			"l2":   {Check: []resilience.Calls{{Breaker: "x"}}, Lease: permits("l", 2)},
			"q2":   {Lease: permits("q", 2)},
		},
	}
	for n := 1; n <= 3; n++ {
		r.shapes[fmt.Sprint("t", n)] = resilience.Guards{Check: []resilience.Calls{{Breaker: "m"}, {Breaker: "x"}}, Preload: permits("t", n)}
	}
	r.source, r.registry = newSource(t, r.settings(rand.New(rand.NewPCG(seed, 99))))
	for name, shape := range r.shapes {
		r.guards[name] = newGuard(t, r.registry, shape)
	}
	return r
}

func (r *rush) settings(random *rand.Rand) string {
	size := func() int { return 3 + random.IntN(4) }
	return fmt.Sprintf(`{
		"breakers": {
			"m": {"failureThreshold": 10000, "failureThresholdCapacity": 10000},
			"x": {"failureThreshold": %d, "failureThresholdCapacity": 5, "successThreshold": 2, "testDelay": "300us"}
		},
		"bulkheads": {
			"t": {"maxConcurrentCalls": %d, "maxWaitDuration": "2ms"},
			"l": {"maxConcurrentCalls": %d, "maxWaitDuration": "1ms", "queueCapacity": 5},
			"q": {"maxConcurrentCalls": %d, "maxWaitDuration": "1ms"},
			"p": {"maxConcurrentCalls": %d, "maxWaitDuration": "1ms", "queueCapacity": 2}
		}
	}`, 1+random.IntN(3), size(), size(), size(), size()-2)
}

func (r *rush) reload(stop chan struct{}) {
	random := rand.New(rand.NewPCG(r.seed, 98))
	for goesOn(stop) {
		time.Sleep(time.Duration(random.IntN(400)) * time.Microsecond)
		reload(r.t, r.source, r.registry, r.settings(random))
	}
}

func goesOn(stop chan struct{}) bool {
	select {
	case <-stop:
		return false
	default:
		return true
	}
}

// watch compares every snapshot with the one before.
func (r *rush) watch(stop chan struct{}) {
	before := r.registry.Snapshot()
	for goesOn(stop) {
		time.Sleep(10 * time.Microsecond)
		for range 10 {
			now := r.registry.Snapshot()
			for i, b := range now.Bulkheads {
				r.checkBulkhead(before.Bulkheads[i], b)
			}
			for i, b := range now.Breakers {
				if last := before.Breakers[i]; b.RefusedTotal < last.RefusedTotal || b.Gates < last.Gates || b.Refused > b.RefusedTotal {
					r.t.Errorf("went back from %+v to %+v", last, b)
				}
			}
			before = now
		}
	}
}

func (r *rush) checkBulkhead(before, now resilience.BulkheadSnapshot) {
	if !grew(reflect.ValueOf(before), reflect.ValueOf(now)) {
		r.t.Errorf("went back from %+v to %+v", before, now)
	}
	sum := now.InUse + now.ReservedIdle + now.Available
	if sum != now.MaxConcurrentCalls && (sum < now.MaxConcurrentCalls || now.Available > 0) {
		r.t.Errorf("not exact: %+v", now)
	}
	if now.Name == "t" && now.UsedFromReservation+now.ReturnedUnused > now.Reserved {
		r.t.Errorf("more tickets used and returned than reserved: %+v", now)
	}
}

// grew reports whether no counter of a snapshot is smaller than before; those
// are the unsigned fields.
func grew(before, now reflect.Value) bool {
	for i := range now.NumField() {
		switch now.Field(i).Kind() {
		case reflect.Uint64:
			if now.Field(i).Uint() < before.Field(i).Uint() {
				return false
			}
		case reflect.Struct:
			if !grew(before.Field(i), now.Field(i)) {
				return false
			}
		}
	}
	return true
}

// compare compares the counts with what the registry shows.
func (r *rush) compare() {
	snapshot := r.registry.Snapshot()
	for _, b := range snapshot.Breakers {
		want := *r.breakers[b.Name]
		got := breakerCount{b.RefusedTotal, b.Gates, uint64(b.Calls), uint64(b.Failures)}
		if b.Name == "x" { // its window holds the last calls only
			got.calls, got.failures = want.calls, want.failures
		}
		if got != want {
			r.t.Errorf("breaker %s shows %+v, want %+v", b.Name, got, want)
		}
	}
	for _, b := range snapshot.Bulkheads {
		want := *r.counts[b.Name]
		got := bulkheadCount{
			b.Refused.Full, b.Refused.TooLarge, b.Refused.Cancelled, b.Refused.Gate, want.open, want.done,
			b.Reserved, b.UsedFromReservation, b.Overflow, want.either, b.ReturnedUnused,
		}
		if got.cancelled >= want.cancelled && got.cancelled <= want.cancelled+want.done {
			got.cancelled = want.cancelled
		}
		if got.gate >= want.gate && got.gate <= want.gate+want.open {
			got.gate = want.gate
		}
		if want.either > 0 && got.used+got.overflow == want.either {
			got.used, got.overflow = want.used, want.overflow
		}
		if b.Name == "q" && got.unused <= got.reserved {
			got.unused = want.unused
		}
		if got != want {
			r.t.Errorf("bulkhead %s shows %+v, want %+v", b.Name, got, want)
		}
		if b.InUse != 0 || b.ReservedIdle != 0 || b.Waiting != 0 || b.Available != b.MaxConcurrentCalls {
			r.t.Errorf("left at the end: %+v", b)
		}
	}
}

// rushing is one user.
type rushing struct {
	*rush
	random *rand.Rand
}

// act does one thing, and once more by hand if it is refused.
func (u *rushing) act() {
	u.pause()
	ctx, cancel := u.t.Context(), func() {}
	patient := u.random.IntN(3) > 0
	if !patient {
		limit := time.Duration(1+u.random.IntN(1500)) * time.Microsecond
		if u.random.IntN(2) == 0 {
			ctx, cancel = context.WithTimeout(ctx, limit)
		} else {
			ctx, cancel = context.WithCancel(ctx)
			time.AfterFunc(limit, cancel)
		}
	}
	defer cancel()
	what := u.random.IntN(9)
	for range 2 {
		if u.try(ctx, what, patient) {
			return
		}
		u.pause()
	}
}

func (u *rushing) try(ctx context.Context, what int, patient bool) (began bool) {
	switch what {
	case 0:
		return u.call(ctx, "x", patient)
	case 1:
		return u.call(ctx, "mp", patient)
	case 2:
		return u.call(ctx, "xp", patient)
	case 3:
		return u.do(ctx, "own", u.body(patient))
	case 4:
		return u.do(ctx, "gate", u.body(patient))
	case 5:
		return u.leases(ctx)
	case 6:
		return u.leasesAtOnce(ctx)
	case 7:
		return u.both(ctx, patient)
	}
	idle := 0
	return u.tickets(ctx, patient, 1+u.random.IntN(3), &idle)
}

func (u *rushing) pause() { time.Sleep(time.Duration(u.random.IntN(300)) * time.Microsecond) }

// body fails sometimes. One whose caller may have gone does not, because that
// would be ignored in some cases and not in others.
func (u *rushing) body(patient bool) func(context.Context) error {
	took, fails := time.Duration(u.random.IntN(300))*time.Microsecond, patient && u.random.IntN(3) == 0
	return func(context.Context) error {
		time.Sleep(took)
		if fails {
			return errDown
		}
		return nil
	}
}

func (u *rushing) call(ctx context.Context, guard string, patient bool) bool {
	return u.do(ctx, guard, u.body(patient))
}

func (u *rushing) do(ctx context.Context, name string, body func(context.Context) error) (began bool) {
	began, _ = u.attempt(ctx, name, body)
	return began
}

// attempt makes a call or an entry, and counts what became of it.
func (u *rushing) attempt(ctx context.Context, name string, body func(context.Context) error) (began bool, err error) {
	if rand.IntN(4) == 0 { // calls at once can't share a source of their own
		ctx = &interrupted{Context: ctx, by: sync.OnceFunc(u.interrupt)}
	}
	err = do(ctx, u.guards[name], func(ctx context.Context) error {
		began = true
		return body(ctx)
	})
	u.mu.Lock()
	defer u.mu.Unlock()
	shape := u.shapes[name]
	if began {
		if b := u.breakers[shape.Breaker]; b != nil {
			b.calls++
			if err != nil {
				b.failures++
			}
		}
		return true, err
	}
	u.refused(shape, err)
	return false, err
}

// interrupted is a context that lets something happen at its second question,
// which is in the middle of a beginning.
type interrupted struct {
	context.Context
	questions atomic.Int64
	by        func()
}

func (c *interrupted) Err() error { return c.asked().Err() }

func (c *interrupted) Value(key any) any { return c.asked().Value(key) }

func (c *interrupted) asked() context.Context {
	if c.questions.Add(1) == 2 {
		c.by()
	}
	return c.Context
}

// interrupt puts other settings in force, or takes a trial of x.
func (u *rushing) interrupt() {
	random := rand.New(rand.NewPCG(u.seed, rand.Uint64()))
	if random.IntN(2) == 0 {
		reload(u.t, u.source, u.registry, u.settings(random))
		return
	}
	var call resilience.Call
	if err := call.Begin(u.t.Context(), u.guards["x"]); err != nil {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.refused(u.shapes["x"], err)
		return
	}
	time.AfterFunc(100*time.Microsecond, func() { call.Finish(nil) })
}

func (u *rushing) refused(shape resilience.Guards, err error) {
	var refusal *resilience.RefusalError
	if !errors.As(err, &refusal) {
		u.t.Errorf("refused by nobody: %v", err)
		return
	}
	byContext := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	switch refusal.Kind {
	case resilience.KindFull:
		if byContext {
			u.counts[refusal.Name].cancelled++
		} else {
			u.counts[refusal.Name].full++
		}
	case resilience.KindTooLarge:
		u.counts[refusal.Name].tooLarge++
	case resilience.KindGate:
		for _, gate := range refusal.Gates {
			if gate == shape.Breaker {
				u.breakers[gate].refused++
			} else {
				u.breakers[gate].gates++
			}
		}
		for _, bulkhead := range reserves(shape) {
			u.counts[bulkhead].gate++
		}
	case resilience.KindDone:
		if count := u.counts[refusal.Name]; count != nil {
			count.done++
		}
	default:
		u.breakers[shape.Breaker].refused++
		if shape.Bulkhead != "" {
			u.counts[shape.Bulkhead].open++
		}
	}
}

// reserves are the bulkheads that an entry asks.
func reserves(shape resilience.Guards) (names []string) {
	if shape.Bulkhead != "" {
		names = append(names, shape.Bulkhead)
	}
	for _, p := range slices.Concat(shape.Preload, shape.Lease) {
		names = append(names, p.Bulkhead)
	}
	return names
}

// asks makes n calls of an entry, at once or one after the other, and returns how
// many of them the bulkhead decided on.
func (u *rushing) asks(ctx context.Context, guard string, n int, atOnce, patient bool) int {
	var calls sync.WaitGroup
	var asked atomic.Int64
	for range n {
		body := u.body(patient)
		call := func() {
			if _, err := u.attempt(ctx, guard, body); asks(err) {
				asked.Add(1)
			}
		}
		if atOnce {
			calls.Go(call)
		} else {
			call()
		}
	}
	calls.Wait()
	return int(asked.Load())
}

// asks reports whether a call came as far as its bulkhead, and was not refused by
// its breaker then.
func asks(err error) bool {
	var refusal *resilience.RefusalError
	return !errors.As(err, &refusal) || refusal.Kind == resilience.KindFull || refusal.Kind == resilience.KindTooLarge
}

// tickets is an entry on t with calls on its tickets and beyond, and one inside.
// Around is how many tickets the entry around it has left; it borrows them all.
func (u *rushing) tickets(ctx context.Context, patient bool, n int, around *int) bool {
	return u.do(ctx, fmt.Sprint("t", n), func(ctx context.Context) error {
		borrowed := min(n, *around)
		*around -= borrowed
		idle := n
		u.count("t", func(c *bulkheadCount) { c.reserved += uint64(n - borrowed) })
		u.spend(&idle, u.asks(ctx, "mt", u.random.IntN(4), u.random.IntN(2) == 0, patient))
		u.spend(&idle, u.asks(ctx, "xt", u.random.IntN(3), false, patient))
		if u.random.IntN(2) == 0 {
			u.tickets(ctx, patient, 3, &idle)
		}
		back := min(idle, borrowed)
		*around += back
		u.count("t", func(c *bulkheadCount) { c.unused += uint64(idle - back) })
		return nil
	})
}

// spend counts calls of an entry with so many tickets left.
func (u *rushing) spend(idle *int, asked int) {
	used := min(*idle, asked)
	*idle -= used
	u.count("t", func(c *bulkheadCount) { c.used, c.overflow = c.used+uint64(used), c.overflow+uint64(asked-used) })
}

func (u *rushing) count(bulkhead string, add func(*bulkheadCount)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	add(u.counts[bulkhead])
}

// leases is an entry that makes one call after the other.
func (u *rushing) leases(ctx context.Context) bool {
	return u.do(ctx, "l2", func(ctx context.Context) error {
		asked := u.asks(ctx, "l", u.random.IntN(4), false, false)
		u.count("l", func(c *bulkheadCount) {
			c.reserved, c.used, c.unused = c.reserved+2, c.used+uint64(asked), c.unused+2-uint64(min(1, asked))
		})
		return nil
	})
}

// leasesAtOnce is an entry that makes its calls at once.
func (u *rushing) leasesAtOnce(ctx context.Context) bool {
	return u.do(ctx, "q2", func(ctx context.Context) error {
		asked := u.asks(ctx, "q", u.random.IntN(5), true, false)
		u.count("q", func(c *bulkheadCount) { c.reserved, c.either = c.reserved+2, c.either+uint64(asked) })
		return nil
	})
}

// both is an entry on two bulkheads.
func (u *rushing) both(ctx context.Context, patient bool) bool {
	return u.do(ctx, "both", func(ctx context.Context) error {
		idle := 2
		u.spend(&idle, u.asks(ctx, "mt", u.random.IntN(4), u.random.IntN(2) == 0, patient))
		asked := u.asks(ctx, "l", u.random.IntN(2), false, false)
		u.count("t", func(c *bulkheadCount) { c.reserved, c.unused = c.reserved+2, c.unused+uint64(idle) })
		u.count("l", func(c *bulkheadCount) {
			c.reserved, c.used, c.unused = c.reserved+1, c.used+uint64(asked), c.unused+1-uint64(min(1, asked))
		})
		return nil
	})
}

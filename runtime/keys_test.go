package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	resilience "github.com/resgen-go/resgen/runtime"
)

var (
	byTenant = resilience.Guards{Breaker: "tenants", BreakerBy: "tenant"}
	allByKey = resilience.Guards{
		Breaker: "tenants", BreakerBy: "tenant", Bulkhead: "tenants", BulkheadBy: "tenant", Timeout: "tenants", TimeoutBy: "tenant",
	}
)

// crowd are settings of tenants with room for so many, each of which opens at one
// failure.
func crowd(most int) string {
	return fmt.Sprintf(`{
		"breakers": {"tenants": {"strategy": "CONSECUTIVE_FAILURES", "failureThreshold": 1, "maxInstances": %d}},
		"bulkheads": {"tenants": {"maxConcurrentCalls": 1, "maxInstances": %[1]d}},
	}`, most)
}

// instancesOf are the instances in a snapshot, without their base.
func instancesOf(registry *resilience.Registry, base string) (keys []string) {
	for _, name := range namesOf(registry) {
		if key, is := strings.CutPrefix(name, base+"/"); is {
			keys = append(keys, key)
		}
	}
	return keys
}

func reset(t *testing.T, registry *resilience.Registry, name string) {
	t.Helper()
	b, err := registry.Breaker(name)
	if err != nil {
		t.Fatal(err)
	}
	b.Reset("test")
}

func expectInstances(t *testing.T, registry *resilience.Registry, want ...string) {
	t.Helper()
	if got := instancesOf(registry, "tenants"); !slices.Equal(got, want) {
		t.Errorf("the instances are %q, want %q", got, want)
	}
}

// crowdings counts the events that tell of no room.
type crowdings struct{ n atomic.Int64 }

func (c *crowdings) Observe(e resilience.Event) {
	if _, is := e.(resilience.Crowded); is {
		c.n.Add(1)
	}
}

func TestClientsC12ADeadTenantTakesNoneOfTheOthersCalls(t *testing.T) {
	registry := newRegistry(t, `{"breakers": {"tenants": {"strategy": "CONSECUTIVE_FAILURES", "failureThreshold": 2}}}`)
	guard := newGuard(t, registry, byTenant)
	lost := 0
	for i := range 100 {
		key, next := "well", returns(nil)
		if i%2 == 0 {
			key, next = "dead", returns(errDown)
		}
		err := do(t.Context(), guard.For(key), next)
		if err != nil && !errors.Is(err, resilience.ErrOpen) {
			lost++
		}
		if key == "well" && err != nil {
			t.Fatalf("a call of the other tenant: %v", err)
		}
	}
	if lost != 2 {
		t.Errorf("%d calls of the dead tenant were made, want the two that opened its breaker", lost)
	}
	refusal, is := errors.AsType[*resilience.RefusalError](do(t.Context(), guard.For("dead"), returns(nil)))
	if !is || refusal.Name != "tenants/dead" || !strings.Contains(refusal.Error(), "breaker tenants/dead is OPEN") {
		t.Errorf("refused with %v", refusal)
	}
	if got := breakerOf(t, registry, "tenants"); got.State != resilience.Closed || got.RefusedTotal != 0 {
		t.Errorf("the base took part: %+v", got)
	}
}

func TestClientsC13AMillionKeysTakeNoMoreThanThereIsRoomFor(t *testing.T) {
	most, all := 1000, 1_000_001
	if testing.Short() {
		most, all = 100, 20_001
	}
	for name, next := range map[string]func(context.Context) error{"well": returns(nil), "failing": returns(errDown)} {
		t.Run(name, func(t *testing.T) {
			told := new(crowdings)
			registry := newRegistry(t, fmt.Sprintf(`{"breakers": {"tenants": {"strategy": "CONSECUTIVE_FAILURES", "failureThreshold": 1, "testDelay": "1h", "maxInstances": %d}}}`, most),
				resilience.Observe(told))
			guard := newGuard(t, registry, byTenant)
			call := func(i int) { do(t.Context(), guard.For(fmt.Sprint("key", i)), next) }
			for i := range 2 * most {
				call(i)
			}
			before := heapNow()
			for i := 2 * most; i < all; i++ {
				call(i)
			}
			if grown := heapNow() - before; grown > 1<<20 {
				t.Errorf("the heap grew by %d bytes", grown)
			}
			if n := len(instancesOf(registry, "tenants")); n != most {
				t.Errorf("there are %d instances, want %d", n, most)
			}
			registry.Close()
			keys, want := registry.Snapshot().Keys[0], resilience.KeysSnapshot{Name: "tenants", Instances: most, MaxInstances: most}
			events := int64(0)
			if name == "failing" {
				events, want.Beyond = 1, uint64(all-most)
			} else {
				want.Evicted = uint64(all - most)
			}
			if keys != want {
				t.Errorf("the figures are %+v, want %+v", keys, want)
			}
			if got := told.n.Load(); got != events {
				t.Errorf("%d events, want %d", got, events)
			}
			runtime.KeepAlive(guard)
		})
	}
}

func heapNow() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestClientsC13TheBaseNameServesWhereNoInstanceIsAtRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := new(crowdings)
		registry := newRegistry(t, crowd(2), resilience.Observe(told))
		guard := newGuard(t, registry, byTenant)
		do(t.Context(), guard.For("a"), returns(errDown))
		do(t.Context(), guard.For("b"), returns(errDown))
		for range 3 {
			if err := do(t.Context(), guard.For("c"), returns(nil)); err != nil {
				t.Errorf("beyond the room: %v", err)
			}
		}
		if guard.For("c") != guard {
			t.Error("the guard of a key without room is not that of the base name")
		}
		expectInstances(t, registry, "a", "b")
		do(t.Context(), guard.For("d"), returns(errDown))
		if err := do(t.Context(), guard.For("e"), returns(nil)); !errors.Is(err, resilience.ErrOpen) {
			t.Errorf("the base is OPEN, but a call of a further key returned %v", err)
		}
		reset(t, registry, "tenants/a")
		guard.For("f")
		expectInstances(t, registry, "b", "f")
		synctest.Wait()
		if got := told.n.Load(); got != 1 {
			t.Errorf("%d events of one stretch", got)
		}
		do(t.Context(), guard.For("f"), returns(errDown))
		guard.For("g")
		synctest.Wait()
		if got := told.n.Load(); got != 1 {
			t.Errorf("%d events in one minute", got)
		}
		reset(t, registry, "tenants/f")
		do(t.Context(), guard.For("h"), returns(errDown))
		time.Sleep(time.Minute)
		guard.For("i")
		synctest.Wait()
		if got := told.n.Load(); got != 2 {
			t.Errorf("%d events, want another one of a later stretch", got)
		}
	})
}

// However many are busy, one that has come to rest is found at the next new key.
func TestAnInstanceThatHasClosedAmongManyIsFound(t *testing.T) {
	const most = 500
	registry := newRegistry(t, crowd(most))
	guard := newGuard(t, registry, byTenant)
	for i := range most {
		do(t.Context(), guard.For(fmt.Sprint(i)), returns(errDown))
	}
	for _, i := range []int{0, 77, 250, most - 1} {
		if guard.For("new") != guard {
			t.Fatal("there is room")
		}
		name := fmt.Sprint("tenants/", i)
		reset(t, registry, name)
		do(t.Context(), guard.For(fmt.Sprint("new", i)), returns(errDown))
		if names := namesOf(registry); slices.Contains(names, name) || !slices.Contains(names, fmt.Sprint("tenants/new", i)) {
			t.Errorf("%s has not made room", name)
		}
	}
}

func TestTheInstanceUsedBeforeAllOthersMakesRoom(t *testing.T) {
	registry := newRegistry(t, crowd(3))
	guard := newGuard(t, registry, byTenant)
	for _, step := range []struct{ use, want string }{
		{"a b c", "a b c"},
		{"a d", "a c d"}, // b was used before all others
		{"d c a c e", "a c e"},
		{"a c e a f", "a e f"},
		{"e a f b", "a b f"},
		{"b b b b b b b b b b b b b b b b b b b b a f c", "a c f"},
	} {
		for key := range strings.FieldsSeq(step.use) {
			do(t.Context(), guard.For(key), returns(nil))
		}
		expectInstances(t, registry, strings.Fields(step.want)...)
	}
}

// hammer makes calls by many keys from several goroutines.
func hammer(call func(key string, random *rand.Rand)) {
	var callers sync.WaitGroup
	for n := range 8 {
		callers.Go(func() {
			random := rand.New(rand.NewPCG(uint64(n), 14))
			for range 3000 {
				call(fmt.Sprint("key", random.IntN(40)), random)
			}
		})
	}
	callers.Wait()
}

// Whatever calls run at the same time, a breaker that has opened is there until it is
// CLOSED again.
func TestClientsC14NoBreakerGoesThatIsNotClosed(t *testing.T) {
	var mu sync.Mutex
	open, opened := map[string]bool{}, 0
	observer := resilience.ObserverFunc(func(e resilience.Event) {
		if e, is := e.(resilience.Transition); is {
			mu.Lock()
			defer mu.Unlock()
			open[e.Breaker] = e.To != resilience.Closed
			opened++
		}
	})
	registry := newRegistry(t, `{
		"breakers": {"tenants": {"strategy": "CONSECUTIVE_FAILURES", "failureThreshold": 1, "testDelay": "2ms", "maxInstances": 8}},
		"bulkheads": {"tenants": {"maxInstances": 8}}
	}`, resilience.Observe(observer))
	all, alone := newGuard(t, registry, allByKey), newGuard(t, registry, byTenant)
	hammer(func(key string, random *rand.Rand) {
		guard, err := all, error(nil)
		if random.IntN(2) == 0 {
			guard = alone
		}
		if random.IntN(10) == 0 {
			err = errDown
		}
		g := guard.For(key)
		runtime.Gosched()
		do(t.Context(), g, func(context.Context) error { runtime.Gosched(); return err })
	})
	registry.Close()
	keys := registry.Snapshot().Keys[0]
	if keys.Evicted == 0 || keys.Beyond == 0 || keys.Instances > 8 {
		t.Errorf("the figures are %+v", keys)
	}
	names := namesOf(registry)
	mu.Lock()
	defer mu.Unlock()
	for name, is := range open {
		if is && !slices.Contains(names, name) {
			t.Errorf("breaker %s is not CLOSED, and gone", name)
		}
	}
	if opened == 0 {
		t.Error("no breaker opened")
	}
	runtime.KeepAlive(all)
}

// A call may have found its guard and not begun when the instance goes: then it must
// not run beside a call on the next instance of its key.
func TestClientsC14NoCallRunsOnAnInstanceThatHasGone(t *testing.T) {
	registry := newRegistry(t, `{"bulkheads": {"tenants": {"maxConcurrentCalls": 1, "maxInstances": 9}}}`) // one for each goroutine, and one more
	guard := newGuard(t, registry, resilience.Guards{Bulkhead: "tenants", BulkheadBy: "tenant"})
	var running sync.Map
	hammer(func(key string, random *rand.Rand) {
		g := guard.For(key)
		runtime.Gosched()
		do(t.Context(), g, func(context.Context) error {
			if _, runs := running.LoadOrStore(key, true); runs {
				t.Error("two calls of one key run at the same time; its bulkhead has one permit")
			}
			runtime.Gosched()
			running.Delete(key)
			return nil
		})
	})
	if keys := registry.Snapshot().Keys[0]; keys.Evicted == 0 || keys.Beyond > 0 {
		t.Errorf("the figures are %+v", keys)
	}
	runtime.KeepAlive(guard)
}

func TestWhatIsInUseOrWaitingDoesNotGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"bulkheads": {"tenants": {"maxConcurrentCalls": 1, "maxWaitDuration": "1m", "maxInstances": 1}}}`)
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "tenants", BulkheadBy: "tenant"})
		end := make(chan struct{})
		var calls sync.WaitGroup
		for range 2 {
			calls.Go(func() {
				do(t.Context(), guard.For("a"), func(context.Context) error { <-end; return nil })
			})
		}
		synctest.Wait()
		if guard.For("b") != guard {
			t.Error("the instance went although a call runs")
		}
		end <- struct{}{}
		synctest.Wait()
		if guard.For("b") != guard {
			t.Error("the instance went although the call that waited runs")
		}
		close(end)
		calls.Wait()
		if guard.For("b") == guard {
			t.Error("there is room now")
		}
		expectInstances(t, registry, "b")
	})
}

func TestKeysOfManyGoroutinesAreCountedExactly(t *testing.T) {
	const keys, callers, each = 1000, 64, 100_000 / 64
	registry := newRegistry(t, `{"breakers": {"default": {"failureThreshold": 10000, "failureThresholdCapacity": 10000}}}`, resilience.Count())
	guard := newGuard(t, registry, allByKey)
	var made, failed [keys]atomic.Uint64
	var group sync.WaitGroup
	for n := range callers {
		group.Go(func() {
			random := rand.New(rand.NewPCG(uint64(n), 1))
			for range each {
				key := random.IntN(keys)
				err := error(nil)
				if random.IntN(5) == 0 {
					err = errDown
				}
				if got := do(t.Context(), guard.For(fmt.Sprint(key)), returns(err)); errors.Is(got, resilience.ErrFull) {
					continue
				}
				made[key].Add(1)
				if err != nil {
					failed[key].Add(1)
				}
			}
		})
	}
	group.Wait()
	for key := range keys {
		b := breakerOfAll(registry, fmt.Sprint("tenants/", key))
		if b.SuccessesTotal != made[key].Load()-failed[key].Load() || b.FailuresTotal != failed[key].Load() {
			t.Fatalf("key %d: %d good and %d failed, of %d with %d failed", key, b.SuccessesTotal, b.FailuresTotal, made[key].Load(), failed[key].Load())
		}
	}
	runtime.KeepAlive(guard)
}

func breakerOfAll(registry *resilience.Registry, name string) resilience.BreakerSnapshot {
	all := registry.Snapshot().Breakers
	if i := slices.IndexFunc(all, func(b resilience.BreakerSnapshot) bool { return b.Name == name }); i >= 0 {
		return all[i]
	}
	return resilience.BreakerSnapshot{}
}

func TestAnEmptyKeyIsTheBaseName(t *testing.T) {
	registry := newRegistry(t, crowd(2))
	guard := newGuard(t, registry, byTenant)
	if guard.For("") != guard || newGuard(t, registry, resilience.Guards{Breaker: "other"}).For("a") == nil {
		t.Error("the guard is another one")
	}
	expectInstances(t, registry)
}

func TestAnyKeyHasAName(t *testing.T) {
	registry := newRegistry(t, "{}", resilience.Count())
	guard := newGuard(t, registry, byTenant)
	long := strings.Repeat("x", 1<<20)
	for _, key := range []string{"a b", "é", "\n", long, long, "50%"} {
		if err := do(t.Context(), guard.For(key), returns(nil)); err != nil {
			t.Errorf("%.20q: %v", key, err)
		}
	}
	names := instancesOf(registry, "tenants")
	for _, name := range names {
		if len(name) > 100 || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Errorf("an instance is called %q", name)
		}
	}
	if len(names) != 5 {
		t.Errorf("the instances are %q", names)
	}
}

func TestKeysHaveTheSettingsOfTheirFullNamesElseOfTheBase(t *testing.T) {
	text := `{"bulkheads": {"tenants": {"maxConcurrentCalls": 3, "maxInstances": 2}, "tenants/b": {"maxConcurrentCalls": 5}}}`
	source := source{read: func() ([]byte, error) { return []byte(text), nil }, follow: func(func()) (func(), error) { return nil, nil }}
	var changed []string
	observer := resilience.ObserverFunc(func(e resilience.Event) {
		if reloaded, is := e.(resilience.Reloaded); is {
			changed = reloaded.Changed
		}
	})
	registry, err := resilience.New(resilience.Follow(source), resilience.Strict(), resilience.Logger(nil), resilience.Observe(observer))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	guard := newGuard(t, registry, resilience.Guards{Bulkhead: "tenants", BulkheadBy: "tenant"})
	guard.For("a")
	guard.For("b") // there is no room for more
	for name, want := range map[string]int{"tenants/a": 3, "tenants/b": 5} {
		if got := bulkheadOf(t, registry, name).MaxConcurrentCalls; got != want {
			t.Errorf("%s has %d, want %d", name, got, want)
		}
	}
	text = `{"bulkheads": {"tenants": {"maxConcurrentCalls": 4, "maxInstances": 1}}}`
	if err := registry.Reload(); err != nil {
		t.Fatal(err)
	}
	if got := bulkheadOf(t, registry, "tenants/a").MaxConcurrentCalls; got != 4 {
		t.Errorf("tenants/a has %d after the settings changed", got)
	}
	guard.For("c")
	expectInstances(t, registry, "c")
	registry.Close()
	want := []string{"bulkheads.tenants", "bulkheads.tenants/b"} // not one for each key
	if diff := cmp.Diff(want, changed); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	runtime.KeepAlive(guard)
}

func TestKindsThatAreNotByKeyAreShared(t *testing.T) {
	registry := newRegistry(t, `{"bulkheads": {"pool": {"maxConcurrentCalls": 1}}}`)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "tenants", BreakerBy: "tenant", Bulkhead: "pool"})
	err := do(t.Context(), guard.For("a"), func(context.Context) error {
		return do(t.Context(), guard.For("b"), returns(nil))
	})
	if !errors.Is(err, resilience.ErrFull) {
		t.Errorf("another key found a permit: %v", err)
	}
	if got, want := namesOf(registry), []string{"pool", "tenants", "tenants/a", "tenants/b"}; !slices.Equal(got, want) {
		t.Errorf("there are %q", got)
	}
}

func TestNamesOfOneKeyComeAndGoEachForItself(t *testing.T) {
	registry := newRegistry(t, `{"breakers": {"tenants": {"maxInstances": 1}}, "bulkheads": {"pool": {"maxInstances": 2}}}`)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "tenants", BreakerBy: "tenant", Bulkhead: "pool", BulkheadBy: "tenant"})
	for _, key := range []string{"a", "b", "a"} {
		if err := do(t.Context(), guard.For(key), returns(nil)); err != nil {
			t.Error(err)
		}
	}
	if got, want := namesOf(registry), []string{"pool", "pool/a", "pool/b", "tenants", "tenants/a"}; !slices.Equal(got, want) {
		t.Errorf("there are %q, want %q", got, want)
	}
}

func TestForgetEndsAKey(t *testing.T) {
	registry := newRegistry(t, crowd(2))
	guard := newGuard(t, registry, allByKey)
	do(t.Context(), guard.For("a"), returns(errDown))
	if err := registry.Forget("tenants/a"); err != nil {
		t.Fatal(err)
	}
	expectInstances(t, registry)
	if err := registry.Forget("tenants/a"); err == nil {
		t.Error("it was forgotten twice")
	}
	if err := do(t.Context(), guard.For("a"), returns(nil)); err != nil {
		t.Errorf("the key begins anew, but a call returned %v", err)
	}
	expectInstances(t, registry, "a")
	if got := registry.Snapshot().Keys[0].Instances; got != 1 {
		t.Errorf("the figures count %d", got)
	}
}

// A call that waits when its instance goes must find the new one.
func TestACallThatWaitedForAForgottenKeyBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"bulkheads": {"tenants": {"maxConcurrentCalls": 1, "maxWaitDuration": "1m"}}}`)
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "tenants", BulkheadBy: "tenant"})
		end := make(chan struct{})
		go do(t.Context(), guard.For("a"), func(context.Context) error { <-end; return nil })
		synctest.Wait()
		go do(t.Context(), guard.For("a"), func(context.Context) error { <-end; return nil })
		synctest.Wait()
		registry.Forget("tenants/a")
		end <- struct{}{}
		synctest.Wait()
		if got := bulkheadOf(t, registry, "tenants/a").InUse; got != 1 {
			t.Errorf("%d calls run on the new instance", got)
		}
		close(end)
		synctest.Wait()
	})
}

func TestAThousandKeysOfACollectedWrapperLeaveNothing(t *testing.T) {
	registry := newRegistry(t, "{}")
	goroutines := runtime.NumGoroutine()
	comeAndGo := func() (heap int64) {
		guard := newGuard(t, registry, allByKey)
		for i := range 1000 {
			do(t.Context(), guard.For(fmt.Sprint(i)), returns(nil))
		}
		guard = nil
		waitFor(t, "instances", func() int { return len(instancesOf(registry, "tenants")) })
		waitFor(t, "goroutines", func() int { return max(0, runtime.NumGoroutine()-goroutines) })
		return heapNow()
	}
	first := comeAndGo() // maps keep their room for others
	if grown := comeAndGo() - first; grown > 50_000 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	if keys := registry.Snapshot().Keys; keys != nil {
		t.Errorf("the snapshot has %+v", keys)
	}
}

// waitFor waits until none is left, once what nobody holds is collected.
func waitFor(t *testing.T, what string, left func() int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); left() > 0; runtime.GC() {
		if time.Now().After(deadline) {
			t.Fatalf("%d %s are left", left(), what)
		}
		runtime.Gosched()
	}
}

func TestAWrapperOfAnInstanceKeepsItsKey(t *testing.T) {
	registry := newRegistry(t, `{"breakers": {"solver": {"maxInstances": 1}}}`)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "solver", BreakerBy: "tenant"})
	guard.For("a")
	s := newSolver(t, registry, returns(nil), resilience.Instance("a"))
	if guard.For("b") != guard {
		t.Error("the instance of a wrapper made room")
	}
	runtime.KeepAlive(s)
}

func TestKeysOfAnInstance(t *testing.T) {
	registry := newRegistry(t, "{}")
	wiring, err := resilience.Wire(registry, "example.test/dns", "dns.Solver", returns(nil), resilience.Instance("eu"))
	if err != nil {
		t.Fatal(err)
	}
	guard := wiring.Guard("Resolve", byTenant)
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	do(t.Context(), guard.For("acme"), returns(nil))
	expectInstances(t, registry, "eu", "eu/acme")
	runtime.KeepAlive(guard)
}

func TestAGateAsksTheInstancesThatCallsMade(t *testing.T) {
	registry := newRegistry(t, crowd(2))
	guard := newGuard(t, registry, byTenant)
	entry := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "tenants"}}})
	begins := func() bool { return do(t.Context(), entry, returns(nil)) == nil }
	if !begins() {
		t.Error("no instance is made yet")
	}
	do(t.Context(), guard.For("a"), returns(errDown))
	if begins() {
		t.Error("the only instance is OPEN")
	}
	do(t.Context(), guard.For("b"), returns(nil))
	if !begins() {
		t.Error("one instance would admit the call")
	}
	do(t.Context(), guard.For("b"), returns(errDown))
	reset(t, registry, "tenants/a")
	do(t.Context(), guard.For("c"), returns(errDown)) // a makes room
	if begins() {
		t.Error("both instances are OPEN")
	}
}

func TestAnEntryHasNoGuardsByKey(t *testing.T) {
	wiring := newWiring(newRegistry(t, "{}"), "Client")
	guards := byTenant
	guards.Preload = permits("stock", 1)
	wiring.Guard("Do", guards)
	if err := wiring.Done(); err == nil || !strings.Contains(err.Error(), "an entry has no guards by key") {
		t.Errorf("the error is %v", err)
	}
}

func TestACallByKeyAllocatesNothing(t *testing.T) {
	registry := newRegistry(t, "{}")
	guards := allByKey
	guards.Timeout, guards.TimeoutBy = "", ""
	for name, guard := range map[string]*resilience.Guard{"breaker": newGuard(t, registry, byTenant), "bulkhead": newGuard(t, registry, guards)} {
		next, ctx := returns(nil), t.Context()
		do(ctx, guard.For("acme"), next)
		if n := testing.AllocsPerRun(100, func() { do(ctx, guard.For("acme"), next) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkKey(b *testing.B) {
	registry := newRegistry(b, "{}")
	guard := newGuard(b, registry, byTenant)
	keys := make([]string, 1000)
	for i := range keys {
		keys[i] = fmt.Sprint("tenant-", i)
		guard.For(keys[i])
	}
	next, ctx := returns(nil), context.Background()
	b.Run("without", func(b *testing.B) {
		for b.Loop() {
			do(ctx, guard, next)
		}
	})
	b.Run("one", func(b *testing.B) {
		for b.Loop() {
			do(ctx, guard.For("tenant-7"), next)
		}
	})
	b.Run("thousand", func(b *testing.B) {
		i := 0
		for b.Loop() {
			do(ctx, guard.For(keys[i]), next)
			if i++; i == len(keys) {
				i = 0
			}
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			i := rand.IntN(len(keys))
			for pb.Next() {
				do(ctx, guard.For(keys[i]), next)
				if i++; i == len(keys) {
					i = 0
				}
			}
		})
	})
	b.Run("new", func(b *testing.B) {
		i := 0
		for b.Loop() {
			i++
			do(ctx, guard.For(fmt.Sprint(i)), next)
		}
	})
}

package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// solver is a wrapper like those that are generated, of one server of a pool.
type solver struct {
	next    func(context.Context) error
	resolve *resilience.Guard
}

var solverGuards = resilience.Guards{Breaker: "solver", Bulkhead: "solver", Timeout: "solver"}

func newSolver(t testing.TB, registry *resilience.Registry, next func(context.Context) error, options ...resilience.WrapperOption) *solver {
	t.Helper()
	s, err := makeSolver(registry, next, nil, options...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func makeSolver(registry *resilience.Registry, next, probe func(context.Context) error, options ...resilience.WrapperOption) (*solver, error) {
	wiring, err := resilience.Wire(registry, "example.test/dns", "dns.Solver", next, options...)
	if err != nil {
		return nil, err
	}
	s := &solver{next, wiring.Guard("Resolve", solverGuards)}
	if probe != nil {
		wiring.Probe("solver", probe)
	}
	return s, wiring.Done()
}

func (s *solver) Resolve() error { return do(context.Background(), s.resolve, s.next) }

// names are those of breakers, bulkheads and timeouts in a snapshot, each once.
func namesOf(registry *resilience.Registry) []string {
	var names []string
	s := registry.Snapshot()
	for _, b := range s.Breakers {
		names = append(names, b.Name)
	}
	for _, b := range s.Bulkheads {
		names = append(names, b.Name)
	}
	for _, b := range s.Timeouts {
		names = append(names, b.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

const twoFailures = `{"breakers": {"solver": {"strategy": "CONSECUTIVE_FAILURES", "failureThreshold": 2}}}`

func TestClientsC12ADeadServerOfAPoolTakesNoneOfTheOthersCalls(t *testing.T) {
	registry := newRegistry(t, twoFailures)
	dead := errors.New("connection refused")
	pool := []*solver{
		newSolver(t, registry, returns(dead), resilience.Instance("8.8.8.8")),
		newSolver(t, registry, returns(nil), resilience.Instance("1.1.1.1")),
	}
	lost := 0
	for i := range 100 {
		err := pool[i%2].Resolve()
		if errors.Is(err, resilience.ErrOpen) {
			err = pool[(i+1)%2].Resolve() // as a pool does where a server is known to be dead
		}
		if err != nil {
			lost++
		}
	}
	if lost != 2 {
		t.Errorf("%d lookups were lost, want the two that opened the breaker", lost)
	}
	if got := breakerOf(t, registry, "solver/1.1.1.1").State; got != resilience.Closed {
		t.Errorf("the breaker of the server that is well is %v", got)
	}
	runtime.KeepAlive(pool)
}

func TestAnInstanceIsNamedWhereverItsGuardsAre(t *testing.T) {
	registry := newRegistry(t, twoFailures)
	s := newSolver(t, registry, returns(errors.New("down")), resilience.Instance("8.8.8.8"))
	s.Resolve()
	s.Resolve()
	refusal, ok := errors.AsType[*resilience.RefusalError](s.Resolve())
	if !ok || refusal.Name != "solver/8.8.8.8" || !strings.Contains(refusal.Error(), "breaker solver/8.8.8.8 is OPEN") {
		t.Errorf("refused with %v", refusal)
	}
	if got, want := namesOf(registry), []string{"solver/8.8.8.8"}; !slices.Equal(got, want) {
		t.Errorf("the snapshot has %q, want %q", got, want)
	}
	runtime.KeepAlive(s)
}

func TestAnInstanceHasTheSettingsOfItsFullNameElseOfItsBase(t *testing.T) {
	text := `{"bulkheads": {"default": {"maxConcurrentCalls": 1}, "solver": {"maxConcurrentCalls": 3}, "solver/b": {"maxConcurrentCalls": 5}}}`
	registry, err := resilience.New(resilience.Follow(source{
		read:   func() ([]byte, error) { return []byte(text), nil },
		follow: func(func()) (func(), error) { return nil, nil },
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	a := newSolver(t, registry, returns(nil), resilience.Instance("a"))
	b := newSolver(t, registry, returns(nil), resilience.Instance("b"))
	for name, want := range map[string]int{"solver/a": 3, "solver/b": 5} {
		if got := bulkheadOf(t, registry, name).MaxConcurrentCalls; got != want {
			t.Errorf("%s has %d permits, want %d", name, got, want)
		}
	}
	text = `{"bulkheads": {"solver": {"maxConcurrentCalls": 4}, "solver/a": {"maxConcurrentCalls": 9}}}`
	if err := registry.Reload(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"solver/a": 9, "solver/b": 4} {
		if got := bulkheadOf(t, registry, name).MaxConcurrentCalls; got != want {
			t.Errorf("%s has %d permits after the reload, want %d", name, got, want)
		}
	}
	runtime.KeepAlive([]*solver{a, b})
}

func TestStrictSettingsOfTheBaseCoverItsInstances(t *testing.T) {
	const all = `{"breakers": {"solver": {}}, "bulkheads": {"solver": {}}, "timeouts": {"solver": {}}}`
	registry := newRegistry(t, all, resilience.Strict())
	newSolver(t, registry, returns(nil), resilience.Instance("a"))
	registry = newRegistry(t, `{"breakers": {"other": {}}}`, resilience.Strict())
	if _, err := makeSolver(registry, returns(nil), nil, resilience.Instance("a")); err == nil || !strings.Contains(err.Error(), `breakers has no "solver/a"`) {
		t.Errorf("got %v", err)
	}
}

func TestAGateOfANamePassesWhereAnyInstanceWouldAdmit(t *testing.T) {
	registry := newRegistry(t, twoFailures)
	any := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "solver"}}})
	one := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "solver/a"}}})
	check := func(when string, guard *resilience.Guard, refusedBy string) {
		t.Helper()
		err := do(t.Context(), guard, returns(nil))
		refusal, _ := errors.AsType[*resilience.RefusalError](err)
		switch {
		case refusedBy == "" && err != nil:
			t.Errorf("%s: %v", when, err)
		case refusedBy != "" && (refusal == nil || !slices.Equal(refusal.Gates, []string{refusedBy})):
			t.Errorf("%s: %v, want a refusal by %s", when, err, refusedBy)
		}
	}
	check("no instance", any, "")
	check("no instance", one, "")
	a := newSolver(t, registry, returns(nil), resilience.Instance("a"))
	b := newSolver(t, registry, returns(nil), resilience.Instance("b"))
	trip(t, registry, "solver/a")
	check("one of two is open", any, "")
	check("its own is open", one, "solver/a")
	time.Sleep(2 * time.Millisecond)
	trip(t, registry, "solver/b")
	check("both are open", any, "solver/a") // whose delay ends first
	if err := registry.Forget("solver/a"); err != nil {
		t.Fatal(err)
	}
	check("the other one is open", any, "solver/b")
	check("it is forgotten", one, "")
	again := newSolver(t, registry, returns(nil), resilience.Instance("a"))
	check("a new one is well", any, "")
	trip(t, registry, "solver/a")
	check("the new one is open", one, "solver/a")
	runtime.KeepAlive([]*solver{a, b, again})
}

func trip(t *testing.T, registry *resilience.Registry, name string) {
	t.Helper()
	b, err := registry.Breaker(name)
	if err != nil {
		t.Fatal(err)
	}
	b.Trip("test")
}

func TestForgetEndsAnInstanceAndTheNextOneIsNew(t *testing.T) {
	registry := newRegistry(t, twoFailures)
	old := newSolver(t, registry, returns(errors.New("down")), resilience.Instance("a"))
	old.Resolve()
	old.Resolve()
	if err := registry.Forget("solver/a"); err != nil {
		t.Fatal(err)
	}
	if got := namesOf(registry); len(got) > 0 {
		t.Errorf("still there: %q", got)
	}
	if err := old.Resolve(); !errors.Is(err, resilience.ErrOpen) {
		t.Errorf("the wrapper that is held does not go on: %v", err)
	}
	s := newSolver(t, registry, returns(nil), resilience.Instance("a"))
	if err := s.Resolve(); err != nil {
		t.Error(err)
	}
	old = nil
	for range 3 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if got := namesOf(registry); len(got) != 1 {
		t.Errorf("the end of the old wrapper ended the new one: %q", got)
	}
	for _, name := range []string{"solver/b", "solver", ""} {
		if err := registry.Forget(name); err == nil || !strings.Contains(err.Error(), "is in use") {
			t.Errorf("of %q: %v", name, err)
		}
	}
	runtime.KeepAlive(s)
}

func TestWrappersOfOneInstanceShareItsGuardsUntilTheLastIsGone(t *testing.T) {
	registry := newRegistry(t, twoFailures)
	first := newSolver(t, registry, returns(errors.New("down")), resilience.Instance("a"))
	second := newSolver(t, registry, returns(nil), resilience.Instance("a"))
	first.Resolve()
	first.Resolve()
	first = nil
	for range 3 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if err := second.Resolve(); !errors.Is(err, resilience.ErrOpen) {
		t.Errorf("the second does not share the breaker: %v", err)
	}
	second = nil
	wantNothingLeft(t, registry)
}

// wantNothingLeft fails if guards are left, though nobody holds their wrappers.
func wantNothingLeft(t *testing.T, registry *resilience.Registry) {
	t.Helper()
	for range 500 {
		runtime.GC()
		if len(namesOf(registry)) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d names are left", len(namesOf(registry)))
}

func TestAThousandInstancesLeaveNothingBehind(t *testing.T) {
	registry := newRegistry(t, `{"breakers": {"solver": {"strategy": "CANARY_RATE_THRESHOLD"}}}`)
	gate := newGuard(t, registry, resilience.Guards{Check: []resilience.Calls{{Breaker: "solver"}}})
	base := namesOf(registry)
	before := runtime.NumGoroutine()
	makeAll := func() (all []*solver) {
		for i := range 1000 {
			s, err := makeSolver(registry, returns(nil), returns(errors.New("down")), resilience.Instance(fmt.Sprint("server-", i)))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		return all
	}
	wantBase := func(how string) {
		t.Helper()
		for range 500 {
			runtime.GC()
			if slices.Equal(namesOf(registry), base) && runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("%s: %d names and %d goroutines are left of %d and %d", how, len(namesOf(registry)), runtime.NumGoroutine(), len(base), before)
	}
	heap, files := heapNow(), descriptors(t)
	held := makeAll()
	took := heapNow() - heap
	for i := range 1000 {
		if err := registry.Forget(fmt.Sprint("solver/server-", i)); err != nil {
			t.Fatal(err)
		}
	}
	wantBase("forgotten")
	runtime.KeepAlive(held)
	held = nil
	makeAll()
	wantBase("held no more")
	if grown := heapNow() - heap; grown > took/2 { // maps keep their room for others
		t.Errorf("the heap grew by %d bytes, and a thousand take %d", grown, took)
	}
	if now := descriptors(t); now > files {
		t.Errorf("%d descriptors are left of %d", now, files)
	}
	runtime.KeepAlive(gate)
}

// descriptors is the number of files that the process has open, where the system says so.
func descriptors(t *testing.T) int {
	t.Helper()
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Log("the descriptors are not counted:", err)
	}
	return len(open)
}

func TestAConstructorThatFailsHoldsNoInstance(t *testing.T) {
	registry := newRegistry(t, twoFailures)
	probe := returns(nil)
	first, err := makeSolver(registry, returns(nil), probe, resilience.Instance("a"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := makeSolver(registry, returns(nil), probe, resilience.Instance("a")); err == nil {
		t.Fatal("a second probe is taken")
	}
	if got := namesOf(registry); len(got) != 1 {
		t.Errorf("the failure ended the first: %q", got)
	}
	runtime.KeepAlive(first)
	first = nil
	wantNothingLeft(t, registry)
}

func TestOptionsOfAConstructorAreChecked(t *testing.T) {
	registry := newRegistry(t, `{}`)
	for _, name := range []string{"a b", "ä", "a\n", "\x00"} {
		if _, err := makeSolver(registry, returns(nil), nil, resilience.Instance(name)); err == nil || !strings.Contains(err.Error(), "printable ASCII") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := makeSolver(registry, returns(nil), nil, nil); err == nil || !strings.Contains(err.Error(), "option 1 of its constructor is nil") {
		t.Error(err)
	}
	newSolver(t, registry, returns(nil), resilience.Instance(""))
	if got := namesOf(registry); !slices.Equal(got, []string{"solver"}) {
		t.Errorf("an empty name gave %q", got)
	}
}

package resilience_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
)

// slowFleet lets a test stop a reload while it checks settings or applies them.
type slowFleet struct {
	fleet
	configure, join func()
}

func (f *slowFleet) Configure(*sharedstate.Settings, bool) error { f.configure(); return nil }

func (f *slowFleet) Join(*breaker.Breaker, breaker.Fleet) { f.join() }

func newSlowFleet() *slowFleet { return &slowFleet{configure: func() {}, join: func() {}} }

func (f *slowFleet) option() resilience.Option {
	return resilience.Share(func() resilience.Adapter { return f })
}

// counted is a source that counts how often it is read.
type counted struct {
	text
	reads atomic.Int32
}

func (s *counted) Read() (string, []byte, error) { s.reads.Add(1); return s.text.Read() }

const shared = `{"sharedState": {"keyPrefix": "shop:", "address": "here:1"}, "breakers": {"b": {"shared": true, "failureThreshold": %d}},
	"bulkheads": {"h": {"maxConcurrentCalls": %[1]d}}}`

// shortly is how long a test watches that something does not happen.
const shortly = 30 * time.Millisecond

func TestFieldMutationWhoReadsFirstAppliesFirst(t *testing.T) {
	fleet, source := newSlowFleet(), new(counted)
	source.set(fmt.Sprintf(shared, 1))
	registry, err := resilience.New(fleet.option(), resilience.Follow(source), resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	inside, goOn := make(chan struct{}), make(chan struct{})
	fleet.configure = sync.OnceFunc(func() { close(inside); <-goOn })
	var reloads sync.WaitGroup
	reloads.Go(func() { registry.Reload() })
	<-inside
	before := source.reads.Load()
	reloads.Go(func() { registry.Reload() })
	time.Sleep(shortly)
	if source.reads.Load() != before {
		t.Error("settings were read before those that had been read were in force, which may come after them")
	}
	close(goOn)
	reloads.Wait()
}

func TestFieldMutationAReloadThatPanicsLeavesTheNextOneWhole(t *testing.T) {
	fleet, source := newSlowFleet(), new(text)
	source.set(fmt.Sprintf(shared, 1))
	registry, err := resilience.New(fleet.option(), resilience.Follow(source), resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Bulkhead: "h"})
	fleet.join = func() { panic("a mistake") }
	source.set(fmt.Sprintf(shared, 2))
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the mistake was hidden")
			}
		}()
		registry.Reload()
	}()
	inside, goOn := make(chan struct{}), make(chan struct{})
	fleet.join = sync.OnceFunc(func() { close(inside); <-goOn })
	source.set(fmt.Sprintf(shared, 3))
	var reloads sync.WaitGroup
	reloads.Go(func() { registry.Reload() })
	<-inside
	called := make(chan error, 1)
	go func() { called <- do(context.Background(), guard, returns(nil)) }()
	select {
	case <-called:
		t.Error("a call began while a half of the settings was in force")
	case <-time.After(shortly):
		defer func() { <-called }()
	}
	close(goOn)
	reloads.Wait()
}

func TestFieldMutationALostNameIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lost []string
		source, registry := newSource(t, `{"breakers": {"b": {}}, "timeouts": {"t": {"duration": "1s"}}}`,
			resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
				if unknown, ok := e.(resilience.UnknownName); ok {
					lost = append(lost, unknown.Section+"."+unknown.Name)
				}
			})))
		newGuard(t, registry, resilience.Guards{Breaker: "b", Timeout: "t"})
		for _, text := range []string{
			`{"timeouts": {"t": {"duration": "1s"}}}`, `{"timeouts": {"t": {"duration": "2s"}}}`, `{}`, `{"bulkheads": {}}`,
			`{"breakers": {"b": {}}}`, `{}`,
		} {
			reload(t, source, registry, text)
		}
		synctest.Wait()
		if got := strings.Join(lost, " "); got != "breakers.b timeouts.t breakers.b" {
			t.Errorf("told %s", got)
		}
	})
}

func TestFieldMutationAWrapperTellsItsFirstHundredFaults(t *testing.T) {
	for faults, want := range map[int]string{100: "", 101: "and 1 more", 102: "and 2 more"} {
		registry := newRegistry(t, `{}`, resilience.Strict())
		wiring := newWiring(registry, "Client")
		for i := range faults {
			for range 2 { // one fault, however often
				wiring.Guard("Do", resilience.Guards{Breaker: fmt.Sprint("b", i)})
			}
		}
		text := wiring.Done().Error()
		lines := strings.Count(text, "breakers has no")
		if lines != 100 || (want == "") == strings.Contains(text, " more") || !strings.HasSuffix(text, want) {
			t.Errorf("of %d faults %d are told, and at the end %q", faults, lines, text[len(text)-20:])
		}
	}
}

package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// source is a Source made of functions.
type source struct {
	read   func() ([]byte, error)
	follow func(changed func()) (func(), error)
}

func (s source) Read() (string, []byte, error) {
	text, err := s.read()
	return "resilience.json", text, err
}

func (s source) Follow(changed func()) (func(), error) { return s.follow(changed) }

func TestFirstReadingIsTheOneInForceWhateverChangesBeforeIt(t *testing.T) {
	texts := []string{`{"bulkheads": {`, `{"bulkheads": {"b": {"maxConcurrentCalls": 2}}}`}
	s := source{
		read: func() ([]byte, error) {
			text := texts[0]
			texts = texts[1:]
			return []byte(text), nil
		},
		follow: func(changed func()) (func(), error) {
			changed()
			return nil, nil
		},
	}
	registry, err := resilience.New(resilience.Follow(s), resilience.Logger(nil), resilience.Strict())
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	newGuard(t, registry, resilience.Guards{Bulkhead: "b"})
	if got := bulkheadOf(t, registry, "b").MaxConcurrentCalls; got != 2 {
		t.Errorf("the size is %d, want 2", got)
	}
}

func TestSourceThatCannotBeFollowedIsAnErrorOfTheConstructor(t *testing.T) {
	s := source{follow: func(func()) (func(), error) { return nil, errDown }}
	if _, err := resilience.New(resilience.Follow(s)); !errors.Is(err, errDown) {
		t.Errorf("got %v, want the source's error", err)
	}
}

func TestBadSettingsAreAnErrorOfTheConstructor(t *testing.T) {
	_, err := resilience.New(resilience.Settings("resilience.json",
		[]byte(`{"breakers": {"payments": {"failureTreshold": 3, "testDelay": "-1s"}}}`)))
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"resilience.json:1:", "failureThreshold", "testDelay"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
}

func TestMissingFileIsAnErrorOfTheConstructor(t *testing.T) {
	_, err := resilience.New(resilience.File(filepath.Join(t.TempDir(), "none.json")))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want ErrNotExist", err)
	}
}

func TestConstructorReturnsAllItsFaultsAndStartsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"p": {"strategy": "CANARY_RATE_THRESHOLD"}, "q": {}}}`)
		wire := func(breakers ...string) (probed *int, err error) {
			probed = new(int)
			wiring := newWiring(registry, "Client")
			for _, name := range breakers {
				wiring.Probe(name, func(context.Context) error { *probed++; return errDown })
			}
			return probed, wiring.Done()
		}
		if _, err := wire("q"); err != nil {
			t.Fatal(err)
		}
		probed, err := wire("p", "q")
		if want := "Client: breaker q has a probe already"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		time.Sleep(10 * time.Second)
		if *probed != 0 {
			t.Errorf("the client whose constructor failed was probed %d times", *probed)
		}
		if _, err := wire("p"); err != nil {
			t.Errorf("the constructor could not be tried again: %v", err)
		}
		wiring := newWiring(registry, "Other")
		wiring.Guard("Do", resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "b", N: 0}}})
		wiring.Guard("Undo", resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "c", N: -1}}})
		wiring.Probe("r", nil)
		err = wiring.Done()
		for _, want := range []string{"bulkhead b: 0 permits", "bulkhead c: -1 permits", "breaker r: its probe is nil"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error lacks %q: %v", want, err)
			}
		}
	})
}

func TestExternalProbeOfAMisspeltNameIsAnError(t *testing.T) {
	registry := newRegistry(t, `{"breakers": {"payments": {}}}`)
	want := `resilience: no breaker "paymnets", did you mean "payments"?`
	if _, err := registry.ExternalProbe("paymnets"); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestNamesWithoutEndAreAnError(t *testing.T) {
	registry := newRegistry(t, `{}`, resilience.Logger(nil))
	wiring := newWiring(registry, "Client")
	for i := range 100_001 {
		wiring.Guard("Do", resilience.Guards{Timeout: fmt.Sprint("t", i)})
	}
	want := "timeouts.t100000: there are 100000 names already"
	if err := wiring.Done(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestClosedRegistryTakesNoWrappersAndGuardsOn(t *testing.T) {
	source, registry := newSource(t, `{}`)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
	if err := registry.Close(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		do(context.Background(), guard, returns(errDown))
	}
	if err := do(context.Background(), guard, returns(nil)); !errors.Is(err, resilience.ErrOpen) {
		t.Errorf("got %v, want the breaker to guard on", err)
	}
	for _, name := range []string{"b", "other"} {
		wiring := newWiring(registry, "Other")
		wiring.Guard("Do", resilience.Guards{Breaker: name})
		if err := wiring.Done(); !errors.Is(err, resilience.ErrClosed) {
			t.Errorf("a wrapper with breaker %s: got %v, want ErrClosed", name, err)
		}
	}
	source.set(`{"breakers": {"b": {"failureThreshold": 7}}}`)
	if err := registry.Reload(); !errors.Is(err, resilience.ErrClosed) {
		t.Errorf("a reload after Close returned %v, want ErrClosed", err)
	}
}

func TestCloseLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	path := filepath.Join(t.TempDir(), "resilience.json")
	if err := os.WriteFile(path, []byte(`{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	registry, err := resilience.New(resilience.Watch(path), resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	wiring := newWiring(registry, "Client")
	wiring.Probe("b", func(context.Context) error { return errDown })
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	if err := registry.Close(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			buffer := make([]byte, 1<<16)
			t.Fatalf("%d goroutines before, now\n%s", before, buffer[:runtime.Stack(buffer, true)])
		}
	}
}

func TestCloseDoesNotWaitForASourceThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forever := make(chan struct{})
		s := source{
			read:   func() ([]byte, error) { return []byte(`{}`), nil },
			follow: func(func()) (func(), error) { return func() { <-forever }, nil },
		}
		registry, err := resilience.New(resilience.Follow(s), resilience.Logger(nil))
		if err != nil {
			t.Fatal(err)
		}
		first := make(chan error)
		go func() { first <- registry.Close() }()
		synctest.Wait()
		began := time.Now()
		if err := registry.Close(); err == nil || time.Since(began) != 5*time.Second {
			t.Errorf("the second Close returned %v after %v, want the error of the first after 5s", err, time.Since(began))
		}
		<-first
		close(forever)
	})
}

func TestStrictNeedsSettings(t *testing.T) {
	registry, err := resilience.New(resilience.Strict())
	if err == nil {
		registry.Close()
		t.Error("Strict without settings is accepted, and then every name")
	}
}

// unreadable is a source that loses its name with its content.
type unreadable struct{ *text }

func (u unreadable) Read() (string, []byte, error) {
	if u.content == "" {
		return "", nil, errors.New("gone")
	}
	return u.text.Read()
}

func TestASourceThatFailsKeepsItsName(t *testing.T) {
	source := unreadable{&text{content: `{}`}}
	registry, err := resilience.New(resilience.Follow(source), resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	want := registry.Snapshot().Settings.Source
	source.set("")
	if registry.Reload() == nil {
		t.Error("a source that can't be read is no fault")
	}
	if got := registry.Snapshot().Settings; got.Source != want || got.Fault == "" {
		t.Errorf("settings are %+v, want the source %q and a fault", got, want)
	}
}

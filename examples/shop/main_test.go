package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// terminal is what a run writes, to be read while it runs.
type terminal struct {
	mu   sync.Mutex
	text bytes.Buffer
	line chan struct{} // one for each write
}

func newTerminal() *terminal { return &terminal{line: make(chan struct{}, 1000)} }

func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.line <- struct{}{}
	return t.text.Write(p)
}

func (t *terminal) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

func TestShopPlaysAndEndsByItself(t *testing.T) {
	screen := newTerminal()
	if err := run(t.Context(), options{duration: 2500 * time.Millisecond, rate: 20, config: "resilience.json"}, screen); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"payments: OPEN → HALF_OPEN, a probe succeeded",
		"% ok",
		"payments is slow",
		"inventory is failing",
		"│ inventory",
	} {
		if !strings.Contains(screen.String(), want) {
			t.Errorf("the screen lacks %q:\n%s", want, screen)
		}
	}
}

func TestShopFollowsItsSettingsAndEndsWhenTold(t *testing.T) {
	config := filepath.Join(t.TempDir(), "resilience.json")
	copySettings(t, config, "", "")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	screen := newTerminal()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, options{duration: time.Hour, rate: 20, config: config}, screen) }()
	waitFor(t, screen, "a probe succeeded")
	copySettings(t, config, `"maxConcurrentCalls": 40`, `"maxConcurrentCalls": 41`)
	waitFor(t, screen, "new settings: bulkheads.inventory")
	copySettings(t, config, `"maxConcurrentCalls": 40`, `"maxConcurrentCalls": 0`)
	waitFor(t, screen, "bulkheads.inventory.maxConcurrentCalls: 0 is outside")
	copySettings(t, config, `"inventory": { "maxConcurrentCalls"`, `"inventry": { "maxConcurrentCalls"`)
	waitFor(t, screen, "?? bulkheads.inventory: not in the settings, so the defaults hold; did you mean the unused inventry?")
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func copySettings(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile("resilience.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func waitFor(t *testing.T, screen *terminal, want string) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for !strings.Contains(screen.String(), want) {
		select {
		case <-screen.line:
		case <-deadline:
			t.Fatalf("%q never came:\n%s", want, screen)
		}
	}
}

func TestSecondIsTakenOnce(t *testing.T) {
	var s second
	for i := range 100 {
		s.add(http.StatusOK, time.Duration(i+1)*time.Millisecond)
	}
	s.add(http.StatusServiceUnavailable, time.Second)
	s.add(http.StatusBadGateway, time.Second)
	if got, want := s.take(), (total{ok: 100, refused: 1, wrong: 1, p99: 99 * time.Millisecond}); got != want {
		t.Errorf("took %+v, want %+v", got, want)
	}
	if got := s.take(); got != (total{}) {
		t.Errorf("took %+v a second time", got)
	}
}

func TestFaultySettingsEndTheShopAtOnce(t *testing.T) {
	config := filepath.Join(t.TempDir(), "resilience.json")
	if err := os.WriteFile(config, []byte(`{"breakers": {"payments": {"testDelai": "1s"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	err := run(t.Context(), options{duration: time.Hour, rate: 20, config: config}, newTerminal())
	if err == nil || !strings.Contains(err.Error(), "testDelay") {
		t.Errorf("got %v, want a fault that suggests testDelay", err)
	}
}

func TestWrongOptionsAreRefusedWithTheReason(t *testing.T) {
	for want, given := range map[string]struct {
		options
		rest []string
	}{
		"-rate 0 is outside 1 to 1000":    {options: options{duration: time.Second}},
		"-rate 1001 is outside 1 to 1000": {options: options{duration: time.Second, rate: 1001}},
		"-duration 0s is not above 0":     {options: options{rate: 50}},
		`no arguments: ["x"]`:             {options{duration: time.Second, rate: 50}, []string{"x"}},
	} {
		if err := given.check(given.rest); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if err := (options{duration: time.Second, rate: 50}).check(nil); err != nil {
		t.Error(err)
	}
}

package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/resgen-go/resgen/internal/trace"
	resilience "github.com/resgen-go/resgen/runtime"
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
	record := filepath.Join(t.TempDir(), "a.trace")
	if err := run(t.Context(), options{duration: 2500 * time.Millisecond, rate: 20, config: "resilience.json", record: record}, screen); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(record)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if recorded, err := trace.Read(f, 10_000); err != nil || !recorded.Ended || len(recorded.Calls) < 100 {
		t.Errorf("recorded %+v, %v", recorded, err)
	}
	for _, want := range []string{
		"payments: OPEN → HALF_OPEN, a probe succeeded",
		"  ok    p99 refused failed  inventory         payments\n",
		"payments is slow",
		"inventory is failing",
		"/40  CLOSED ",
	} {
		if !strings.Contains(screen.String(), want) {
			t.Errorf("the screen lacks %q:\n%s", want, screen)
		}
	}
	fitsEighty(t, screen.String())
}

// fitsEighty fails where a line wants more columns than a terminal has.
func fitsEighty(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestFieldL08EveryLineFitsEightyColumns(t *testing.T) {
	var out strings.Builder
	s := &screen{out: &out, began: time.Now().Add(-999 * time.Second)}
	now := resilience.Snapshot{
		Breakers:  []resilience.BreakerSnapshot{{Name: "inventory", State: resilience.HalfOpen}, {Name: "payments", State: resilience.Open}},
		Bulkheads: []resilience.BulkheadSnapshot{{Name: "inventory", InUse: 100, MaxConcurrentCalls: 100}, {Name: "payments", InUse: 1, MaxConcurrentCalls: 20}},
	}
	s.second(total{}, now)
	s.second(total{ok: 999, refused: 1000, wrong: 1000, p99: 9999 * time.Millisecond}, now)
	s.Observe(resilience.Transition{Breaker: "payments", From: resilience.HalfOpen, To: resilience.Open,
		Reason: "36 of 100 calls failed or were slower than the slow call duration threshold of 1s"})
	s.Observe(resilience.UnknownName{Section: "bulkheads", Name: "inventory", Nearest: "inventry"})
	s.Observe(resilience.Reloaded{Changed: []string{"breakers.inventory", "breakers.payments", "bulkheads.inventory", "bulkheads.payments"}})
	fitsEighty(t, out.String())
	for _, want := range []string{
		"999.0s    ok    p99 refused failed  inventory         payments\n",
		"999.0s     -      -       0      0  HALF_OPEN 100/100  OPEN        1/20\n",
		"999.0s   33% 9.999s    1000   1000  HALF_OPEN 100/100",
		"slower\n        than the slow call",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the screen lacks %q:\n%s", want, &out)
		}
	}
}

func TestAnOrderThatIsPaidForArrivesSomeDay(t *testing.T) {
	registry, err := resilience.New(resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	payments := httptest.NewServer(paymentsHandler())
	defer payments.Close()
	inventory := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/delivery" {
			http.Error(w, "not today", http.StatusInternalServerError)
		}
	}))
	defer inventory.Close()
	shop, err := guardedShop(registry, payments.URL, inventory.URL)
	if err != nil {
		t.Fatal(err)
	}
	order, err := shop.Checkout(t.Context(), Cart{ID: "1", Items: []string{"tea"}, Cents: 295})
	if order.Days != 7 || order.Receipt == "" || err != nil {
		t.Errorf("got %+v, %v", order, err)
	}
	if counts := registry.Snapshot().Fallbacks[0].Methods[0]; counts.Failure != 1 {
		t.Errorf("the snapshot has %+v", counts)
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

// waitFor waits for words, wherever the lines are broken.
func waitFor(t *testing.T, screen *terminal, want string) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for !strings.Contains(strings.ReplaceAll(screen.String(), "\n        ", " "), want) {
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

func TestShopServesItsPage(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	screen := newTerminal()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, options{duration: time.Hour, rate: 20, config: "resilience.json", admin: "127.0.0.1:0"}, screen)
	}()
	waitFor(t, screen, "the live page: http://127.0.0.1:")
	_, address, _ := strings.Cut(screen.String(), "the live page: ")
	address, _, _ = strings.Cut(address, "\n")
	answer, err := http.Get(address + "snapshot")
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("%s answers %v, %v", address, answer, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

package advise

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// service is a registry whose traffic is known.
type service struct {
	*testing.T
	registry *resilience.Registry
	guards   map[string]*resilience.Guard
}

func newService(t *testing.T, settings string, guards map[string]resilience.Guards) *service {
	registry, err := resilience.New(resilience.Follow(text(settings)), resilience.Logger(nil), resilience.Time())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { registry.Close() })
	wiring, err := resilience.Wire(registry, "example.test/shop", "shop.Client", new(int))
	if err != nil {
		t.Fatal(err)
	}
	s := &service{t, registry, map[string]*resilience.Guard{}}
	for method, of := range guards {
		s.guards[method] = wiring.Guard(method, of)
	}
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	return s
}

type text string

func (t text) Read() (string, []byte, error)          { return "settings.json", []byte(t), nil }
func (t text) Follow(func()) (stop func(), err error) { return func() {}, nil }

func (s *service) snapshot() Snapshot {
	s.Helper()
	written, err := json.Marshal(s.registry.Snapshot())
	if err != nil {
		s.Fatal(err)
	}
	read, err := Read(written)
	if err != nil {
		s.Fatal(err)
	}
	return read
}

// call makes a call that takes a time.
func (s *service) call(ctx context.Context, method string, body func(context.Context) error) error {
	var call resilience.Call
	defer call.Release()
	if err := call.Begin(ctx, s.guards[method]); err != nil {
		return err
	}
	return call.Finish(body(call.Context()))
}

func takes(d time.Duration, err error) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// arrive lets something begin at a rate, independently of each other. Whatever is
// random is drawn by next, which says what runs.
func arrive(random *rand.Rand, rate float64, lasting time.Duration, next func() func()) {
	var all sync.WaitGroup
	for end := time.Now().Add(lasting); time.Now().Before(end); {
		time.Sleep(time.Duration(random.ExpFloat64() / rate * float64(time.Second)))
		all.Go(next())
	}
	all.Wait()
}

// always draws nothing.
func always(run func()) func() func() { return func() func() { return run } }

func of(t *testing.T, all []Advice, section, name string) Advice {
	t.Helper()
	for _, a := range all {
		if a.Section == section && a.Name == name {
			return a
		}
	}
	t.Fatalf("nothing is said of %s %s: %+v", section, name, all)
	return Advice{}
}

// The size is within a tenth of the right one, whatever the size is that traffic was
// measured with, as long as calls are served.
func TestSizesAreWithinATenthOfTheRightOnes(t *testing.T) {
	for _, c := range []struct {
		rate float64
		mean time.Duration
		now  int // permits
	}{
		{60, 250 * time.Millisecond, 100},
		{60, 250 * time.Millisecond, 16}, // refuses many
		{500, 40 * time.Millisecond, 100},
		{5, 20 * time.Millisecond, 10},
		{20, 3 * time.Second, 200},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newService(t, fmt.Sprintf(`{"bulkheads": {"stock": {"maxConcurrentCalls": %d}}}`, c.now),
				map[string]resilience.Guards{"Pick": {Bulkhead: "stock"}, "Count": {Bulkhead: "stock"}})
			random := rand.New(rand.NewPCG(1, 2))
			before := s.snapshot()
			arrive(random, c.rate, 10*time.Minute, func() func() {
				method, took := "Pick", time.Duration(random.ExpFloat64()*float64(c.mean))
				if random.IntN(2) == 0 {
					method = "Count"
				}
				return func() { s.call(t.Context(), method, takes(took, nil)) }
			})
			all, err := From([]Snapshot{s.snapshot(), before})
			if err != nil {
				t.Fatal(err)
			}
			need := c.rate * c.mean.Seconds()
			right := need + 2*math.Sqrt(need)
			a := of(t, all, "bulkheads", "stock")
			got := float64(a.Settings[0].Value.(int))
			if got < right*.9 || got > right*1.1+1 { // a permit is a whole one
				t.Errorf("%v calls/s of %v: %v permits, want %.1f: %s", c.rate, c.mean, got, right, a.Text)
			}
		})
	}
}

// No more permits are proposed than calls hold until their timeouts.
func TestTimeoutsBoundASize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, `{"bulkheads": {"stock": {"maxConcurrentCalls": 100}}, "timeouts": {"stock": {"duration": "300ms"}}}`,
			map[string]resilience.Guards{"Pick": {Bulkhead: "stock", Timeout: "stock"}})
		before := s.snapshot()
		arrive(rand.New(rand.NewPCG(1, 2)), 50, 2*time.Minute, always(func() { s.call(t.Context(), "Pick", takes(280*time.Millisecond, nil)) }))
		all, err := From([]Snapshot{before, s.snapshot()})
		if err != nil {
			t.Fatal(err)
		}
		a := of(t, all, "bulkheads", "stock")
		if got := a.Settings[0].Value.(int); got < 14 || got > 16 || !strings.Contains(a.Text, "until their timeout") {
			t.Errorf("%d permits: %s", got, a.Text)
		}
	})
}

// Permits that entries hold between the calls are needed, too.
func TestPermitsThatEntriesHoldCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, `{"bulkheads": {"stock": {"maxConcurrentCalls": 100}}}`, map[string]resilience.Guards{
			"Pick": {Bulkhead: "stock"},
			"Buy":  {Lease: []resilience.Permits{{Bulkhead: "stock", N: 2}}},
		})
		before := s.snapshot()
		arrive(rand.New(rand.NewPCG(1, 2)), 10, 2*time.Minute, always(func() {
			s.call(t.Context(), "Buy", func(ctx context.Context) error {
				s.call(ctx, "Pick", takes(100*time.Millisecond, nil))
				time.Sleep(900 * time.Millisecond)
				return nil
			})
		}))
		all, err := From([]Snapshot{before, s.snapshot()})
		if err != nil {
			t.Fatal(err)
		}
		a := of(t, all, "bulkheads", "stock")
		if got := a.Settings[0].Value.(int); got < 26 || got > 32 { // 10/s × 1 s × 2 = 20, and chance
			t.Errorf("%d permits: %s", got, a.Text)
		}
	})
}

func TestPreloadsFollowWhatIsUnusedAndWhatIsMissing(t *testing.T) {
	for calls, want := range map[int]string{1: "write preload=stock:1", 2: "write preload=stock:2", 3: "", 5: "write preload=stock:5"} {
		synctest.Test(t, func(t *testing.T) {
			s := newService(t, `{"bulkheads": {"stock": {"maxConcurrentCalls": 1000}}}`, map[string]resilience.Guards{
				"Pick": {Bulkhead: "stock"},
				"Buy":  {Preload: []resilience.Permits{{Bulkhead: "stock", N: 3}}},
			})
			before := s.snapshot()
			arrive(rand.New(rand.NewPCG(1, 2)), 10, time.Minute, always(func() {
				s.call(t.Context(), "Buy", func(ctx context.Context) error {
					for range calls {
						s.call(ctx, "Pick", takes(time.Millisecond, nil))
					}
					return nil
				})
			}))
			all, err := From([]Snapshot{before, s.snapshot()})
			if err != nil {
				t.Fatal(err)
			}
			said := ""
			for _, a := range all {
				if a.Section == "" {
					said = a.Text
				}
			}
			if want == "" && said != "" || !strings.Contains(said, want) {
				t.Errorf("%d calls: %q, want %q", calls, said, want)
			}
		})
	}
}

// The proposed threshold opens a breaker by chance less than once a day, which a
// simulation of many days shows.
func TestWindowsOpenByChanceLessThanOnceADay(t *testing.T) {
	for _, c := range []struct {
		rate, share float64
	}{{2, 0}, {5, .01}, {20, .02}, {50, .05}} {
		synctest.Test(t, func(t *testing.T) {
			s := newService(t, `{}`, map[string]resilience.Guards{"Charge": {Breaker: "payments"}})
			random := rand.New(rand.NewPCG(3, 4))
			if payments, err := s.registry.Breaker("payments"); err == nil {
				payments.MetricsOnly("a test")
			}
			before := s.snapshot()
			arrive(random, c.rate, 5*time.Minute, func() func() {
				var err error
				if random.Float64() < c.share {
					err = errors.New("down")
				}
				return func() { s.call(t.Context(), "Charge", takes(time.Millisecond, err)) }
			})
			all, err := From([]Snapshot{before, s.snapshot()})
			if err != nil {
				t.Fatal(err)
			}
			a := of(t, all, "breakers", "payments")
			threshold, window := a.Settings[1].Value.(int), a.Settings[2].Value.(int)
			const days = 20
			openings, failed, last := 0, 0, make([]bool, window)
			for i := range int(c.rate * 24 * 60 * 60 * days) {
				at := &last[i%window]
				if *at {
					failed--
				}
				if *at = random.Float64() < c.share; *at {
					failed++
				}
				if failed >= threshold {
					openings++
					failed = 0
					clear(last)
				}
			}
			if openings > 2*days {
				t.Errorf("%v calls/s, %v fail: %d of %d opens %d times in %d days: %s", c.rate, c.share, threshold, window, openings, days, a.Text)
			}
			if c.share == 0 && threshold != 3 {
				t.Errorf("nothing fails, and the threshold is %d", threshold)
			}
		})
	}
}

func TestWhatIsSaidOfTooLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, `{"breakers": {"often": {}}}`, map[string]resilience.Guards{
			"Pick": {Bulkhead: "stock", Breaker: "stock"}, "Fail": {Breaker: "often"},
		})
		if often, err := s.registry.Breaker("often"); err == nil {
			often.MetricsOnly("a test")
		}
		before := s.snapshot()
		for i := range 200 {
			var err error
			if i%2 == 0 {
				err = errors.New("down")
			}
			s.call(t.Context(), "Fail", takes(100*time.Millisecond, err))
		}
		s.call(t.Context(), "Pick", takes(time.Millisecond, nil))
		after := s.snapshot()
		all, err := From([]Snapshot{before, after})
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range []string{"bulkheads", "breakers"} {
			if a := of(t, all, section, "stock"); len(a.Settings) != 0 || !strings.HasPrefix(a.Text, "too little traffic: 1 call in ") {
				t.Errorf("%+v", a)
			}
		}
		if a := of(t, all, "breakers", "often"); len(a.Settings) != 0 || !strings.Contains(a.Text, "PACED_RATE_THRESHOLD") {
			t.Errorf("%+v", a)
		}
		again := newService(t, `{}`, map[string]resilience.Guards{"Fail": {Breaker: "often"}})
		again.call(t.Context(), "Fail", takes(time.Second, nil))
		for want, snapshots := range map[string][]Snapshot{
			"give two or more":             {before},
			"are of one moment":            {before, before},
			"the process began anew":       {after, again.snapshot()},
			"the option resilience.Time()": {{At: before.At}, {At: after.At}},
		} {
			if _, err := From(snapshots); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	})
}

func TestReadRefusesWhatIsNoSnapshot(t *testing.T) {
	for _, text := range []string{"", "{}", `{"at": "soon"}`, "[]"} {
		if _, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), "not a snapshot") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

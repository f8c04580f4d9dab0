package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/resgen-go/resgen/internal/trace"
	resilience "github.com/resgen-go/resgen/runtime"
)

// service is a service whose calls are recorded. Its dependency fails in bad times.
type service struct {
	t                          testing.TB
	began                      time.Time
	charge, pick, quote, order *resilience.Guard
}

var errDown = errors.New("down")

// record records what calls do under settings.
func record(t testing.TB, settings string, calls func(*service)) *trace.Trace {
	t.Helper()
	var b bytes.Buffer
	inFakeTime(func() {
		registry, err := resilience.New(resilience.Settings("a.json", []byte(settings)), resilience.Logger(nil), resilience.Record(&b))
		if err != nil {
			t.Error(err)
			return
		}
		wiring, _ := resilience.Wire[any](registry, "example.com/shop", "shop.Client", t)
		s := &service{t, time.Now(),
			wiring.Guard("Charge", resilience.Guards{Breaker: "payments", Bulkhead: "payments", Timeout: "payments"}),
			wiring.Guard("Pick", resilience.Guards{Breaker: "inventory", Bulkhead: "inventory"}),
			wiring.Guard("Quote", resilience.Guards{Breaker: "quotes", BreakerBy: "tenant", RateLimit: "quotes"}),
			wiring.Guard("Order", resilience.Guards{
				Check:   []resilience.Calls{{Breaker: "payments"}, {Breaker: "inventory"}},
				Preload: []resilience.Permits{{Bulkhead: "inventory", Number: 1}}, Lease: []resilience.Permits{{Bulkhead: "payments", N: 1}},
			}),
		}
		if err := wiring.Done(); err != nil {
			t.Error(err)
			return
		}
		calls(s)
		time.Sleep(time.Minute)
		synctest.Wait()
		registry.Close()
		if dropped := registry.Snapshot().Events.Dropped; dropped > 0 {
			t.Errorf("%d were dropped", dropped)
		}
	})
	got, err := trace.Read(&b, 1<<21)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func do(ctx context.Context, g *resilience.Guard, next func(context.Context) error) error {
	var call resilience.Call
	defer call.Release()
	if err := call.Begin(ctx, g); err != nil {
		return err
	}
	return call.Finish(next(call.Context()))
}

// answers is a dependency: it takes a random time, and fails as often as that many in
// 100, more in every third minute.
func (s *service) answers(r *rand.Rand, bad int) func(context.Context) error {
	took := time.Duration(r.IntN(40_000_000))
	if int(time.Since(s.began)/time.Minute)%3 == 1 {
		bad *= 10
		took *= 3
	}
	fails := r.IntN(100) < bad
	return func(ctx context.Context) error {
		select {
		case <-time.After(took):
		case <-ctx.Done():
			return ctx.Err()
		}
		if fails {
			return errDown
		}
		return nil
	}
}

func (s *service) orders(r *rand.Rand) {
	var call resilience.Call
	defer call.Release()
	if call.BeginEntry(context.Background(), s.order, 2) != nil {
		return
	}
	ctx := call.Context()
	var err error
	for range 2 {
		err = errors.Join(err, do(ctx, s.pick, s.answers(r, 4)))
	}
	call.Finish(errors.Join(err, do(ctx, s.charge, s.answers(r, 4))))
}

// traffic makes so many calls of all kinds, with pauses of that many nanoseconds at most.
func traffic(n, pause int) func(*service) {
	return func(s *service) {
		for i := range n {
			r := rand.New(rand.NewPCG(uint64(i), 1)) // of this call alone
			pause := time.Duration(r.IntN(pause))
			go func() {
				switch i % 8 {
				case 0:
					s.orders(r)
				case 1, 2:
					do(context.Background(), s.quote.For(fmt.Sprint("tenant", i%3)), s.answers(r, 8))
				case 3:
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(9_000_000)))
					do(ctx, s.pick, s.answers(r, 4))
					cancel()
				case 4:
					ctx, cancel := context.WithCancel(context.Background())
					time.AfterFunc(time.Duration(r.IntN(9_000_000)), cancel)
					do(ctx, s.pick, s.answers(r, 4))
				default:
					do(context.Background(), s.charge, s.answers(r, 5))
				}
			}()
			time.Sleep(pause)
		}
	}
}

const settings = `{
	"breakers": {
		"payments": {"failureThreshold": 3, "failureThresholdCapacity": 10, "testDelay": "2s"},
		"inventory": {"strategy": "CONSECUTIVE_FAILURES", "failureThreshold": 2, "testDelay": "500ms"},
		"quotes": {"testDelay": "1s"},
	},
	"bulkheads": {"payments": {"maxConcurrentCalls": 2, "maxWaitDuration": "5ms"}, "inventory": {"maxConcurrentCalls": 5, "maxWaitDuration": "30ms"}},
	"timeouts": {"payments": {"duration": "60ms"}},
	"rateLimits": {"quotes": {"limit": 20, "burst": 3, "maxWaitDuration": "100ms"}},
}`

func TestRehearsalT11TheSameSettingsMakeNoDifference(t *testing.T) {
	replay := New(record(t, settings, traffic(50_000, 10_000_000)))
	run, err := replay.Play(Settings{"a.json", []byte(settings)})
	if err != nil {
		t.Fatal(err)
	}
	if run.Different != 0 || run.Unknown != 0 || run.Calls < 50_000 {
		t.Errorf("%d of %d calls end in another way, %d are unknown", run.Different, run.Calls, run.Unknown)
	}
	old := replay.Recorded()
	for g, f := range old.Figures {
		if f.Refused[0] < 5 {
			t.Errorf("%v refused %d calls: that shows nothing", g, f.Refused[0])
		}
	}
	if diff := cmp.Diff(old.Figures, run.Figures); diff != "" {
		t.Errorf("-recorded +played:\n%s", diff)
	}
}

// BenchmarkRehearsalT11 plays an hour of a million calls, and has to take less than 10 s.
func BenchmarkRehearsalT11AnHourOfAMillionCalls(b *testing.B) {
	recorded := record(b, settings, traffic(880_000, 8_200_000))
	b.Logf("%d calls in %v", len(recorded.Calls), recorded.Lasts)
	for b.Loop() {
		run, err := New(recorded).Play(Settings{"a.json", []byte(settings)})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(run.Different), "different")
	}
}

// sequence makes the calls of a script one after the other, each a second after the one
// before: F fails, S succeeds, both after 100 ms.
func sequence(script string) func(*service) {
	return func(s *service) {
		for _, answer := range script {
			began := time.Now()
			do(context.Background(), s.charge, func(context.Context) error {
				time.Sleep(100 * time.Millisecond)
				if answer == 'F' {
					return errDown
				}
				return nil
			})
			time.Sleep(time.Until(began.Add(time.Second)))
		}
	}
}

func threshold(n int) string {
	return fmt.Sprintf(`{"breakers": {"payments": {"failureThreshold": %d, "testDelay": "5s"}}}`, n)
}

// What nobody can know, because the calls were refused, lies between two bounds. Where the
// dependency was down, or well, for all of these calls, one of them is what happened.
func TestRehearsalT12AReplayIsTheRunWithItsSettings(t *testing.T) {
	dead := strings.Repeat("S", 20) + strings.Repeat("F", 60) + strings.Repeat("S", 30)
	bursts := strings.Repeat(strings.Repeat("S", 12)+"FFFF"+strings.Repeat("S", 14), 10)
	flaps := strings.Repeat("SSFSFSSFSSSSFFFFFFSSSFSFFFSSS", 20)
	for _, test := range []struct {
		name, script string
		from, to     int
		bound        int // which of them is what happened: if all had gone well, or all had failed; -1: neither is
	}{
		{"dead, 3 to 5", dead, 3, 5, 1},
		{"bursts, 3 to 5", bursts, 3, 5, -1},
		{"dead, 5 to 3", dead, 5, 3, -1},
		{"bursts, 5 to 3", bursts, 5, 3, 0},
		{"flaps, 10 to 3", flaps, 10, 3, 0},
		{"flaps, 10 to 5", flaps, 10, 5, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			ran := New(record(t, threshold(test.to), sequence(test.script))).Recorded()
			played, err := New(record(t, threshold(test.from), sequence(test.script))).Play(Settings{"to.json", []byte(threshold(test.to))})
			if err != nil {
				t.Fatal(err)
			}
			payments := Guard{"breaker", "payments"}
			got, want := played.Figures[payments], ran.Figures[payments]
			for what, n := range map[string][3]int{
				"openings": {got.Openings[0], got.Openings[1], want.Openings[0]},
				"open":     {int(got.Open[0]), int(got.Open[1]), int(want.Open[0])},
				"refused":  {got.Refused[0], got.Refused[1], want.Refused[0]},
				"failed":   {got.Failed[0], got.Failed[1], want.Failed[0]},
			} {
				least, most := n[0], n[1]
				if test.bound >= 0 {
					least, most = n[test.bound], n[test.bound]
				}
				if n[2] < least || n[2] > most {
					t.Errorf("%s: %d to %d, in the run %d", what, least, most, n[2])
				}
			}
		})
	}
}

func TestRehearsalT13GapsAreSaidFirstAndFiguresAreOfWholeMinutes(t *testing.T) {
	whole := record(t, threshold(3), sequence(strings.Repeat("SSSFFFSSSS", 60))) // ten minutes
	torn := *whole
	torn.Gaps = []trace.Gap{
		{At: 2*time.Minute + 5*time.Second, Lasted: time.Second, Dropped: 120, Before: 125},
		{At: 4*time.Minute + time.Second, Lasted: 2 * time.Second, Dropped: 7, Before: 241},
		{At: 6 * time.Minute, Before: 300}, // of the numbers of entries
	}
	var out bytes.Buffer
	WriteTrace(&out, "a.trace", &torn)
	first, _, _ := strings.Cut(out.String(), "\na.trace:")
	want := "a.trace lacks 127 calls, in the minutes from 00:02:00 (120), 00:03:00 (7),\n00:04:00 (7) on; figures are of the other 9 minutes"
	if first != want {
		t.Errorf("it begins with\n%s\nwant\n%s", first, want)
	}
	replay := New(&torn)
	run, err := replay.Play(Settings{"a.json", []byte(threshold(3))})
	if err != nil {
		t.Fatal(err)
	}
	payments := Guard{"breaker", "payments"}
	if diff := cmp.Diff(replay.Recorded().Figures, run.Figures); diff != "" || run.Different > 0 {
		t.Errorf("-recorded +played, %d calls otherwise:\n%s", run.Different, diff)
	}
	refused, all := 0, 0
	for _, c := range whole.Calls {
		if m := int(c.At / time.Minute); m < 2 || m > 4 {
			all++
			if c.Refused != 0 {
				refused++
			}
		}
	}
	if got := run.Figures[payments]; run.Calls != all || got.Refused[0] != refused {
		t.Errorf("%d calls, %d refused; want %d and %d", run.Calls, got.Refused[0], all, refused)
	}
}

// Where no call was refused, because the settings were not enforced, all is known.
func TestRehearsalT12ADryRunTellsAllThatAReplayNeeds(t *testing.T) {
	for _, script := range []string{
		strings.Repeat("S", 20) + strings.Repeat("F", 60) + strings.Repeat("S", 30),
		strings.Repeat(strings.Repeat("S", 12)+"FFFF"+strings.Repeat("S", 14), 10),
		strings.Repeat("SSFSFSSFSSSSFFFFFFSSSFSFFFSSS", 20),
	} {
		dry := New(record(t, `{"breakers": {"payments": {"enforce": false}}}`, sequence(script)))
		for _, n := range []int{2, 3, 5} {
			ran := New(record(t, threshold(n), sequence(script))).Recorded()
			played, err := dry.Play(Settings{"a.json", []byte(threshold(n))})
			if err != nil {
				t.Fatal(err)
			}
			payments := Guard{"breaker", "payments"}
			got, want := played.Figures[payments], ran.Figures[payments]
			got.Wronged, want.Wronged = Range{}, Range{} // which the run can't know
			if diff := cmp.Diff(want, got); diff != "" || played.Unknown > 0 {
				t.Errorf("threshold %d, %d unknown: -ran +played:\n%s", n, played.Unknown, diff)
			}
		}
	}
}

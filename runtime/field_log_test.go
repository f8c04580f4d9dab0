package resilience_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/sharing"
)

// page is a log as people read it, without the times.
type page struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *page) Write(line []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(line)
}

func (p *page) logger(level slog.Level) resilience.Option {
	return resilience.Logger(slog.New(slog.NewTextHandler(p, &slog.HandlerOptions{Level: level})))
}

var (
	lineTime = regexp.MustCompile(`(?m)^(time=\S+ )?level=`)
	anyTime  = regexp.MustCompile(`2000-01-01T\S+`)
)

// lines returns what was written since the last time.
func (p *page) lines() []string {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	text := anyTime.ReplaceAllString(lineTime.ReplaceAllString(p.text.String(), ""), "T")
	p.text.Reset()
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func (p *page) expect(t *testing.T, when string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, p.lines()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

func TestFieldL02TheLogTellsTheLastFailure(t *testing.T) {
	const failed = ` lastFailure.at=T lastFailure.method=Client.Do lastFailure.error=down`
	synctest.Test(t, func(t *testing.T) {
		var log page
		registry := newRegistry(t, opens, log.logger(slog.LevelInfo))
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		do(context.Background(), guard, returns(errDown))
		log.expect(t, "as it opens", `WARN msg="breaker changed state" breaker=b from=CLOSED to=OPEN reason="1 of the last 1 call failed" lasted=0s`+failed)
		do(context.Background(), guard, returns(nil))
		time.Sleep(time.Second)
		do(context.Background(), guard, lasts(time.Second, nil))
		log.expect(t, "as it closes",
			`INFO msg="breaker changed state" breaker=b from=OPEN to=HALF_OPEN reason="its delay of 1s is over" lasted=1s refused=1`+failed,
			`INFO msg="breaker changed state" breaker=b from=HALF_OPEN to=CLOSED reason="1 of 1 trial succeeded" lasted=1s`+failed)
	})
}

func TestFieldL03ABreakerThatFlapsHasALineASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log page
		registry := newRegistry(t, opens, log.logger(slog.LevelInfo))
		b := handle(t, registry, "b")
		flap := func(n int, apart time.Duration) {
			for range n {
				b.Trip("ann")
				time.Sleep(apart)
				b.Reset("ann")
				time.Sleep(apart)
			}
		}
		flap(1999, time.Millisecond)
		if got := log.lines(); len(got) != 4 || strings.Contains(got[0], "unlogged") || !strings.Contains(got[3], "unlogged=") {
			t.Errorf("in four seconds: %q", got)
		}
		time.Sleep(time.Second)
		if got := log.lines(); len(got) != 1 || !strings.Contains(got[0], "to=CLOSED") || !strings.Contains(got[0], "unlogged=99") {
			t.Errorf("the last word is %q", got)
		}
		time.Sleep(time.Second)
		log.expect(t, "after that")
		flap(3, 2*time.Second)
		if got := log.lines(); len(got) != 6 || strings.Contains(got[5], "unlogged") {
			t.Errorf("each two seconds: %q", got)
		}
	})
}

func TestFieldL03ALineThatIsNotSeenHoldsUpNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log page
		registry := newRegistry(t, opens, log.logger(slog.LevelWarn))
		b := handle(t, registry, "b")
		b.Trip("ann")
		time.Sleep(time.Second)
		b.Reset("ann")
		b.Trip("ann")
		if got := log.lines(); len(got) != 2 {
			t.Errorf("%q", got)
		}
	})
}

func TestFieldL03TheLastWordIsWrittenWhenTheRegistryCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log page
		registry := newRegistry(t, `{"breakers": {"a": {}, "b": {}}}`, log.logger(slog.LevelInfo))
		for _, name := range []string{"b", "a"} {
			b := handle(t, registry, name)
			b.Trip("ann")
			b.Reset("ann")
		}
		log.lines()
		if err := registry.Close(); err != nil {
			t.Error(err)
		}
		if got := log.lines(); len(got) != 2 || !strings.Contains(got[0], "breaker=a from=OPEN to=CLOSED") || !strings.Contains(got[1], "breaker=b from=OPEN to=CLOSED") {
			t.Errorf("%q", got)
		}
		time.Sleep(time.Minute)
		log.expect(t, "after that")
	})
}

func TestFieldL03RateLimitThatRefusesIsLoggedWhenItBeginsAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log page
		registry := newRegistry(t, `{"rateLimits": {"r": {"limit": 1, "period": "1h"}}}`, log.logger(slog.LevelInfo))
		guard := newGuard(t, registry, resilience.Guards{RateLimit: "r"})
		do(context.Background(), guard, returns(nil))
		log.expect(t, "before")
		for range 1000 {
			do(context.Background(), guard, returns(nil))
			time.Sleep(3 * time.Millisecond)
		}
		log.expect(t, "as it begins", `WARN msg="rate limit refuses calls" rateLimit=r limit=1 period=1h0m0s reason=reached`)
		time.Sleep(time.Minute)
		log.expect(t, "when it is over", `INFO msg="rate limit refuses calls no more" rateLimit=r limit=1 period=1h0m0s reason=reached refused=1000 lasted=10s`)
		entry := newGuard(t, registry, resilience.Guards{Rate: []resilience.Tokens{{RateLimit: "r", N: 2}}})
		log.lines() // that an entry wants more than there is
		do(context.Background(), entry, returns(nil))
		log.expect(t, "as an entry wants too much", `WARN msg="rate limit refuses calls" rateLimit=r limit=1 period=1h0m0s reason="too large"`)
		registry.Close()
		log.expect(t, "as the registry closes", `INFO msg="rate limit refuses calls no more" rateLimit=r limit=1 period=1h0m0s reason="too large" refused=1 lasted=0s`)
	})
}

func TestFieldL03ProbesAreLoggedWhenTheyChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log page
		registry := newRegistry(t, `{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD"}}}`, log.logger(slog.LevelInfo))
		var answer atomic.Pointer[error]
		say := func(err error) { answer.Store(&err) }
		say(errDown)
		wireProbe(t, registry, "b", func(context.Context) error { return *answer.Load() })
		time.Sleep(10 * time.Minute)
		log.expect(t, "in ten minutes of one error", `WARN msg="probe failed" breaker=b error=down failed=1`)
		say(errors.New("no route"))
		time.Sleep(10 * time.Minute)
		got := log.lines()
		if len(got) != 1 || !strings.Contains(got[0], `WARN msg="probe failed" breaker=b error="no route" failed=`) {
			t.Errorf("after another error: %q", got)
		}
		say(errDown)
		time.Sleep(time.Minute)
		if got := log.lines(); len(got) != 1 || !strings.Contains(got[0], "error=down") {
			t.Errorf("after the first error again: %q", got)
		}
		say(nil)
		time.Sleep(time.Minute)
		got = log.lines()
		if len(got) != 2 || !strings.HasPrefix(got[0], `INFO msg="probe succeeded" breaker=b failedBefore=`) || !strings.Contains(got[1], "to=HALF_OPEN") {
			t.Errorf("as it is well again: %q", got)
		}
	})
}

func TestFieldL03ErrorsThatDifferEachTimeAreNotAllLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log page
		registry := newRegistry(t, `{"breakers": {"b": {}}}`, log.logger(slog.LevelInfo))
		report, err := registry.ExternalProbe("b")
		if err != nil {
			t.Fatal(err)
		}
		for i := range 1800 {
			report(fmt.Errorf("read tcp 10.0.0.1:%d->10.0.0.2:443: i/o timeout", 30000+i))
			time.Sleep(time.Second / 3)
		}
		if got := log.lines(); len(got) < 10 || len(got) > 15 {
			t.Errorf("%d lines in ten minutes: %q", len(got), got)
		}
		report(nil)
		log.expect(t, "as it is well again", `INFO msg="probe succeeded" breaker=b failedBefore=1800`)
		report(nil)
		log.expect(t, "while it is well")
		time.Sleep(time.Hour)
		report(errDown)
		log.expect(t, "in the next outage", `WARN msg="probe failed" breaker=b error=down failed=1`)
	})
}

func TestFieldL03BulkheadThatRefusesIsLoggedWhenItBeginsAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log page
		registry := newRegistry(t, `{"bulkheads": {"h": {"maxConcurrentCalls": 1}}}`, log.logger(slog.LevelInfo))
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "h"})
		refuse := func(n int, apart time.Duration) {
			do(context.Background(), guard, func(ctx context.Context) error {
				for range n {
					if err := do(ctx, guard, returns(nil)); !errors.Is(err, resilience.ErrFull) {
						t.Fatal(err)
					}
					time.Sleep(apart)
				}
				return nil
			})
		}
		const begins = `WARN msg="bulkhead refuses calls" bulkhead=h maxConcurrentCalls=1 reason=full`
		do(context.Background(), guard, returns(nil))
		log.expect(t, "before")
		refuse(1, 0)
		log.expect(t, "as it begins", begins)
		refuse(9999, 3*time.Millisecond)
		log.expect(t, "while it lasts")
		time.Sleep(time.Hour)
		log.expect(t, "when it is over", `INFO msg="bulkhead refuses calls no more" bulkhead=h maxConcurrentCalls=1 reason=full refused=10000 lasted=30s`)
		refuse(1, 0)
		log.expect(t, "as it begins anew", begins)
		registry.Close()
		log.expect(t, "as the registry closes", `INFO msg="bulkhead refuses calls no more" bulkhead=h maxConcurrentCalls=1 reason=full refused=1 lasted=0s`)
		refuse(1, 0)
		time.Sleep(time.Hour)
		log.expect(t, "after that")
	})
}

func TestFieldL03BulkheadAtItsLimitIsLoggedNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log page
		registry := newRegistry(t, `{"bulkheads": {"h": {"maxConcurrentCalls": 1}}}`, log.logger(slog.LevelInfo))
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "h"})
		for range 24 * 60 * 3 { // a day, three refusals a minute
			do(context.Background(), guard, func(ctx context.Context) error { return do(ctx, guard, returns(nil)) })
			time.Sleep(20 * time.Second)
		}
		if got := log.lines(); len(got) > 20 || len(got) < 2 {
			t.Errorf("%d lines in a day", len(got))
		}
	})
}

func TestFieldL03CallersThatHaveGoneAreNoRefusing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log page
		registry := newRegistry(t, fewSettings, log.logger(slog.LevelInfo))
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "h"})
		for _, ctx := range gone(t) {
			do(ctx, guard, returns(nil))
		}
		log.expect(t, "callers that have gone")
		entry := newGuard(t, registry, resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "h", N: 3}}})
		do(context.Background(), entry, returns(nil))
		log.expect(t, "an entry that wants too much",
			`WARN msg="doubtful setting" warning="resilience.json: bulkheads.h.maxConcurrentCalls: 2 is below the 3 permits that Client.Do reserves: all its calls are refused"`,
			`WARN msg="bulkhead refuses calls" bulkhead=h maxConcurrentCalls=2 reason="too large"`)
	})
}

// rewritten is a source whose text a test changes.
type rewritten struct {
	text    string
	changed func()
}

func (c *rewritten) Read() (string, []byte, error) { return "s.json", []byte(c.text), nil }
func (c *rewritten) Follow(changed func()) (func(), error) {
	c.changed = changed
	return func() {}, nil
}

func TestFieldL04SettingsThatAreRejectedOrDoubtfulAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log page
		source := &rewritten{text: `{"breakers": {"b": {"strategy": "CANARY_RATE_THRESHOLD", "slidingWindowSize": 20, "waitDurationInOpenState": "1s"}}}`}
		registry, err := resilience.New(resilience.Follow(source), log.logger(slog.LevelInfo))
		if err != nil {
			t.Fatal(err)
		}
		defer registry.Close()
		const doubtful = `WARN msg="doubtful setting" warning="s.json:1:79: breakers.b.slidingWindowSize: minimumNumberOfCalls 50 is above slidingWindowSize (20) and means 20"`
		got := log.lines()
		if len(got) != 1 || got[0] != doubtful {
			t.Errorf("at the start: %q", got)
		}
		newGuard(t, registry, resilience.Guards{Breaker: "b", Bulkhead: "c"})
		log.expect(t, "a name that they lack", `WARN msg="name is not in the settings, the defaults hold for it" section=bulkheads name=c`)
		good := source.text
		source.text = `{"breakers": {"b": {"testDelay": "soon"}}}`
		for range 3 {
			source.changed()
		}
		got = log.lines()
		if len(got) != 1 || !strings.HasPrefix(got[0], `WARN msg="settings rejected, those before stay in force" source=s.json error="s.json:1:`) {
			t.Errorf("as they are rejected: %q", got)
		}
		source.text = good
		source.changed()
		log.expect(t, "as the old ones are back", `INFO msg="settings in force" source=s.json changed=[]`)
		source.changed()
		log.expect(t, "as nothing changed")
		source.text = strings.Replace(good, "1s", "2s", 1)
		source.changed()
		log.expect(t, "as one changed", `INFO msg="settings in force" source=s.json changed=[breakers.b]`)
		source.text = `{"breakers": {"b": {}}}`
		source.changed()
		log.lines()
		source.text = good
		source.changed()
		log.expect(t, "as the doubtful one is back", `INFO msg="settings in force" source=s.json changed=[breakers.b]`, doubtful)
	})
}

func TestFieldL04NobodyLogsWithoutALogger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, opens)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b", Bulkhead: "h"})
		do(context.Background(), guard, returns(errDown))
		if err := registry.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestFieldL04TheFleetIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log page
		adapter := new(fleet)
		registry := newRegistry(t, `{"breakers": {"payments": {}}}`, resilience.Share(adapter.asAdapter), log.logger(slog.LevelInfo))
		defer registry.Close()
		adapter.Link(sharing.Link{Err: errDown})
		log.expect(t, "the link is lost", `WARN msg="link to the processes that share breakers lost, each decides for itself" error=down`)
		adapter.Link(sharing.Link{})
		time.Sleep(time.Second)
		log.expect(t, "the link is back", `INFO msg="link to the processes that share breakers is there"`)
		for change, level := range map[sharing.Change]string{
			sharing.Began: "WARN", sharing.Tried: "INFO", sharing.Renewed: "INFO", sharing.Ended: "INFO",
		} {
			adapter.Outage(sharing.Outage{Breaker: "b", Change: change, Reason: "why"})
			time.Sleep(time.Second)
			log.expect(t, change.String(), fmt.Sprintf(`%s msg="outage of all processes that share a breaker" breaker=b change=%s reason=why`, level, change))
		}
		newGuard(t, registry, resilience.Guards{Breaker: "payment"})
		log.expect(t, "a slip", `WARN msg="name is not in the settings, the defaults hold for it" section=breakers name=payment nearestUnused=payments`)
	})
}

func TestTheLogKeepsToItsLevel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log page
		registry := newRegistry(t, opens, log.logger(slog.LevelWarn))
		b := handle(t, registry, "b")
		b.Trip("ann")
		b.Reset("ann")
		log.expect(t, "at the level WARN", `WARN msg="breaker changed state" breaker=b from=CLOSED to=OPEN reason=tripped by=ann lasted=0s`)
	})
}

func TestEntryE14AnEntryThatIsCutOffByAnUndeclaredGuardIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log page
		_, entry, _, tills := shopping(t, resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "stock", N: 1}}}, log.logger(slog.LevelInfo))
		do(t.Context(), tills, returns(errors.New("down")))
		log.lines()
		do(t.Context(), entry, func(ctx context.Context) error { return do(ctx, tills, never(t)) })
		got := log.lines()
		if len(got) != 1 || !strings.HasPrefix(got[0], `WARN msg="entry was cut off by a guard that it neither checks nor reserves" entry=`+buyer+` refusal=`) || !strings.Contains(got[0], "breaker tills is OPEN") {
			t.Errorf("logged is %q", got)
		}
	})
}

package redis

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/setting"
	"github.com/resgen-go/resgen/runtime/redis/internal/lua"
)

// desk runs the scripts as processes do, one by one.
type desk struct {
	t        testing.TB
	server   *server
	client   *client
	settings *settings
	core     *breaker.Breaker
	reports  uint64
}

func newDesk(t testing.TB, change func(*settings)) *desk {
	t.Helper()
	d := &desk{t: t, server: startServer(t), settings: new(settings)}
	setting.Defaults(d.settings)
	d.settings.Address, d.settings.KeyPrefix = &d.server.address, new("shop:")
	d.settings.Timeout = 5 * time.Second
	if change != nil {
		change(d.settings)
	}
	c, err := connect(context.Background(), d.settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	d.client = c
	static := new(breaker.Static)
	setting.Defaults(static)
	d.core = breaker.New("b", static.Strategy(), breaker.Hooks{})
	return d
}

// as is a process with that name.
func (d *desk) as(process string) *member {
	return &member{core: d.core, fleet: &fleet{process: process}}
}

func (d *desk) run(r request) view {
	d.t.Helper()
	v, err := readView(d.client.run(context.Background(), []request{r})[0])
	if err != nil {
		d.t.Fatal(err)
	}
	return v
}

// report reports calls and failures of some age.
func (d *desk) report(process string, age time.Duration, calls, failures float64) view {
	d.t.Helper()
	m, now := d.as(process), time.Now()
	d.reports++
	m.reports = []report{{d.reports, now.Add(-age), calls, failures}}
	return d.run(m.record(d.settings, now))
}

func (d *desk) try(process string, outage uint64) view {
	d.t.Helper()
	m := d.as(process)
	m.outage = outage
	return d.run(m.try(d.settings, time.Now()))
}

func (d *desk) settle(process string, outage uint64, good bool) view {
	d.t.Helper()
	m := d.as(process)
	m.verdict.Store(&verdict{outage, good, "it was tried"})
	return d.run(m.settle(d.settings, time.Now()))
}

func (d *desk) look() view {
	d.t.Helper()
	return d.run(d.as("onlooker").look(d.settings, time.Now()))
}

// counted sums what the server counted.
func (d *desk) counted() (calls, failures float64) {
	d.t.Helper()
	for line := range strings.Lines(d.server.do("HGETALL", "shop:{b}:counts")) {
		var c, f float64
		_, bucket, _ := strings.Cut(line, "=")
		fmt.Sscan(bucket, &c, &f)
		calls, failures = calls+c, failures+f
	}
	return calls, failures
}

// settled is how many calls the server counted, once all reports that were on
// their way have come.
func (d *desk) settled() (calls float64) {
	d.t.Helper()
	since := time.Now()
	eventually(d.t, "no more calls come", func() bool {
		if n, _ := d.counted(); n != calls {
			calls, since = n, time.Now()
		}
		return time.Since(since) > 500*time.Millisecond
	})
	return calls
}

// expire makes the token pass on, as its time does.
func (d *desk) expire() {
	d.t.Helper()
	d.server.do("HSET", "shop:{b}:state", "until", "1")
}

// outage begins one and returns its number.
func (d *desk) outage() uint64 {
	d.t.Helper()
	v := d.report("beginner", 0, 1000, 1000)
	if v.outage == 0 {
		d.t.Fatal("a thousand failures begin no outage")
	}
	return v.outage
}

func TestTheTimeOfAnOutcomeDecidesItsBucket(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	for _, age := range []time.Duration{0, 10 * time.Second, 60 * time.Second} {
		before := d.look().now
		d.report("p", age, 7, 1)
		after := d.look().now
		width := d.settings.bucket()
		found := false
		for at := before; !at.After(after); at = at.Add(time.Millisecond) {
			start := at.Add(-age).Truncate(width).UnixMilli()
			found = found || d.server.do("HGET", "shop:{b}:counts", fmt.Sprint(start)) == "7 1"
		}
		if !found {
			t.Errorf("outcomes %v old are in no bucket of that time:\n%s", age, d.server.do("HGETALL", "shop:{b}:counts"))
		}
	}
}

func TestTheWindowSlidesByBuckets(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	d.report("p", d.settings.OutageWindow+time.Millisecond, 1000, 1000)
	if calls, _ := d.counted(); calls != 0 {
		t.Errorf("%v calls from before the window are counted", calls)
	}
	old := time.Now().Add(-d.settings.OutageWindow - d.settings.bucket()).UnixMilli()
	d.server.do("HSET", "shop:{b}:counts", fmt.Sprint(old), "1000 1000")
	if v := d.report("p", d.settings.OutageWindow-d.settings.bucket(), 10, 9); v.outage != 0 {
		t.Error("a bucket that left the window counts")
	}
	if calls, failures := d.counted(); calls != 10 || failures != 9 {
		t.Errorf("%v calls and %v failures are counted, want 10 and 9", calls, failures)
	}
}

func TestThereIsNoOutageBeforeTheMinimumOfErrors(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	for range d.settings.MinimumErrors - 1 {
		if v := d.report("p", 0, 1, 1); v.outage != 0 {
			t.Fatal("an outage below the minimum")
		}
	}
	if v := d.report("p", 0, 1, 1); v.outage == 0 {
		t.Errorf("no outage at the minimum of %d errors", d.settings.MinimumErrors)
	}
}

func TestAnOutageBeginsAtExactlyTheThreshold(t *testing.T) {
	t.Parallel()
	tests := []struct {
		percent, calls, failures float64
		begins                   bool
	}{
		{50, 40, 20, true}, {50, 41, 20, false}, {21, 100, 21, true}, {21, 1001, 210, false}, {100, 20, 20, true},
		{100, 21, 20, false}, {0.7, 10000, 70, true}, {0.7, 10000, 69, false},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%v of %v at %v percent", test.failures, test.calls, test.percent), func(t *testing.T) {
			d := newDesk(t, func(s *settings) { s.OutageThreshold = test.percent })
			if v := d.report("p", 0, test.calls, test.failures); (v.outage != 0) != test.begins {
				t.Errorf("outage %v, want %v", v.outage, test.begins)
			}
		})
	}
}

func TestSuccessesThatLeaveTheWindowCanBeginAnOutage(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	bucket := func(age time.Duration) string { return fmt.Sprint(time.Now().Add(-age).UnixMilli()) }
	young, old := bucket(d.settings.OutageWindow/2), bucket(d.settings.OutageWindow)
	d.server.do("HSET", "shop:{b}:counts", young, "100 0")
	if v := d.report("p", 0, 20, 20); v.outage != 0 {
		t.Fatal("an outage at 17 percent")
	}
	d.server.do("HDEL", "shop:{b}:counts", young)
	d.server.do("HSET", "shop:{b}:counts", old, "100 0")
	if v := d.report("p", 0, 0, 0); v.outage == 0 {
		t.Error("no outage though the successes have left")
	}
}

func TestAReportThatIsSentAgainCountsOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	m, now := d.as("p"), time.Now()
	m.reports = []report{{1, now, 5, 1}, {2, now, 5, 1}}
	d.run(m.record(d.settings, now))
	m.reports = append(m.reports, report{3, now, 5, 1})
	d.run(m.record(d.settings, now))
	d.run(m.record(d.settings, now))
	if calls, failures := d.counted(); calls != 15 || failures != 3 {
		t.Errorf("%v calls and %v failures, want 15 and 3", calls, failures)
	}
}

func TestOfManyProcessesAtOnceOneBeginsTriesAndEnds(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(s *settings) { s.SecondsBeforeRetry, s.TrialTimeout = 0, time.Hour })
	each := func(work func(process string)) {
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() { work(fmt.Sprint("p", i)) })
		}
		all.Wait()
	}
	each(func(process string) {
		m := d.as(process)
		m.reports = []report{{1, time.Now(), 100, 100}}
		d.run(m.record(d.settings, time.Now()))
	})
	outage := d.look().outage
	time.Sleep(2 * time.Millisecond) // strictly after the retry
	each(func(process string) { d.try(process, outage) })
	each(func(process string) { d.settle(process, outage, true) })
	var got []string
	for _, c := range d.look().changes {
		got = append(got, c.what)
	}
	if strings.Join(got, " ") != "BEGAN TRIAL ENDED" {
		t.Errorf("changes are %q, want one of each", got)
	}
}

func TestTrialsBeginStrictlyAfterTheRetry(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(s *settings) { s.SecondsBeforeRetry = 50 * time.Millisecond })
	outage := d.outage()
	var v view
	eventually(t, "the token is given", func() bool {
		v = d.try("p", outage)
		return v.holder == "p"
	})
	began, tried := v.changes[0].at, v.changes[1].at
	if waited := tried.Sub(began); waited <= d.settings.SecondsBeforeRetry {
		t.Errorf("trials after %v, want more than %v", waited, d.settings.SecondsBeforeRetry)
	}
}

func TestTheTrialTokenIsOneAndPassesOnWhenItsHolderIsGone(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(s *settings) { s.SecondsBeforeRetry, s.TrialTimeout = 0, time.Hour })
	outage := d.outage()
	var until time.Time
	eventually(t, "a token", func() bool {
		v := d.try("a", outage)
		until = v.until
		return v.holder == "a"
	})
	for range 3 {
		time.Sleep(2 * time.Millisecond)
		if v := d.try("b", outage); v.holder != "a" || !v.until.Equal(until) {
			t.Fatal("two processes have the token")
		}
		v := d.try("a", outage)
		if !v.until.After(until) {
			t.Errorf("its holder kept the token, and has it until %v, after %v", v.until, until)
		}
		until = v.until
	}
	d.expire()
	if v := d.try("b", outage); v.holder != "b" {
		t.Errorf("the token did not pass on: %+v", v)
	}
	if v := d.settle("a", outage, true); v.outage == 0 {
		t.Error("a process without the token ended the outage")
	}
}

func TestFailedTrialsPutOffTheNext(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(s *settings) { s.SecondsBeforeRetry, s.TrialTimeout = 0, time.Hour })
	outage := d.outage()
	eventually(t, "a token", func() bool { return d.try("a", outage).holder == "a" })
	d.settings.SecondsBeforeRetry = time.Hour
	if v := d.settle("a", outage, false); v.outage != outage || v.holder != "" || v.retry.Sub(v.now) < 59*time.Minute {
		t.Errorf("after failed trials the view is %+v", v)
	}
	if v := d.try("b", outage); v.holder != "" {
		t.Error("trials before the retry")
	}
}

func TestWhatWasCountedBeforeTheEndOfAnOutageIsNotCountedAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(s *settings) { s.SecondsBeforeRetry, s.TrialTimeout = 0, time.Hour })
	d.report("p", 0, 19, 19)
	outage := d.outage()
	eventually(t, "a token", func() bool { return d.try("a", outage).holder == "a" })
	d.settle("a", outage, true)
	if v := d.report("p", 0, 1, 1); v.outage != 0 {
		t.Error("one more failure after the end began another outage")
	}
	d.report("p", 10*time.Second, 1000, 1000)
	if calls, failures := d.counted(); calls > 1 || failures > 1 {
		t.Errorf("%v calls and %v failures are counted, want those after the end only", calls, failures)
	}
}

func TestNothingStaleResurrectsAnOutage(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(s *settings) { s.SecondsBeforeRetry, s.TrialTimeout = 0, time.Hour })
	old := d.outage()
	eventually(t, "a token", func() bool { return d.try("a", old).holder == "a" })
	d.settle("a", old, true)
	before := d.look().change
	d.try("a", old)
	d.settle("a", old, false)
	d.settle("a", old, true)
	if v := d.look(); v.outage != 0 || v.change != before {
		t.Errorf("scripts of an outage that is over changed something: %+v", v)
	}
	time.Sleep(2 * time.Millisecond) // strictly after the end
	if again := d.outage(); again <= old {
		t.Errorf("outage %d comes after %d", again, old)
	}
}

func TestFailuresDuringAnOutageBeginNoOther(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	outage := d.outage()
	before := d.look().change
	for range 10 {
		d.report("p", 0, 1000, 1000)
	}
	if v := d.look(); v.outage != outage || v.change != before {
		t.Errorf("failures in an outage changed it: %+v", v)
	}
}

func TestTheHistoryIsBoundedAndExpires(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(s *settings) { s.SecondsBeforeRetry, s.TrialTimeout = 0, time.Hour })
	outage := d.outage()
	for range 150 {
		eventually(t, "a token", func() bool { return d.try("a", outage).holder == "a" })
		d.settle("a", outage, false)
	}
	if n := len(strings.Split(d.server.do("LRANGE", "shop:{b}:history", "0", "-1"), "\n")); n != 100 {
		t.Errorf("%d entries are kept, want 100", n)
	}
	for _, key := range strings.Fields(d.server.do("KEYS", "*")) {
		if key == "shop:{b}:manual" {
			continue
		}
		if d.server.do("TTL", key) == time.Duration(-1).String() {
			t.Errorf("%s never expires", key)
		}
	}
}

func TestAllKeysOfABreakerShareASlot(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	d.outage()
	keys := strings.Fields(d.server.do("KEYS", "*"))
	if len(keys) < 3 {
		t.Fatalf("keys are %q", keys)
	}
	for _, key := range keys {
		if !strings.HasPrefix(key, "shop:{b}:") {
			t.Errorf("key %s has no hash tag of its breaker", key)
		}
	}
}

func TestAnOperatorForcesAnOutageAndEndsIt(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(s *settings) { s.SecondsBeforeRetry, s.TrialTimeout = 0, time.Hour })
	d.server.do("SET", "shop:{b}:manual", "OPEN maintenance, ask Ann", "EX", "3600")
	v := d.look()
	if v.outage == 0 || !v.forced || v.reason != "by hand: maintenance, ask Ann" {
		t.Errorf("the view is %+v", v)
	}
	time.Sleep(2 * time.Millisecond)
	if v := d.try("a", v.outage); v.holder != "" {
		t.Error("trials in an outage that is forced")
	}
	d.server.do("DEL", "shop:{b}:manual")
	if v := d.look(); v.outage != 0 {
		t.Errorf("the view is %+v after the key is gone", v)
	}
}

func TestAnOperatorTurnsSharingOff(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	d.outage()
	d.server.do("SET", "shop:{b}:manual", "OFF")
	if v := d.look(); !v.off {
		t.Errorf("the view is %+v", v)
	}
	d.server.do("DEL", "shop:{b}:counts")
	d.report("p", 0, 100, 100)
	if calls, _ := d.counted(); calls != 0 {
		t.Error("a breaker that is not shared is counted")
	}
}

func TestWordsOfAnOperator(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	tests := []struct {
		words       string
		forced, off bool
		reason      string
	}{
		{"OPEN", true, false, "by hand"},
		{" open  till noon ", true, false, "by hand: till noon"},
		{"Open two", true, false, "by hand: two"},
		{"OPENED", false, false, "no longer forced by hand"},
		{"off", false, true, "no longer forced by hand"},
		{"OFF please", false, true, "no longer forced by hand"},
		{"CLOSED", false, false, "no longer forced by hand"},
		{"OPEN", true, false, "by hand"},
		{"OFF", false, true, "no longer forced by hand"},
		{"", false, false, "no longer forced by hand"},
	}
	for _, test := range tests {
		d.server.do("SET", "shop:{b}:manual", test.words)
		if v := d.look(); v.forced != test.forced || (v.outage != 0) != test.forced || v.off != test.off || v.reason != test.reason {
			t.Errorf("%q makes the view %+v", test.words, v)
		}
	}
}

func TestAnotherReasonOfAnOperatorIsAnotherOutage(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	first := d.outage()
	d.server.do("SET", "shop:{b}:manual", "OPEN one")
	second := d.look().outage
	if again := d.look(); second <= first || again.outage != second {
		t.Errorf("outage %d, then by hand %d, then %d", first, second, again.outage)
	}
	d.server.do("SET", "shop:{b}:manual", "OPEN two")
	if v := d.look(); v.outage <= second || v.reason != "by hand: two" {
		t.Errorf("the view is %+v", v)
	}
}

func TestAVerdictOfATokenThatPassedOnIsNone(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(s *settings) { s.SecondsBeforeRetry, s.TrialTimeout = 0, time.Hour })
	outage := d.outage()
	eventually(t, "a token", func() bool { return d.try("a", outage).holder == "a" })
	d.expire()
	if v := d.settle("a", outage, true); v.outage != outage || v.holder != "" {
		t.Errorf("after trials that were decided too late the view is %+v", v)
	}
}

func TestGarbageInKeysIsNoTrouble(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	d.server.do("HSET", "shop:{b}:counts", "garbage", "1 1", fmt.Sprint(time.Now().UnixMilli()), "x", fmt.Sprint(time.Now().UnixMilli()+1), "5")
	d.server.do("HSET", "shop:{b}:state", "change", "x", "outage", "x", "retry", "x", "until", "x", "ended", "x", "forced", "x")
	d.server.do("LPUSH", "shop:{b}:history", "garbage")
	d.server.do("SET", "shop:{b}:seen:p", "x")
	d.report("p", 0, 5, 1)
	if calls, failures := d.counted(); calls != 5 || failures != 1 {
		t.Errorf("%v calls and %v failures, want 5 and 1", calls, failures)
	}
	if v := d.report("p", 0, 1000, 1000); v.outage == 0 || len(v.changes) != 1 {
		t.Errorf("the view is %+v", v)
	}
}

// What a change can do without must not undo it.
func TestAChangeIsMadeThoughItCannotBeKept(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	d.server.do("SET", "shop:{b}:history", "garbage")
	if v := d.report("p", 0, 1000, 1000); v.outage == 0 || !strings.Contains(v.trouble, "WRONGTYPE") {
		t.Errorf("the view is %+v", v)
	}
}

func TestAnswersOfOthersAreErrors(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	foreign := lua.New("return {'1', 'x'}")
	if _, err := readView(d.client.run(context.Background(), []request{{foreign, []string{"k"}, nil}})[0]); err == nil {
		t.Error("an answer of two texts is a view")
	}
	for _, entry := range []string{"", "x BEGAN p r", "1 BEGAN p"} {
		if _, ok := readChange(entry); ok {
			t.Errorf("%q is an entry of the history", entry)
		}
	}
}

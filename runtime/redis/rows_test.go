package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// The rows of what a fleet has to bear, in their order.

func TestFleetS02OneBrokenHostHoldsNobody(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	none := strings.Replace(defaults(s.address), `{"shared": true}`, `{"shared": true, "strategy": "NONE"}`, 1)
	for _, settings := range []string{defaults(s.address), strings.Replace(none, `"shop"`, `"none"`, 1)} {
		all := startProcesses(t, 21, settings)
		_, stop := traffic(all[1:], 10, func(int) bool { return false })
		_, stopBroken := traffic(all[:1], 2000, func(int) bool { return true })
		time.Sleep(7 * time.Second) // sums wait a twenty-fourth of the window, which is 5 s
		if slices.ContainsFunc(all, (*process).held) {
			t.Errorf("one broken host holds others: %+v", all[1].registry.Snapshot().Fleet)
		}
		stop()
		stopBroken()
	}
}

func TestFleetS03ABadZoneHoldsNobody(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	all := startProcesses(t, 60, defaults(s.address))
	_, stop := traffic(all, 10, func(i int) bool { return i < 24 })
	defer stop()
	time.Sleep(3 * time.Second)
	if slices.ContainsFunc(all, (*process).held) {
		t.Errorf("24 of 60 processes hold all: %q", fleetOutages(all))
	}
	open := 0
	for _, p := range all {
		if p.state() == resilience.Open {
			open++
		}
	}
	if f := all[59].registry.Snapshot().Fleet.Breakers[0]; open != 24 || f.Processes != 60 {
		t.Errorf("%d processes are OPEN, want the 24 of the zone; %+v", open, f)
	}
}

// A slow process does not keep the trials from busy ones.
func TestFleetS05TrialsGoWhereCallersWait(t *testing.T) {
	t.Parallel()
	_, all := startFleet(t, 10, "secondsBeforeRetry", "300ms", "trialTimeout", "5s")
	breakDown(t, all)
	time.Sleep(300 * time.Millisecond)
	all[0].call(nil) // asks, and makes no call again
	began := time.Now()
	recovers(t, all[1:])
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("it took %v, though nine processes have callers", took)
	}
}

// A trial that hangs is given anew once.
func TestFleetS05ATrialThatHangsCostsItsTimeoutOnce(t *testing.T) {
	t.Parallel()
	_, all := startFleet(t, 4, "secondsBeforeRetry", "100ms", "trialTimeout", "1s")
	breakDown(t, all)
	var hung resilience.Call
	eventually(t, "a trial", func() bool { return hung.Begin(context.Background(), all[0].guards["b"]) == nil })
	began := time.Now()
	recovers(t, all[1:])
	if took := time.Since(began); took > 2500*time.Millisecond {
		t.Errorf("it took %v with a trial of 1s that hangs", took)
	}
	hung.Release()
}

// The address leads to a new master, while the old one lives on as a replica.
func TestFleetS07AReplacedServerIsLeftWithinTwoSeconds(t *testing.T) {
	t.Parallel()
	first, second := startServer(t), startServer(t)
	proxy := startProxy(t, first.address)
	all := startProcesses(t, 3, shared(proxy.address()))
	inAll(t, all, "the link is there", linked)
	first.do("REPLICAOF", "127.0.0.1", "1")
	proxy.retarget(second.address)
	began := time.Now()
	for _, p := range all {
		p.call(errDown) // has something to report
	}
	inAll(t, all, "the link is back", func(p *process) bool { return strings.HasSuffix(p.links(), "down up") })
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("linked again after %v", took)
	}
	breakDown(t, all)
}

func TestFleetS08LossesOfTheServerUndoNothing(t *testing.T) {
	t.Parallel()
	t.Run("BEGAN", func(t *testing.T) {
		t.Parallel()
		s, all := startFleet(t, 3, "secondsBeforeRetry", "1h", "outageCheckInterval", "100ms")
		breakDown(t, all)
		before := newDesk(t, s).view("b").Outage
		s.do("DEL", stateKey)
		eventually(t, "the server knows it again", func() bool { return newDesk(t, s).view("b").Outage == before })
		inAll(t, all, "held", (*process).held)
		if got := fleetOutages(all); !slices.Equal(got, []string{"b BEGAN"}) {
			t.Errorf("events are %q", got)
		}
	})
	t.Run("ENDED", func(t *testing.T) {
		t.Parallel()
		s, all := startFleet(t, 3, "outageCheckInterval", "100ms")
		breakDown(t, all)
		outage := newDesk(t, s).view("b").Outage
		recovers(t, all)
		s.do("FLUSHALL")
		s.do("HSET", stateKey, "outage", fmt.Sprint(outage), "change", fmt.Sprint(outage), "reason", "from an old copy")
		newcomer := startProcess(t, shared(s.address))
		for _, p := range all {
			p.calls(3, errDown)
		}
		eventually(t, "it is ended on the server", func() bool { return newDesk(t, s).view("b").Outage == 0 })
		if n := count(fleetOutages(all), "b ENDED"); n != 1 {
			t.Errorf("ENDED was told %d times", n)
		}
		inAll(t, append(all, newcomer), "nobody is held", func(p *process) bool { return !p.held() })
	})
	t.Run("TRIAL", func(t *testing.T) {
		t.Parallel()
		s, all := startFleet(t, 3, "outageCheckInterval", "100ms", "secondsBeforeRetry", "100ms", "trialTimeout", "500ms")
		breakDown(t, all)
		var trial resilience.Call
		eventually(t, "a trial", func() bool { return trial.Begin(context.Background(), all[0].guards["b"]) == nil })
		s.do("HDEL", stateKey, "trials")
		trial.Finish(nil)
		trial.Release()
		recovers(t, all)
	})
}

func TestFleetS09SettingsThatDifferAreToldAndTheMajorityHolds(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	all := startProcesses(t, 3, shared(s.address, "minimumErrors", "1000000", "outageWindow", "4s"))
	odd := startProcess(t, shared(s.address, "minimumErrors", "1", "outageWindow", "2s"))
	inAll(t, append(all, odd), "the link is there", linked)
	eventually(t, "every process is warned", func() bool {
		for _, p := range append(all, odd) {
			p.calls(2, errDown)
			p.calls(3, nil)
			said := p.said()
			if !strings.Contains(said, "breakers.b: minimumErrors is 1000000 in 3 processes and 1 in 1") ||
				!strings.Contains(said, "outageWindow is 4s in 3 processes and 2s in 1") {
				return false
			}
		}
		return true
	})
	if f := odd.registry.Snapshot().Fleet.Breakers[0]; f.Rule.MinimumErrors != 1000000 || len(f.Others) != 1 || f.Others[0].MinimumErrors != 1 {
		t.Errorf("the snapshot says %+v", f)
	}
	if got := fleetOutages(append(all, odd)); len(got) > 0 {
		t.Errorf("one process with a minimum of 1 made %q", got)
	}
}

func TestFleetS10MomentsOfAnotherClockAreCut(t *testing.T) {
	t.Parallel()
	s, all := startFleet(t, 3, "secondsBeforeRetry", "500ms", "outageCheckInterval", "100ms")
	breakDown(t, all)
	ahead := time.Now().Add(30 * time.Second).UnixMilli()
	s.do("HSET", stateKey, "retry", fmt.Sprint(ahead))
	began := time.Now()
	recovers(t, all)
	if took := time.Since(began); took > 2500*time.Millisecond {
		t.Errorf("a retry from a clock that is 30s ahead held the breaker for %v", took)
	}
	s.do("HSET", stateKey, "judged", fmt.Sprint(ahead, " 3 3 0 1 1"), "stir", fmt.Sprint(ahead, " ", ahead), "change", fmt.Sprint(ahead))
	breakDown(t, all)
}

func TestFleetS11PoisonIsDroppedAndHarmsNoOther(t *testing.T) {
	t.Parallel()
	s, all := startFleet(t, 3)
	for _, p := range all {
		p.guard("other")
		p.calls(5, errDown)
	}
	reports := strings.Replace(stateKey, "state:", "reports:", 1)
	poisons := [][]string{
		{"SET", stateKey, "x"}, {"SET", reports, "x"}, {"SET", historyKey, "x"}, {"SADD", stateKey, "x"}, {"LPUSH", reports, "x"},
		{"ZADD", strings.Replace(stateKey, "state:b", "alive", 1), "1e300", "p"}, {"SET", strings.Replace(stateKey, "state:b", "alive", 1), "x"},
		{"SET", strings.Replace(stateKey, "state:b", "changes", 1), "x"},
	}
	for _, field := range []string{"change", "outage", "ended", "retry", "trials", "ramp", "stir", "judged", "rules", "hand"} {
		for _, value := range []string{"x", "", "-1", "1e308", "nan", "inf", "9007199254740993", "0x10", "1.5", "1 2 3 4 5 6 7"} {
			poisons = append(poisons, []string{"HSET", stateKey, field, value})
		}
	}
	for _, value := range []string{"x", "1 -1 5 0 0 50", "1 1e400 5 0 0 50", "9999999999999999 1 1 1 0 50 20 1 1 1 1 1 1 1 1"} {
		poisons = append(poisons, []string{"HSET", reports, "evil", value})
	}
	for _, poison := range poisons {
		poisoned := make([]string, 0, 6)
		poisoned = append(poisoned, "EVAL", "if redis.call('TYPE', KEYS[1]).ok ~= 'hash' or ARGV[1] ~= 'HSET' then redis.call('DEL', KEYS[1]) end return redis.call(ARGV[1], KEYS[1], unpack(ARGV, 2))", "1", poison[1], poison[0])
		s.do(append(poisoned, poison[2:]...)...)
		for _, p := range all {
			p.calls(1, errDown)
		}
		time.Sleep(5 * time.Millisecond)
	}
	breakDown(t, all)
	recovers(t, all)
	for _, p := range all {
		if p.state() != resilience.Closed {
			t.Error("not CLOSED")
		}
	}
	said := ""
	for _, p := range all {
		said += p.complaint()
	}
	if !strings.Contains(said, "field ended of key "+stateKey+" was ") {
		t.Errorf("the events say %q", said)
	}
}

func TestFleetS11ManyFieldsDoNotStopTheServer(t *testing.T) {
	t.Parallel()
	s, all := startFleet(t, 3)
	reports := strings.Replace(stateKey, "state:", "reports:", 1)
	for i := range 200 {
		words := []string{"HSET", reports}
		for j := range 1000 {
			words = append(words, fmt.Sprint("evil", i, "-", j), "x")
		}
		s.do(words...)
	}
	breakDown(t, all)
}

func TestFleetS12AnEvictedStateComesBack(t *testing.T) {
	t.Parallel()
	s, all := startFleet(t, 3, "secondsBeforeRetry", "1h", "outageCheckInterval", "100ms")
	breakDown(t, all)
	for _, key := range strings.Fields(s.do("KEYS", "*")) {
		s.do("DEL", key)
	}
	for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if slices.ContainsFunc(all, func(p *process) bool { return !p.held() }) {
			t.Fatal("a breaker was let go when its state was evicted")
		}
	}
	if newDesk(t, s).view("b").Outage == 0 {
		t.Error("the server does not know the outage again")
	}
}

func TestFleetS13VersionsSideBySideDoNotMeet(t *testing.T) {
	t.Parallel()
	s, all := startFleet(t, 1)
	breakDown(t, all)
	for _, key := range strings.Fields(s.do("KEYS", "*")) {
		if !strings.HasPrefix(key, "shop:v2:") {
			t.Errorf("key %s has no version", key)
		}
	}
}

func TestFleetS15ABreakersOwnRuleComesBeforeThatOfTheFleet(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	text := strings.Replace(shared(s.address, "minimumErrors", "1000"), `"breakers": {`,
		`"breakers": {"own": {"shared": true, "failureThreshold": 100, "failureThresholdCapacity": 100, "minimumErrors": 4, "minimumVotes": 2, "voteShare": 20, "secondsBeforeRetry": "1h"}, `, 1)
	p := startProcess(t, text)
	p.guard("own")
	for range 10 {
		var call resilience.Call
		if call.Begin(t.Context(), p.guards["own"]) == nil {
			call.Finish(errDown)
			call.Release()
		}
		p.call(errDown)
	}
	eventually(t, "the breaker with a minimum of its own is OPEN", func() bool { return p.breaker("own").State() == resilience.Open })
	if p.state() != resilience.Closed {
		t.Errorf("the other is %v", p.state())
	}
	i := slices.IndexFunc(p.registry.Snapshot().Fleet.Breakers, func(b resilience.SharedBreaker) bool { return b.Name == "own" })
	if r := p.registry.Snapshot().Fleet.Breakers[i].Rule; r.MinimumErrors != 4 || r.MinimumVotes != 2 || r.VoteShare != 20 || r.SecondsBeforeRetry != resilience.Duration(time.Hour) {
		t.Errorf("the rule is %+v", r)
	}
}

func TestFleetS16RefusalsAndTheSnapshotKnowWhenTrialsBegin(t *testing.T) {
	t.Parallel()
	_, all := startFleet(t, 2, "secondsBeforeRetry", "1h")
	breakDown(t, all)
	var refusal *resilience.RefusalError
	if !errors.As(all[0].call(nil), &refusal) {
		t.Fatal("no refusal")
	}
	if wait, known := refusal.RetryAfter(); !known || wait < 50*time.Minute {
		t.Errorf("the refusal says %v, %t", wait, known)
	}
	snapshot := all[0].registry.Snapshot()
	eventually(t, "the view is published", func() bool {
		snapshot = all[0].registry.Snapshot()
		return !snapshot.Fleet.Breakers[0].RetryAt.IsZero()
	})
	if b := snapshot.Breakers[0]; time.Until(b.RetryAt) < 50*time.Minute || snapshot.Fleet.Breakers[0].OutageSince.IsZero() {
		t.Errorf("the snapshot is %+v, %+v", b, snapshot.Fleet.Breakers[0])
	}
}

func TestFleetS20OrdersHoldForAllProcesses(t *testing.T) {
	t.Parallel()
	_, all := startFleet(t, 3)
	ctx := t.Context()
	fleet := all[0].registry.Fleet()
	if err := fleet.Open(ctx, "b", "Ann: maintenance", 0); err != nil {
		t.Fatal(err)
	}
	inAll(t, all, "held", (*process).held)
	for _, p := range all {
		if p.call(nil) == nil {
			t.Error("a call is admitted in an outage by hand")
		}
	}
	eventually(t, "the snapshot says who", func() bool {
		f := all[1].registry.Snapshot().Fleet.Breakers[0]
		return f.Order == "OPEN" && f.By == "Ann: maintenance"
	})
	if err := fleet.Close(ctx, "b", "Ann"); err != nil {
		t.Fatal(err)
	}
	inAll(t, all, "CLOSED", is(resilience.Closed))
	if err := fleet.Open(ctx, "b", "Ann", 300*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	inAll(t, all, "held", (*process).held)
	inAll(t, all, "CLOSED when its time is over", is(resilience.Closed))
	if err := fleet.Off(ctx, "b", "Ann", 0); err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		p.calls(30, errDown)
	}
	time.Sleep(300 * time.Millisecond)
	if slices.ContainsFunc(all, (*process).held) {
		t.Error("a breaker is held though sharing is off")
	}
	for want, err := range map[string]error{
		"is not shared by this process":      fleet.Open(ctx, "nobody", "Ann", 0),
		"needs to say who gives it, and why": fleet.Open(ctx, "b", " ", 0),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want …%s", err, want)
		}
	}
}

package bulkhead

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/adaptive"
	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// adapting is an adaptive bulkhead whose calls have a timeout of half a second,
// with a clock that only windows move.
type adapting struct {
	*Bulkhead
	t       *testing.T
	clock   time.Duration
	changes []Limited
}

func newAdapting(t *testing.T, calls Calls, tune func(*AdaptiveSettings)) *adapting {
	s := &AdaptiveSettings{}
	setting.Defaults(s)
	s.MaxConcurrentCalls = 200
	if tune != nil {
		tune(s)
	}
	a := &adapting{t: t, clock: time.Hour}
	a.Bulkhead = Sized("inventory", s, func(l Limited) { a.changes = append(a.changes, l) })
	calls.Timeout = 500 * time.Millisecond
	a.Use(calls)
	return a
}

// window ends a second's calls.
func (a *adapting) window(took time.Duration, e Ending) {
	for i := range 11 {
		if i == 10 {
			a.clock += time.Second
		}
		a.Ended(int64(a.clock), took, e)
	}
}

// fill refuses a call.
func (a *adapting) exhaust() {
	a.t.Helper()
	var held []Permit
	for {
		p, _, refused := a.Acquire(context.Background(), nil)
		if refused != nil {
			break
		}
		held = append(held, p)
	}
	for _, p := range held {
		p.Release()
	}
}

func (a *adapting) expect(size int) {
	a.t.Helper()
	if got := a.Size(); got != size {
		a.t.Fatalf("the size is %d, want %d", got, size)
	}
}

const ms = time.Millisecond

func TestAdaptiveSizeGrowsWhereCallsAreRefused(t *testing.T) {
	a := newAdapting(t, Calls{}, nil)
	a.expect(25)
	a.window(100*ms, Succeeded)
	a.expect(25) // nobody needed more
	a.exhaust()
	a.window(100*ms, Succeeded)
	a.expect(27)
	change := a.changes[0]
	if change.Bulkhead != "inventory" || change.From != 25 || change.To != 27 || change.Why != adaptive.Room || change.P90 < 95*ms || change.P90 > 105*ms {
		t.Errorf("told %+v", change)
	}
	if s := a.Snapshot().Adaptive; s.Ceiling != 200 || s.Floor != 1 || s.Target != 350*ms || s.P90 != change.P90 || s.Last.To != 27 {
		t.Errorf("the snapshot has %+v", *s)
	}
}

// A permit that is the last one, and a call that waits, say that more are needed.
func TestAdaptiveSizeGrowsBeforeCallsAreRefused(t *testing.T) {
	a := newAdapting(t, Calls{}, func(s *AdaptiveSettings) { s.MaxConcurrentCalls = 30; s.MinConcurrentCalls = 2 })
	var held []Permit
	for range 25 {
		p, _, refused := a.Acquire(context.Background(), nil)
		if refused != nil {
			t.Fatal(refused)
		}
		a.Began()
		held = append(held, p)
	}
	for _, p := range held {
		p.Release()
	}
	a.window(100*ms, Succeeded)
	a.expect(27)
}

func TestAdaptiveL7FloorOfReservations(t *testing.T) {
	a := newAdapting(t, Calls{Reserved: 4}, func(s *AdaptiveSettings) { s.MaxConcurrentCalls = 8 })
	a.expect(8)
	demand, err := NewDemand(Want{a.Bulkhead, 4, Ticket})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{5, 4, 4} {
		a.window(500*ms, CutOff)
		a.expect(size)
		r, _, refused := demand.Reserve(context.Background(), nil)
		if refused != nil {
			t.Fatalf("size %d: %v", size, refused)
		}
		if _, _, refused := demand.Reserve(context.Background(), nil); refused == nil || refused.Kind != Full {
			t.Fatalf("size %d: a second entry: %v", size, refused)
		}
		r.Close()
	}
	larger, _ := NewDemand(Want{a.Bulkhead, 6, Ticket})
	if _, _, refused := larger.Reserve(context.Background(), nil); refused == nil || refused.Kind != Full {
		t.Errorf("six may come again, so they are not too many for ever: %v", refused)
	}
	tooLarge, _ := NewDemand(Want{a.Bulkhead, 9, Ticket})
	if _, _, refused := tooLarge.Reserve(context.Background(), nil); refused == nil || refused.Kind != TooLarge || refused.Available != 8 {
		t.Errorf("nine of at most eight: %v", refused)
	}
}

func TestAdaptiveL9L10L11FailuresAndOpenBreakers(t *testing.T) {
	t.Run("AdaptiveL9 connection errors", func(t *testing.T) {
		a := newAdapting(t, Calls{}, nil)
		a.exhaust()
		for range 100 {
			a.window(ms, Failed)
		}
		a.expect(25)
	})
	t.Run("AdaptiveL10 13 % failed", func(t *testing.T) {
		a := newAdapting(t, Calls{}, nil)
		a.Ended(int64(a.clock), 100*ms, Succeeded)
		a.exhaust()
		for range 3 {
			a.Ended(int64(a.clock), ms, Failed)
		}
		for range 10 {
			a.Ended(int64(a.clock), 100*ms, Succeeded)
		}
		a.clock += time.Second
		for range 9 {
			a.Ended(int64(a.clock), 100*ms, Succeeded)
		}
		a.expect(25)
	})
	t.Run("AdaptiveL11 a breaker is open", func(t *testing.T) {
		well := false
		a := newAdapting(t, Calls{Well: func() bool { return well }}, nil)
		a.clock += time.Minute // without a call
		a.exhaust()
		a.window(100*ms, Succeeded)
		a.expect(25)
		well = true
		a.exhaust()
		a.window(100*ms, Succeeded)
		a.expect(27)
	})
}

func TestAdaptiveL12ReloadToAndFro(t *testing.T) {
	a := newAdapting(t, Calls{}, nil)
	a.exhaust()
	a.window(100*ms, Succeeded)
	a.expect(27)
	adapting := a.adaptation.Load().settings

	a.Retune(&Settings{MaxConcurrentCalls: 25}, Calls{})
	a.expect(25)
	if a.Adapts() || a.Snapshot().Adaptive != nil {
		t.Error("it still adapts")
	}
	a.window(500*ms, CutOff)
	a.expect(25)

	a.Retune(&Settings{MaxConcurrentCalls: 40}, Calls{})
	a.Retune(&adapting, Calls{Timeout: 500 * ms})
	a.expect(40) // that was in force

	narrow := adapting
	narrow.MaxConcurrentCalls = 10
	a.Retune(&narrow, Calls{Timeout: 500 * ms})
	a.expect(10)
	narrow.MinConcurrentCalls, narrow.MaxConcurrentCalls = 20, 200
	a.Retune(&narrow, Calls{Timeout: 500 * ms})
	a.expect(20)
	a.Use(Calls{Timeout: 500 * ms, Reserved: 30})
	a.expect(30)
}

// A reload that leaves the target as it is loses no window.
func TestAdaptiveReloadKeepsTheWindow(t *testing.T) {
	a := newAdapting(t, Calls{}, nil)
	s := a.adaptation.Load().settings
	for range 10 {
		a.Ended(int64(a.clock), 500*ms, CutOff)
	}
	capacity := 7
	s.QueueCapacity = &capacity
	a.Retune(&s, Calls{Timeout: 500 * ms})
	a.clock += time.Second
	a.Ended(int64(a.clock), 500*ms, CutOff)
	a.expect(17)
}

func TestAdaptiveL13ShrinkBelowWhatIsInUse(t *testing.T) {
	a := newAdapting(t, Calls{}, nil)
	var held []Permit
	for range 25 {
		p, _, _ := a.Acquire(context.Background(), nil)
		held = append(held, p)
	}
	a.window(500*ms, CutOff)
	a.expect(17)
	for i := range 8 {
		if _, _, refused := a.Acquire(context.Background(), nil); refused == nil || refused.Kind != Full {
			t.Fatalf("%d are in use of 17: %v", 25-i, refused)
		}
		held[i].Release()
	}
	if s := a.Snapshot(); s.InUse != 17 || s.Available != 0 || s.MaxConcurrentCalls != 17 {
		t.Errorf("%+v", s)
	}
	held[8].Release()
	if p, _, refused := a.Acquire(context.Background(), nil); refused != nil {
		t.Errorf("16 are in use of 17: %v", refused)
	} else {
		p.Release()
	}
}

// Who waits is never refused by adaptation.
func TestAdaptationFailsNoWaiter(t *testing.T) {
	a := newAdapting(t, Calls{}, func(s *AdaptiveSettings) { s.MaxWaitDuration = time.Minute; s.MaxConcurrentCalls = 25 })
	var held []Permit
	for range 25 {
		p, _, _ := a.Acquire(context.Background(), nil)
		held = append(held, p)
	}
	demand, _ := NewDemand(Want{a.Bulkhead, 20, Ticket})
	got := make(chan error, 1)
	go func() {
		r, _, refused := demand.Reserve(context.Background(), nil)
		if refused != nil {
			got <- errors.New(refused.String())
			return
		}
		r.Close()
		got <- nil
	}()
	for a.Snapshot().Waiting == 0 {
		time.Sleep(ms)
	}
	a.window(500*ms, CutOff) // to 17: the request does not fit now
	a.expect(17)
	for _, p := range held {
		p.Release()
	}
	for a.Size() < 20 {
		a.Began()
		a.fill()
		a.window(100*ms, Succeeded)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
}

func TestAdaptiveL14WithoutATargetTheSizeStays(t *testing.T) {
	s := &AdaptiveSettings{}
	setting.Defaults(s)
	target := 200 * ms
	aimed := *s
	aimed.TargetLatency = &target
	for name, test := range map[string]struct {
		sizing   Sizing
		calls    Calls
		targeted bool
	}{
		"no timeout":         {s, Calls{}, false},
		"a timeout":          {s, Calls{Timeout: time.Second}, true},
		"a target":           {&aimed, Calls{}, true},
		"the size is fixed":  {&Settings{}, Calls{}, true},
		"a target, not 70 %": {&aimed, Calls{Timeout: time.Second}, true},
	} {
		if Targeted(test.sizing, test.calls) != test.targeted {
			t.Errorf("%s: want %v", name, test.targeted)
		}
	}
	if aimed.target(Calls{Timeout: time.Second}) != target {
		t.Error("the timeout has taken the target's place")
	}
	b := New("a", Settings{MaxConcurrentCalls: 25})
	b.Retune(s, Calls{})
	for i := range 100 {
		b.Ended(int64(time.Hour)+int64(i)*int64(time.Second), time.Minute, CutOff)
	}
	if b.Size() != 25 {
		t.Errorf("the size is %d", b.Size())
	}
}

func TestAdaptiveSettingsFloorAboveCeiling(t *testing.T) {
	s := &AdaptiveSettings{Settings: Settings{MaxConcurrentCalls: 4}, MinConcurrentCalls: 5}
	if problems := s.Check(); len(problems) != 1 || problems[0].Message != "5 is above maxConcurrentCalls (4)" {
		t.Error(problems)
	}
	s.MinConcurrentCalls = 4
	if problems := s.Check(); problems != nil {
		t.Error(problems)
	}
}

package fleet_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/setting"
	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
	"github.com/resgen-go/resgen/runtime/internal/sharing"
	"github.com/resgen-go/resgen/runtime/internal/sharing/fleet"
	"github.com/resgen-go/resgen/runtime/internal/sharing/storetest"
)

// process is one of many in a bubble, with a breaker b.
type process struct {
	*breaker.Breaker
	fleet  *fleet.Fleet
	mu     sync.Mutex
	told   []string
	warned []string
}

func (p *process) note(list *[]string, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*list = append(*list, text)
}

func (p *process) noted(list *[]string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(*list)
}

// start starts n processes with all defaults that meet at a place; a nil place
// shares nothing.
func start(t *testing.T, n int, place *storetest.Memory, change func(*sharedstate.Settings)) (all []*process) {
	settings := new(sharedstate.Settings)
	setting.Defaults(settings)
	settings.Service = new("shop")
	if change != nil {
		change(settings)
	}
	for range n {
		all = append(all, startOne(t, place, settings))
	}
	time.Sleep(100 * time.Millisecond)
	return all
}

func startOne(t *testing.T, place *storetest.Memory, settings *sharedstate.Settings) *process {
	static := new(breaker.Static)
	setting.Defaults(static)
	static.SuccessThresholdCapacity = static.SuccessThreshold
	p := &process{}
	if place == nil {
		p.Breaker = breaker.New("b", static.Strategy(), breaker.Hooks{})
		return p
	}
	p.fleet = fleet.New(fleet.Backend{
		Complete: func(*sharedstate.Settings) error { return nil },
		Connect:  func(context.Context, *sharedstate.Settings) (fleet.Store, error) { return place.Open(t), nil },
		Place:    func(*sharedstate.Settings) string { return "memory" },
	})
	p.fleet.Start(sharing.Hooks{
		Outage: func(o sharing.Outage) { p.note(&p.told, o.Change.String()) },
		Link:   func(sharing.Link) {},
		Warn:   func(text string) { p.note(&p.warned, text) },
		Rest:   func() {},
	})
	p.Breaker = breaker.New("b", static.Strategy(), breaker.Hooks{Transition: p.fleet.Transition, Fleet: p.fleet.Event})
	if err := p.fleet.Configure(settings, true); err != nil {
		t.Fatal(err)
	}
	p.fleet.Join(p.Breaker, breaker.Fleet{Shared: true})
	t.Cleanup(p.fleet.Close)
	return p
}

// call makes a call and reports whether it was admitted.
func (p *process) call(failed bool) bool {
	period, admitted := p.Admit()
	switch {
	case !admitted:
		period.Refused()
	case failed:
		period.Failure(false, "", "")
	default:
		period.Success(false)
	}
	return admitted
}

// traffic makes each process call every interval, until the bubble's context
// ends.
func traffic(t *testing.T, all []*process, interval time.Duration, fails func(process int) bool) (failed *atomic.Int64) {
	failed = new(atomic.Int64)
	for i, p := range all {
		go func() {
			time.Sleep(rand.N(interval))
			for tick := time.NewTicker(interval); ; {
				select {
				case <-t.Context().Done():
					tick.Stop()
					return
				case <-tick.C:
				}
				if down := fails(i); p.call(down) && down {
					failed.Add(1)
				}
			}
		}()
	}
	return failed
}

func held(all []*process) (n int) {
	for _, p := range all {
		if p.Snapshot().Held {
			n++
		}
	}
	return n
}

// until waits for something, and returns how long that took.
func until(t *testing.T, limit time.Duration, holds func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for !holds() {
		if time.Since(began) > limit {
			t.Fatalf("not within %v", limit)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return time.Since(began)
}

func told(all []*process) (changes []string) {
	for _, p := range all {
		changes = append(changes, p.noted(&p.told)...)
	}
	return changes
}

func TestFleetS01SuddenDeath(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 60} {
		synctest.Test(t, func(t *testing.T) {
			all := start(t, n, storetest.NewMemory(), nil)
			var dead atomic.Bool
			failed := traffic(t, all, 100*time.Millisecond, func(int) bool { return dead.Load() })
			time.Sleep(5 * time.Minute)
			dead.Store(true)
			took := until(t, time.Minute, func() bool { return held(all) == n })
			if took > 1500*time.Millisecond || failed.Load() > int64(n)*10/3 {
				t.Errorf("%d processes are held after %v and %d failed calls", n, took, failed.Load())
			}
			dead.Store(false)
			back := until(t, time.Minute, func() bool {
				return !slices.ContainsFunc(all, func(p *process) bool { return p.State() != breaker.Closed })
			})
			t.Logf("%d processes: held after %v, %d failed calls; CLOSED %v later", n, took, failed.Load(), back)
			if changes := told(all); !slices.Equal(slices.Sorted(slices.Values(changes)), []string{"BEGAN", "ENDED", "TRIAL"}) {
				t.Errorf("told are %q", changes)
			}
		})
	}
}

func TestFleetS03AHostOrAZoneHoldsNobody(t *testing.T) {
	for _, bad := range []int{1, 24, 31} {
		synctest.Test(t, func(t *testing.T) {
			all := start(t, 60, storetest.NewMemory(), nil)
			traffic(t, all, 100*time.Millisecond, func(i int) bool { return i < bad })
			time.Sleep(3 * time.Minute)
			if changes := told(all); (bad < 30) != (len(changes) == 0) {
				t.Errorf("%d bad processes of 60 made %q", bad, changes)
			}
		})
	}
}

// Failures that no process sees alone are summed.
func TestFleetS02ThinFailuresAreSummed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := start(t, 60, storetest.NewMemory(), nil)
		traffic(t, all, 45*time.Second, func(int) bool { return true })
		took := until(t, 2*time.Minute, func() bool { return held(all) == 60 })
		t.Logf("held after %v", took)
		if reason := all[0].Snapshot().Reason; !strings.Contains(reason, "calls of") {
			t.Errorf("the reason is %q", reason)
		}
	})
}

// A known outage holds until its retry whatever becomes of the store, and then
// each process makes one trial each secondsBeforeRetry.
func TestFleetS04AnOutageOutlivesItsStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		place := storetest.NewMemory()
		all := start(t, 60, place, nil)
		failed := traffic(t, all, 100*time.Millisecond, func(int) bool { return true })
		until(t, time.Minute, func() bool { return held(all) == 60 })
		place.SetDown(true)
		before := failed.Load()
		time.Sleep(100 * time.Second)
		if n := failed.Load() - before; n > 60*6 || n == 0 {
			t.Errorf("%d calls reached a dead dependency in 100 s", n)
		}
		if held(all) != 60 {
			t.Errorf("%d processes are held, want all", held(all))
		}
		place.SetDown(false)
		time.Sleep(30 * time.Second)
		if changes := told(all); slices.Contains(changes, "ENDED") {
			t.Errorf("told are %q", changes)
		}
	})
}

// A dependency bears a quarter of the calls and fails all while there are more.
func TestFleetS06InABrownoutSharingIsNoLoss(t *testing.T) {
	if testing.Short() {
		t.Skip("plays a long time")
	}
	var shared, alone int64
	for range 3 {
		s, a := brownout(t, storetest.NewMemory()), brownout(t, nil)
		t.Logf("%d good calls a second shared, %d alone", s, a)
		shared, alone = shared+s, alone+a
	}
	// Alone a process may be lucky, and a little better in one pair of five.
	if float64(shared) < .95*float64(alone) {
		t.Errorf("%d good calls a second shared, and %d alone, in three pairs", shared, alone)
	}
}

func brownout(t *testing.T, place *storetest.Memory) (perSecond int64) {
	synctest.Test(t, func(t *testing.T) {
		const capacity, slice = 500, 100 * time.Millisecond
		var asked, good atomic.Int64
		var over atomic.Bool
		go func() {
			for ; !over.Load(); time.Sleep(slice) {
				asked.Store(0)
			}
		}()
		all := start(t, 60, place, nil)
		for _, p := range all {
			go func() {
				time.Sleep(rand.N(30 * time.Millisecond))
				for !over.Load() {
					time.Sleep(30 * time.Millisecond)
					period, admitted := p.Admit()
					switch {
					case !admitted:
						period.Refused()
					case asked.Add(1) > capacity/10:
						period.Failure(false, "", "")
					default:
						good.Add(1)
						period.Success(false)
					}
				}
			}()
		}
		const lasts = 200 * time.Second
		time.Sleep(lasts)
		perSecond = good.Load() / int64(lasts/time.Second)
		over.Store(true)
		time.Sleep(time.Second)
	})
	return perSecond
}

func TestFleetS17CalmProcessesReportTwiceInAWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		place := storetest.NewMemory()
		all := start(t, 10, place, func(s *sharedstate.Settings) { s.OutageCheckInterval = time.Hour })
		var failing atomic.Bool
		traffic(t, all, 100*time.Millisecond, func(i int) bool { return failing.Load() && i == 0 && rand.N(20) == 0 })
		time.Sleep(3 * time.Minute)
		before := place.Exchanges()
		time.Sleep(10 * time.Minute)
		if n := place.Exchanges() - before; n > 10*(2*5+3) {
			t.Errorf("%d exchanges of ten calm processes in ten minutes", n)
		}
		failing.Store(true)
		time.Sleep(time.Minute)
		before = place.Exchanges()
		time.Sleep(time.Minute)
		if n := place.Exchanges() - before; n < 500 || n > 900 {
			t.Errorf("%d exchanges of ten processes in a minute with failures, want about one a second each", n)
		}
	})
}

func TestFleetS09ProcessesWhoseSettingsDifferAreToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		place := storetest.NewMemory()
		all := start(t, 3, place, nil)
		all = append(all, start(t, 1, place, func(s *sharedstate.Settings) { s.MinimumErrors, s.OutageWindow = 1, time.Minute })...)
		traffic(t, all, time.Second, func(i int) bool { return rand.N(30) == 0 })
		time.Sleep(10 * time.Minute)
		want := []string{
			"breakers.b: minimumErrors is 20 in 3 processes and 1 in 1: the former holds, because most have it",
			"breakers.b: outageWindow is 2m0s in 3 processes and 1m0s in 1: the former holds, because most have it",
		}
		for i, p := range all {
			if got := slices.Sorted(slices.Values(p.noted(&p.warned))); !slices.Equal(got, want) {
				t.Errorf("process %d was told %q", i, got)
			}
		}
	})
}

func TestFleetS20AnOrderWaitsForTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		place := storetest.NewMemory()
		all := start(t, 3, place, nil)
		place.SetDown(true)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		order := sharing.Order{Word: "OPEN", By: "Ann", For: time.Minute}
		if err := all[0].fleet.Order(ctx, "b", order); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		place.SetDown(false)
		until(t, 10*time.Second, func() bool { return held(all) == 3 })
		time.Sleep(time.Minute)
		until(t, 20*time.Second, func() bool { return held(all) == 0 })
	})
}

// An instance that is forgotten and made anew has another breaker of its name.
func TestABreakerThatIsMadeAnewIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := start(t, 3, storetest.NewMemory(), nil)
		first := all[0].Breaker
		all[0].fleet.Leave(first)
		time.Sleep(time.Second)
		if n := len(all[0].fleet.Snapshot()); n != 0 {
			t.Errorf("%d breakers are shared after the only one has left", n)
		}
		static := new(breaker.Static)
		setting.Defaults(static)
		static.SuccessThresholdCapacity = static.SuccessThreshold
		all[0].Breaker = breaker.New("b", static.Strategy(), breaker.Hooks{Transition: all[0].fleet.Transition, Fleet: all[0].fleet.Event})
		all[0].fleet.Join(all[0].Breaker, breaker.Fleet{Shared: true})
		traffic(t, all, 100*time.Millisecond, func(int) bool { return true })
		until(t, time.Minute, func() bool { return held(all) == 3 })
		if first.Snapshot().Held {
			t.Error("the breaker that has left is held")
		}
	})
}

package breaker

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// benchBreaker is a CLOSED breaker with the defaults of a strategy.
func benchBreaker(b *testing.B, settings Settings) *Breaker {
	setting.Defaults(settings)
	breaker := New("bench", settings.Strategy(), Hooks{})
	breaker.Reset("")
	b.ReportAllocs()
	return breaker
}

func BenchmarkSuccess(b *testing.B) {
	for _, kind := range Strategies {
		b.Run(kind.Name, func(b *testing.B) {
			breaker := benchBreaker(b, kind.New())
			for b.Loop() {
				if p, ok := breaker.Admit(); ok {
					p.Success(false)
				}
			}
		})
	}
}

func BenchmarkSuccessContended(b *testing.B) {
	for _, kind := range Strategies {
		b.Run(kind.Name, func(b *testing.B) {
			breaker := benchBreaker(b, kind.New())
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if p, ok := breaker.Admit(); ok {
						p.Success(false)
					}
				}
			})
		})
	}
}

func BenchmarkRefusal(b *testing.B) {
	for _, kind := range Strategies[:4] {
		b.Run(kind.Name, func(b *testing.B) {
			breaker := benchBreaker(b, kind.New())
			breaker.Trip("")
			for b.Loop() {
				if p, ok := breaker.Gate(); !ok {
					p.Refused()
				}
			}
		})
	}
}

// BenchmarkFailure fails one call of a thousand, and shows what that one costs
// more than a success.
func BenchmarkFailure(b *testing.B) {
	for name, settings := range map[string]Settings{
		"STATIC_THRESHOLD in 10":          &Static{FailureThreshold: 10, FailureThresholdCapacity: 10},
		"STATIC_THRESHOLD in 100":         &Static{FailureThreshold: 100, FailureThresholdCapacity: 100},
		"CONSECUTIVE_FAILURES":            &Consecutive{FailureThreshold: 5},
		"CANARY_RATE_THRESHOLD in 100":    &Canary{FailureRateThreshold: 100, MinimumNumberOfCalls: 100, SlidingWindowSize: 100},
		"CANARY_RATE_THRESHOLD in 100000": &Canary{FailureRateThreshold: 100, MinimumNumberOfCalls: 100, SlidingWindowSize: 100000},
		"PACED_RATE_THRESHOLD":            &Paced{FailureRateThreshold: 100, MinimumNumberOfCalls: 10, SlidingWindowDuration: time.Second},
	} {
		for successes := range []int{0, 1} {
			b.Run(fmt.Sprintf("%s after %d successes", name, successes*200), func(b *testing.B) {
				breaker := New("bench", settings.Strategy(), Hooks{})
				breaker.Reset("")
				b.ReportAllocs()
				for b.Loop() {
					p, _ := breaker.Admit()
					p.outcomes.Add(uint64(successes * 200)) // plain successes only take a number
					p.Success(false)
					p.Failure(false, "", "")
				}
			})
		}
	}
}

// BenchmarkResize resizes a hundred full windows, which holds calls up so long.
func BenchmarkResize(b *testing.B) {
	sized := func(size int) Strategy {
		return (&Canary{FailureRateThreshold: 100, MinimumNumberOfCalls: 1, SlidingWindowSize: size}).Strategy()
	}
	for _, sizes := range [][2]int{{100, 100_000}, {100_000, 99_999}, {1_000_000, 999_999}} {
		for _, every := range []int{1000, 2} {
			b.Run(fmt.Sprintf("%d and %d, every %dth failed", sizes[0], sizes[1], every), func(b *testing.B) {
				breakers := make([]*Breaker, 100)
				for i := range breakers {
					breakers[i] = New("bench", sized(sizes[0]), Hooks{})
					breakers[i].MetricsOnly("")
					p := breakers[i].period.Load()
					for range sizes[0] / every {
						p.Failure(false, "", "")
						p.outcomes.Add(uint64(every - 1)) // plain successes only take a number
					}
					p.settle()
				}
				for n := 1; b.Loop(); n++ {
					for _, breaker := range breakers {
						breaker.Reconfigure(sized(sizes[n%2]))
					}
				}
			})
		}
	}
}

// BenchmarkMemory reports what a breaker weighs, idle and after its window was
// filled.
func BenchmarkMemory(b *testing.B) {
	for _, kind := range Strategies {
		for _, used := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s used %v", kind.Name, used), func(b *testing.B) {
				settings := kind.New()
				setting.Defaults(settings)
				strategy := settings.Strategy()
				breakers := make([]*Breaker, 10000)
				before := heap()
				for i := range breakers {
					breakers[i] = New("bench", strategy, Hooks{})
					if used {
						breakers[i].Reset("")
						for n := range 200 {
							if p, _ := breakers[i].Admit(); n%10 == 0 {
								p.Failure(false, "", "")
							} else {
								p.Success(false)
							}
						}
					}
				}
				b.ReportMetric(float64(heap()-before)/float64(len(breakers)), "B/breaker")
				runtime.KeepAlive(breakers)
			})
		}
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkNow(b *testing.B) {
	for b.Loop() {
		Now()
	}
}

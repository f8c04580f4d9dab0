package breaker

import (
	"testing"

	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// newBreaker is a CLOSED breaker with the defaults of a strategy, changed by change.
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

func BenchmarkNow(b *testing.B) {
	for b.Loop() {
		Now()
	}
}

package prometheus_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	resilience "github.com/resgen-go/resgen/runtime"
	resgenprom "github.com/resgen-go/resgen/runtime/prometheus"
)

// BenchmarkMetricsM10 compares calls of eight goroutines while nobody scrapes with
// those while somebody does. Rounds of both kinds alternate; "ratio" is that of the
// medians of their calls. A scrape each millisecond takes a core some of its time,
// with or without calls.
func BenchmarkMetricsM10(b *testing.B) {
	for _, each := range []time.Duration{100 * time.Millisecond, time.Millisecond} {
		b.Run("each="+each.String(), func(b *testing.B) {
			registry := newRegistry(b, `{}`)
			guard := newGuard(b, registry, resilience.Guards{Breaker: "b", Bulkhead: "h"})
			from := prometheus.NewRegistry()
			from.MustRegister(resgenprom.Collector(registry))
			var alone, scraped []float64
			for b.Loop() {
				alone = append(alone, round(guard))
				stop := scrapeEach(b, from, each)
				scraped = append(scraped, round(guard))
				stop()
			}
			b.ReportMetric(median(alone), "ns/call")
			b.ReportMetric(median(scraped), "ns/call-scraped")
			b.ReportMetric(median(scraped)/median(alone), "ratio")
		})
	}
}

// round makes calls for a while and returns what one takes, in nanoseconds.
func round(guard *resilience.Guard) float64 {
	const calls = 500_000
	var wg sync.WaitGroup
	began := time.Now()
	for range 8 {
		wg.Go(func() {
			ctx := context.Background()
			for range calls {
				var c resilience.Call
				if c.Begin(ctx, guard) == nil {
					c.Finish(nil)
				}
			}
		})
	}
	wg.Wait()
	return float64(time.Since(began)) / (8 * calls)
}

func scrapeEach(b *testing.B, from prometheus.Gatherer, each time.Duration) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(each)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if _, err := from.Gather(); err != nil {
					b.Error(err)
				}
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

func median(of []float64) float64 { return slices.Sorted(slices.Values(of))[len(of)/2] }

package otel_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	resilience "github.com/resgen-go/resgen/runtime"
	resgenotel "github.com/resgen-go/resgen/runtime/otel"
)

func TestMetricsM11DurationsAreAnExponentialHistogram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
		registry, err := resilience.New(resilience.Logger(nil), resilience.Exemplars(func(context.Context) (string, bool) { return trace, true }))
		if err != nil {
			t.Fatal(err)
		}
		defer registry.Close()
		reader := metric.NewManualReader(metric.WithProducer(resgenotel.Durations(registry)))
		metric.NewMeterProvider(metric.WithReader(reader))
		if all := histograms(t, reader); len(all) > 0 {
			t.Errorf("before there is a method: %v", all)
		}
		wiring, err := resilience.Wire(registry, "example.com/a", "a.Client", new(int))
		if err != nil {
			t.Fatal(err)
		}
		guard := wiring.Guard("Do", resilience.Guards{Bulkhead: "b"})
		if err := wiring.Done(); err != nil {
			t.Fatal(err)
		}
		took := []time.Duration{time.Microsecond, 600 * time.Millisecond, 700 * time.Millisecond, time.Second, 2 * time.Second}
		for _, d := range took {
			var call resilience.Call
			if err := call.Begin(t.Context(), guard); err != nil {
				t.Fatal(err)
			}
			time.Sleep(d)
			call.Finish(nil)
		}
		all := histograms(t, reader)
		good, failed := all["success"], all["failure"]
		if good.Count != 5 || good.Sum != 4.300001 || good.ZeroCount != 1 || failed.Count != 0 {
			t.Errorf("successes are %+v", good)
		}
		for i, n := range good.PositiveBucket.Counts { // the bucket i holds what is above the base to the i, up to the base to the i + 1
			lower := math.Exp2(float64(good.PositiveBucket.Offset+int32(i)) / 2)
			want := uint64(0)
			for _, d := range took {
				if d.Seconds() > lower && d.Seconds() <= lower*math.Sqrt2*(1+1e-9) {
					want++
				}
			}
			if n != want {
				t.Errorf("%d calls took from %v s to %v s, want %d", n, lower, lower*math.Sqrt2, want)
			}
		}
		if good.Scale != 1 || len(good.Exemplars) != 5 || good.Exemplars[1].Value != .6 || good.Exemplars[1].TraceID[0] != 0x4b {
			t.Errorf("scale %d, exemplars %v", good.Scale, good.Exemplars)
		}
		if method, _ := good.Attributes.Value("resgen.method.name"); method.AsString() != "a.Client.Do" {
			t.Errorf("attributes are %v", good.Attributes)
		}
	})
}

// histograms returns the points by their outcome.
func histograms(t *testing.T, reader *metric.ManualReader) map[string]metricdata.ExponentialHistogramDataPoint[float64] {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	found := map[string]metricdata.ExponentialHistogramDataPoint[float64]{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if h, ok := m.Data.(metricdata.ExponentialHistogram[float64]); ok && m.Name == "resgen.call.duration" && m.Unit == "s" {
				for _, p := range h.DataPoints {
					outcome, _ := p.Attributes.Value("resgen.method.outcome")
					found[outcome.AsString()] = p
				}
			}
		}
	}
	return found
}

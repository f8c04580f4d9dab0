package otel_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/metrics"
	resgenotel "github.com/resgen-go/resgen/runtime/otel"
)

// shop is a registry in which something of everything has happened.
func shop(t *testing.T) *resilience.Registry {
	registry, err := resilience.New(resilience.Count(), resilience.Logger(nil), resilience.Settings("resilience.json", []byte(`{
		"breakers": {"payments": {}, "stock": {}},
		"bulkheads": {"inventory": {"maxConcurrentCalls": 4}},
		"timeouts": {"call": {"duration": "1s"}},
		"rateLimits": {"maps": {"limit": 10, "burst": 10}}
	}`)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { registry.Close() })
	wiring, err := resilience.Wire(registry, "example.com/a", "a.Client", new(int))
	if err != nil {
		t.Fatal(err)
	}
	charge := wiring.Guard("Charge", resilience.Guards{Breaker: "payments", Bulkhead: "inventory", Timeout: "call", RateLimit: "maps"})
	reserve := wiring.Guard("Reserve", resilience.Guards{Breaker: "stock", Bulkhead: "inventory"})
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	instance, err := resilience.Wire(registry, "example.com/a", "a.Solver", new(int), resilience.Instance("8.8.8.8"))
	if err != nil {
		t.Fatal(err)
	}
	solve := instance.Guard("Solve", resilience.Guards{Breaker: "stock"})
	t.Cleanup(func() { runtime.KeepAlive(solve) }) // an instance lives as long as its guards
	if err := instance.Done(); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{nil, errors.New("down"), errors.New("down"), errors.New("down"), nil} {
		for _, guard := range []*resilience.Guard{charge, reserve} {
			var call resilience.Call
			if call.Begin(t.Context(), guard) == nil {
				call.Finish(err)
			}
		}
	}
	return registry
}

// collect returns the values of the series of each metric, by their labels.
func collect(t *testing.T, reader *metric.ManualReader) map[string]map[string]float64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]float64{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			points := map[string]float64{}
			add := func(list []metricdata.DataPoint[float64]) {
				for _, p := range list {
					var labels []string
					for _, kv := range p.Attributes.ToSlice() {
						labels = append(labels, kv.Value.AsString())
					}
					slices.Sort(labels)
					points[strings.Join(labels, ",")] = p.Value
				}
			}
			switch data := m.Data.(type) {
			case metricdata.Gauge[float64]:
				add(data.DataPoints)
			case metricdata.Sum[float64]:
				if !data.IsMonotonic {
					t.Errorf("%s may shrink", m.Name)
				}
				add(data.DataPoints)
			}
			found[m.Name+" "+m.Unit] = points
		}
	}
	return found
}

// OpenTelemetry and the table, and so Prometheus, have the same values for every
// name.
func TestMetricsM11EqualValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := shop(t)
		reader := metric.NewManualReader()
		stop, err := resgenotel.Observe(registry, metric.NewMeterProvider(metric.WithReader(reader)).Meter("resgen"))
		if err != nil {
			t.Fatal(err)
		}
		snapshot := registry.Snapshot()
		got := collect(t, reader)
		for _, m := range metrics.Table {
			want := map[string]float64{}
			m.Read(&snapshot, func(value float64, labels ...string) {
				labels = slices.DeleteFunc(labels, func(label string) bool { return label == "" })
				want[strings.Join(slices.Sorted(slices.Values(labels)), ",")] = value
			})
			if have := got["resgen."+m.Name+" "+m.Unit]; !maps.Equal(have, want) {
				t.Errorf("%s: got %v, want %v", m.Name, have, want)
			}
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		for name, points := range collect(t, reader) {
			if len(points) > 0 {
				t.Errorf("%s is still told: %v", name, points)
			}
		}
	})
}

func TestAttributesNameTheGuard(t *testing.T) {
	reader := metric.NewManualReader()
	if _, err := resgenotel.Observe(shop(t), metric.NewMeterProvider(metric.WithReader(reader)).Meter("resgen")); err != nil {
		t.Fatal(err)
	}
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if gauge, ok := m.Data.(metricdata.Gauge[float64]); ok {
				for _, p := range gauge.DataPoints {
					for _, kv := range p.Attributes.ToSlice() {
						keys[string(kv.Key)] = true
					}
				}
			}
		}
	}
	want := []string{"resgen.breaker.key", "resgen.breaker.name", "resgen.breaker.state", "resgen.bulkhead.name", "resgen.rate_limit.name", "resgen.timeout.name"}
	if got := slices.Sorted(maps.Keys(keys)); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("attributes are %v, want %v", got, want)
	}
}

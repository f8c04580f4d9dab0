package prometheus_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"

	resilience "github.com/resgen-go/resgen/runtime"
	resgenprom "github.com/resgen-go/resgen/runtime/prometheus"
)

// lasting makes a call that takes a time.
func lasting(t *testing.T, guard *resilience.Guard, d time.Duration, err error) {
	t.Helper()
	var c resilience.Call
	defer c.Release()
	if err := c.Begin(t.Context(), guard); err != nil {
		t.Fatal(err)
	}
	time.Sleep(d)
	c.Finish(err)
}

func TestMetricsTimeIsAHistogramOfEachMethod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{}`, resilience.Time())
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "b"})
		for _, d := range []time.Duration{time.Millisecond, 5 * time.Millisecond, 6 * time.Millisecond, time.Second, time.Hour} {
			lasting(t, guard, d, nil)
		}
		lasting(t, guard, 2*time.Second, errDown)
		s := gather(t, registry)
		s.want(t, `resgen_call_duration_seconds_count{method="a.Client.Do",outcome="success"}`, 5)
		s.want(t, `resgen_call_duration_seconds_sum{method="a.Client.Do",outcome="success"}`, 3601.012)
		s.want(t, `resgen_call_duration_seconds_bucket{method="a.Client.Do",outcome="success",le="0.005"}`, 2)
		s.want(t, `resgen_call_duration_seconds_bucket{method="a.Client.Do",outcome="success",le="0.01"}`, 3)
		s.want(t, `resgen_call_duration_seconds_bucket{method="a.Client.Do",outcome="success",le="0.64"}`, 3)
		s.want(t, `resgen_call_duration_seconds_bucket{method="a.Client.Do",outcome="success",le="10.24"}`, 4)
		s.want(t, `resgen_call_duration_seconds_count{method="a.Client.Do",outcome="failure"}`, 1)
		s.want(t, `resgen_call_duration_seconds_count{method="a.Client.Do",outcome="ignored"}`, 0)
	})
}

func TestMetricsTimeIsANativeHistogramToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{}`, resilience.Exemplars(func(context.Context) (string, bool) { return "4bf92f", true }))
		guard := newGuard(t, registry, resilience.Guards{Bulkhead: "b"})
		for _, d := range []time.Duration{time.Microsecond, 600 * time.Millisecond, 700 * time.Millisecond, 1500 * time.Millisecond, 2 * time.Second, time.Hour} {
			lasting(t, guard, d, nil)
		}
		series := make(chan prometheus.Metric, 1000)
		resgenprom.Collector(registry).Collect(series)
		close(series)
		var h *dto.Histogram
		for m := range series {
			var written dto.Metric
			if err := m.Write(&written); err != nil {
				t.Fatal(err)
			}
			if written.Histogram.GetSampleCount() > 0 {
				h = written.Histogram
			}
		}
		if h.GetSchema() != 1 || h.GetZeroCount() != 1 || h.GetZeroThreshold() > 8e-6 || h.GetZeroThreshold() < 7e-6 {
			t.Errorf("schema %d, %d of at most %v s", h.GetSchema(), h.GetZeroCount(), h.GetZeroThreshold())
		}
		// Up to √½, 1, √2, 2 s, and far more: the differences of 2, 0, 0, 2, 0 … 1.
		span, delta := h.PositiveSpan, h.PositiveDelta
		if len(span) != 1 || span[0].GetOffset() != -1 || span[0].GetLength() != 19 ||
			len(delta) != 19 || delta[0] != 2 || delta[1] != -2 || delta[2] != 0 || delta[3] != 2 || delta[4] != -2 || delta[18] != 1 {
			t.Errorf("spans %v, differences %v", span, delta)
		}
		exemplars := 0
		for _, b := range h.Bucket {
			if b.Exemplar != nil {
				exemplars++
				if b.Exemplar.Label[0].GetName() != "trace_id" || b.Exemplar.Label[0].GetValue() != "4bf92f" || b.Exemplar.GetValue() > b.GetUpperBound() {
					t.Errorf("up to %v: %v", b.GetUpperBound(), b.Exemplar)
				}
			}
		}
		if exemplars != 4 {
			t.Errorf("%d steps have an exemplar, want 4", exemplars)
		}
	})
}

func TestATraceThatPrometheusDoesNotTakeSpoilsNothing(t *testing.T) {
	for name, trace := range map[string]string{"too long": strings.Repeat("x", 121), "no text": "\xff", "as long as may be": strings.Repeat("x", 120)} {
		t.Run(name, func(t *testing.T) {
			registry := newRegistry(t, `{}`, resilience.Exemplars(func(context.Context) (string, bool) { return trace, true }))
			call(newGuard(t, registry, resilience.Guards{Bulkhead: "b"}), nil)
			from := prometheus.NewPedanticRegistry()
			from.MustRegister(resgenprom.Collector(registry))
			answer := httptest.NewRecorder()
			request := httptest.NewRequest("GET", "/metrics", nil)
			request.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
			promhttp.HandlerFor(from, promhttp.HandlerOpts{EnableOpenMetrics: true}).ServeHTTP(answer, request)
			if has := strings.Contains(answer.Body.String(), "# {trace_id="); answer.Code != 200 || has != strings.HasPrefix(name, "as long") {
				t.Errorf("status %d, with an exemplar: %v", answer.Code, has)
			}
		})
	}
}

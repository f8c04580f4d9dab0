package promtest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/sharing"
)

// A program gets into all kinds of trouble at once and out of them again, before the
// eyes of a Prometheus.
func TestMetricsM12AlertsFireAndResolveAndEveryPanelShows(t *testing.T) {
	p := startProgram(t)
	p.fleet.Link(sharing.Link{})
	s := startServer(t, p.address)
	empty := expressions(t)
	look := func() {
		for panel, exprs := range empty {
			if exprs = slices.DeleteFunc(exprs, func(expr string) bool { return len(s.query(expr)) > 0 }); len(exprs) > 0 {
				empty[panel] = exprs
			} else {
				delete(empty, panel)
			}
		}
	}
	quiet := func() bool { return len(s.firing()) == 0 }
	if !quiet() {
		t.Fatalf("before any trouble: %v", s.firing())
	}

	want, ends := map[string]bool{}, []func(){}
	for _, trouble := range troubles {
		ends = append(ends, trouble.begin(p))
		if trouble.alert != "" {
			want[trouble.alert] = true
		}
	}
	for alert := range rules(t) {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(want)), func(w string) bool { return strings.HasPrefix(w, alert+" ") }) {
			t.Errorf("no trouble is for %s", alert)
		}
	}
	defer func() {
		if t.Failed() {
			t.Errorf("firing are %v\nwant %v\nwithout data are %v", s.firing(), want, empty)
		}
	}()
	s.await("the alerts, no others, and figures in each panel", func() bool {
		look()
		return len(empty) == 0 && maps.Equal(s.firing(), want)
	})

	for _, end := range ends {
		end()
	}
	s.await("the end of all alerts", quiet)
}

func TestMetricsDurationsAreTakenAsNativeHistogramsToo(t *testing.T) {
	p := startProgram(t)
	for range 10 {
		p.call(t.Context(), "Adaptive", func(context.Context) error { time.Sleep(20 * time.Millisecond); return nil })
	}
	s := startServer(t, p.address, "--enable-feature=native-histograms")
	const calls = `resgen_call_duration_seconds{method="shop.Client.Adaptive",outcome="success"}`
	s.await("the histogram", func() bool { return len(s.query("histogram_count("+calls+") == 10")) == 1 })
	for _, expr := range []string{"histogram_quantile(0.5, " + calls + ")", "histogram_sum(" + calls + ") / 10"} {
		if len(s.query(expr+" > 0.015")) == 0 || len(s.query(expr+" < 0.5")) == 0 {
			t.Errorf("%s is not some 20 ms", expr)
		}
	}
}

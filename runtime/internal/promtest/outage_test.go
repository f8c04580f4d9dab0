package promtest

import (
	"maps"
	"slices"
	"strings"
	"testing"

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

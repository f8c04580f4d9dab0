package prometheus_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/resgen-go/resgen/internal/dashboard"
)

func TestDashboardIsUpToDate(t *testing.T) {
	const path = "dashboard.json"
	want := dashboard.Grafana(nil)
	if *update {
		if err := os.WriteFile(path, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
		t.Errorf("%s is out of date: go test ./runtime/prometheus -update (%v)", path, err)
	}
}

// Every metric is in a panel or an alert, and these have no others.
func TestMetricsM12DashboardAndAlertsNameMetricsThatExist(t *testing.T) {
	known := names(t)
	used := map[string]bool{}
	for _, path := range []string{"dashboard.json", "alerts.yml"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`resgen_[a-z0-9_]+`).FindAllString(string(text), -1)
		for _, name := range found {
			for _, part := range []string{"_bucket", "_count", "_sum"} {
				if histogram, ok := strings.CutSuffix(name, part); ok {
					name = histogram
				}
			}
			used[name] = true
			if !slices.Contains(known, name) {
				t.Errorf("%s has %s, which no collector tells", path, name)
			}
		}
		if len(found) < 8 {
			t.Errorf("%d names found in %s", len(found), path)
		}
	}
	for _, name := range known {
		if !used[name] {
			t.Errorf("no panel and no alert has %s", name)
		}
	}
}

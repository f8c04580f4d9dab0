package metrics

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

// Every section of a snapshot that lists guards has rows in the table: a new guard
// that is not told of fails here.
func TestEachSectionOfASnapshotHasRows(t *testing.T) {
	rows := map[string]string{ // the beginning of the names, by field
		"Breakers": "breaker.", "Bulkheads": "bulkhead.", "RateLimits": "rate.", "Timeouts": "timeout.", "Entries": "entry.", "Retries": "retry.", "Budgets": "budget.", "Fallbacks": "fallback", "Faults": "faults.",
		"Settings": "settings.", "Fleet": "fleet.", "Events": "events", "Keys": "family.",
	}
	for field := range reflect.TypeFor[resilience.Snapshot]().Fields() {
		begins, known := rows[field.Name]
		if field.Name == "At" || field.Name == "Calls" || field.Name == "Methods" { // Calls are Duration, Methods their guards
			continue
		}
		if !known || !slices.ContainsFunc(Table, func(m Metric) bool { return strings.HasPrefix(m.Name, begins) }) {
			t.Errorf("no metric is of %s", field.Name)
		}
	}
}

func TestNamesAreUniqueAndSaid(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Table {
		if seen[m.Name] || m.Help == "" || m.Unit == "" || strings.ToLower(m.Name) != m.Name {
			t.Errorf("%+v", m.Name)
		}
		seen[m.Name] = true
	}
}

func TestStatesAreAllOfABreaker(t *testing.T) {
	for state := resilience.Closed; state <= resilience.MetricsOnly; state++ {
		if label(state) != strings.ToLower(state.String()) {
			t.Errorf("%v is %q", state, label(state))
		}
	}
}

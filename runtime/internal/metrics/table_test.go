package metrics

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

// Every section of a snapshot that lists guards has rows in the table: a new guard
// that is not told of fails here.
func TestEachSectionOfASnapshotHasRows(t *testing.T) {
	text, err := json.Marshal(resilience.Snapshot{})
	if err != nil {
		t.Fatal(err)
	}
	var sections map[string]json.RawMessage
	if err := json.Unmarshal(text, &sections); err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{ // the beginning of the names, by section
		"breakers": "breaker.", "bulkheads": "bulkhead.", "rateLimits": "rate.", "timeouts": "timeout.", "entries": "entry.", "retries": "retry.", "budgets": "budget.", "fallbacks": "fallback",
		"settings": "settings.", "fleet": "fleet.", "events": "events",
	}
	for section := range sections {
		begins, known := rows[section]
		if section == "at" || section == "fleet" {
			continue
		}
		if !known || !slices.ContainsFunc(Table, func(m Metric) bool { return strings.HasPrefix(m.Name, begins) }) {
			t.Errorf("no metric is of section %s", section)
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

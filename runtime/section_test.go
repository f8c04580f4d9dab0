package resilience_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/settingsfile"
)

// guarding is one field of Guards, and how to see that it is asked.
type guarding struct {
	field   string
	guards  resilience.Guards // with the name "g"
	section string
	mild    string // settings of "g" under which a call is made
	strict  string // and under which none is, or none goes well
	err     error  // then
}

var errFailing = errors.New("failing")

// guardings has a row for each field of Guards. Before each call another one is
// under way that takes a permit, and one has failed.
var guardings = []guarding{
	{"Breaker", resilience.Guards{Breaker: "g"}, "breakers", `{"failureThreshold": 9}`, `{"failureThreshold": 1}`, resilience.ErrOpen},
	{"Classify", resilience.Guards{Breaker: "g", Classify: func(error) resilience.Outcome { return resilience.Failure }},
		"breakers", `{"failureThreshold": 9}`, `{"failureThreshold": 1}`, resilience.ErrOpen},
	{"Check", resilience.Guards{Check: []resilience.Calls{{Breaker: "g"}}}, "breakers", `{"failureThreshold": 9}`, `{"failureThreshold": 1}`, resilience.ErrGate},
	{"Bulkhead", resilience.Guards{Bulkhead: "g"}, "bulkheads", `{"maxConcurrentCalls": 2}`, `{"maxConcurrentCalls": 1}`, resilience.ErrFull},
	{"Preload", resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "g", N: 2}}},
		"bulkheads", `{"maxConcurrentCalls": 3}`, `{"maxConcurrentCalls": 1}`, resilience.ErrTooLarge},
	{"Lease", resilience.Guards{Lease: []resilience.Permits{{Bulkhead: "g", N: 2}}},
		"bulkheads", `{"maxConcurrentCalls": 3}`, `{"maxConcurrentCalls": 2}`, resilience.ErrFull},
	{"RateLimit", resilience.Guards{RateLimit: "g"}, "rateLimits", `{}`, `{"limit": 1, "period": "1h"}`, resilience.ErrRate},
	{"Rate", resilience.Guards{Rate: []resilience.Tokens{{RateLimit: "g", N: 2}}},
		"rateLimits", `{}`, `{"limit": 1, "burst": 2, "period": "1h"}`, resilience.ErrRate},
	{"Retry", resilience.Guards{Retry: "g"}, "retries", `{"initialDelay": "0s"}`, `{"maxAttempts": 1}`, errFailing},
	{"When", resilience.Guards{Retry: "g", When: func(error) bool { return true }}, "retries", `{"initialDelay": "0s"}`, `{"maxAttempts": 1}`, errFailing},
	{"Retry", resilience.Guards{Retry: "g"}, "budgets", `{}`, `{"burst": 0}`, errFailing},
	{"Fallback", resilience.Guards{Fallback: "g"}, "fallbacks", `{}`, `{"enabled": false}`, errFailing},
	{"BreakerBy", resilience.Guards{Breaker: "g", BreakerBy: "tenant"}, "breakers", `{"failureThreshold": 9}`, `{"failureThreshold": 1}`, resilience.ErrOpen},
	{"BulkheadBy", resilience.Guards{Bulkhead: "g", BulkheadBy: "tenant"}, "bulkheads", `{"maxConcurrentCalls": 2}`, `{"maxConcurrentCalls": 1}`, resilience.ErrFull},
	{"TimeoutBy", resilience.Guards{Timeout: "g", TimeoutBy: "tenant"}, "timeouts", `{}`, `{"duration": "1ns"}`, resilience.ErrTimeout},
	{"Breaker", resilience.Guards{Breaker: "g"}, "faults", `{}`, `{"failPercent": 100, "until": "` + time.Now().Add(time.Hour).Format(time.RFC3339) + `"}`, resilience.ErrInjected},
	{"Timeout", resilience.Guards{Timeout: "g"}, "timeouts", `{}`, `{"duration": "1ns"}`, resilience.ErrTimeout},
}

func TestEachFieldOfGuardsIsAskedAndReloaded(t *testing.T) {
	var fields []string
	for field := range reflect.TypeFor[resilience.Guards]().Fields() {
		fields = append(fields, field.Name)
	}
	for _, row := range guardings {
		fields = slices.DeleteFunc(fields, func(field string) bool { return field == row.field })
		t.Run(row.field, func(t *testing.T) { row.test(t, row.guards) })
		if beside := row.guards; beside.Breaker == "" {
			beside.Breaker = "alone"
			t.Run(row.field+" beside a breaker", func(t *testing.T) { row.test(t, beside) })
		}
	}
	if len(fields) > 0 {
		t.Errorf("no row asks %v", fields)
	}
}

func (row guarding) settings(of string) string {
	return fmt.Sprintf(`{%q: {"g": %s}}`, row.section, of)
}

func (row guarding) test(t *testing.T, guards resilience.Guards) {
	source := &changing{text: row.settings(row.mild)}
	registry, err := resilience.New(resilience.Follow(source), resilience.Logger(nil), resilience.Faults())
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	guard := newGuard(t, registry, guards).For("key") // which is its own where it is by none
	if err := row.call(t, registry, guard); err != nil {
		t.Fatalf("under %s a call got %v", row.mild, err)
	}
	source.text = row.settings(row.strict)
	if err := registry.Reload(); err != nil {
		t.Fatal(err)
	}
	if err := row.call(t, registry, guard); !errors.Is(err, row.err) {
		t.Errorf("under %s a call got %v, want %v", row.strict, err, row.err)
	}
	row.testTold(t, registry)
}

// call makes one call while another one holds what it takes, after one failed.
func (row guarding) call(t *testing.T, registry *resilience.Registry, guard *resilience.Guard) error {
	t.Helper()
	var under resilience.Call
	defer under.Release()
	switch {
	case row.guards.Classify != nil:
		do(context.Background(), guard, returns(nil))
	case row.section == "breakers":
		do(context.Background(), newGuard(t, registry, resilience.Guards{Breaker: "g", BreakerBy: row.guards.BreakerBy}).For("key"), returns(errFailing))
	case row.section == "rateLimits":
		do(context.Background(), newGuard(t, registry, resilience.Guards{RateLimit: "g"}), returns(nil))
	case row.section == "bulkheads":
		if err := under.Begin(context.Background(), newGuard(t, registry, resilience.Guards{Bulkhead: "g", BulkheadBy: row.guards.BulkheadBy}).For("key")); err != nil {
			t.Fatal(err)
		}
	}
	if row.guards.Retry != "" {
		first := true
		return tries(context.Background(), guard, func(context.Context) error {
			defer func() { first = false }()
			if first {
				return errFailing
			}
			return nil
		})
	}
	if row.guards.Fallback != "" {
		return row.fallBack(guard)
	}
	return do(context.Background(), guard, func(ctx context.Context) error {
		if _, bounded := ctx.Deadline(); bounded {
			<-ctx.Done()
		}
		return ctx.Err()
	})
}

// fallBack makes a call that fails, and that a fallback answers.
func (row guarding) fallBack(guard *resilience.Guard) error {
	var call resilience.Call
	defer call.Release()
	err := call.Begin(context.Background(), guard)
	if err == nil {
		err = call.Finish(errFailing)
	}
	if call.FallsBack(err) != nil {
		return nil
	}
	return err
}

// testTold tests that whoever looks finds the section and the name in it.
func (row guarding) testTold(t *testing.T, registry *resilience.Registry) {
	t.Helper()
	text, err := json.Marshal(registry.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	var shown map[string]json.RawMessage
	if err := json.Unmarshal(text, &shown); err != nil || !strings.Contains(string(shown[row.section]), `"name":"g"`) {
		t.Errorf("the snapshot has %s under %s", shown[row.section], row.section)
	}
	inForce := func(s resilience.NamedSettings) bool {
		return s.Section == row.section && s.Name == "g" && len(s.Values) > 0
	}
	if !slices.ContainsFunc(registry.Settings(), inForce) {
		t.Errorf("the settings in force are %v", registry.Settings())
	}
}

// TestEachSectionIsDocumented also finds a section whose names no guard asks for.
func TestEachSectionIsDocumented(t *testing.T) {
	var schema struct {
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(settingsfile.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile("../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	for section := range schema.Properties {
		asked := slices.ContainsFunc(guardings, func(row guarding) bool { return row.section == section })
		if !asked && section != "$schema" && section != "sharedState" {
			t.Errorf("no row asks a guard of %s", section)
		}
		if !strings.Contains(string(docs), section) {
			t.Errorf("docs/settings.md lacks %s", section)
		}
		if !strings.Contains(string(settingsfile.Starter(nil)), `"`+section+`":`) {
			t.Errorf("the starting file lacks %s", section)
		}
	}
	for _, row := range guardings {
		if schema.Properties[row.section] == nil {
			t.Errorf("the schema lacks %s", row.section)
		}
	}
}

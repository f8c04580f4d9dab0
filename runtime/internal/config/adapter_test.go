package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// store is what an adapter's section might be.
type store struct {
	Address *string       `setting:"address" doc:"where it is"`
	Prefix  string        `setting:"prefix" default:"app:" doc:"begins every key"`
	Mode    string        `setting:"mode" default:"FAST" oneof:"FAST,SAFE" doc:"how it works"`
	Every   time.Duration `setting:"every" default:"1s" range:"(0s,1h]" doc:"pause"`
}

func (s *store) Check() []setting.Problem {
	if s.Address == nil {
		return []setting.Problem{{Field: "address", Message: "is missing"}}
	}
	return nil
}

var storeSection = Section{Name: SharedState, Doc: "A store.", New: func() any { return new(store) }}

func TestAnAdapterReadsItsSection(t *testing.T) {
	f, err := Parse("r.json", []byte(`{"sharedState": {"address": "here", "every": 2}, "breakers": {"a": {"shared": true}}}`), storeSection)
	if err != nil {
		t.Fatal(err)
	}
	want := &store{Address: new("here"), Prefix: "app:", Mode: "FAST", Every: 2 * time.Second}
	if diff := cmp.Diff(want, f.Single(SharedState)); diff != "" || !f.Has(SharedState, "") {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if _, s := f.Breaker("a"); !s.InFleet() {
		t.Error("the breaker is not shared")
	}
	if names, rest := f.Names(SharedState), f.Compare(map[string][]string{Breakers: {"a"}}); len(rest) > 0 {
		t.Errorf("the names %q of a section without names are compared: %v", names, rest)
	}
	if got := f.Effective(SharedState, "")[0]; got != (Value{"address", "here", Own}) {
		t.Errorf("in force is %v", got)
	}
}

func TestFaultsOfAnAdaptersSectionHavePlaces(t *testing.T) {
	tests := []struct{ about, file, want string }{
		{"a setting that does not exist", `{"sharedState": {"address": "x", "prefx": "a"}}`,
			"r.json:1:34: sharedState.prefx: no such setting; did you mean prefix?"},
		{"a number in place of a text", `{"sharedState": {"address": 7}}`,
			"r.json:1:29: sharedState.address: 7 is not text in double quotes"},
		{"a text that is not allowed", `{"sharedState": {"address": "x", "mode": "FST"}}`,
			`r.json:1:42: sharedState.mode: "FST" is unknown; allowed are FAST, SAFE; did you mean FAST?`},
		{"a broken rule", `{"sharedState": {}}`, "r.json:1:17: sharedState: address is missing"},
		{"a broken rule beside another fault", `{"sharedState": {"mode": 1}}`,
			"r.json:1:17: sharedState: address is missing\nr.json:1:26: sharedState.mode: 1 is not FAST or SAFE"},
		{"no object", `{"sharedState": "x"}`, `r.json:1:17: sharedState: "x" is not an object`},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			_, err := Parse("r.json", []byte(test.file), storeSection)
			if err == nil || err.Error() != test.want {
				t.Errorf("error\n%v\nwant\n%s", err, test.want)
			}
		})
	}
}

func TestWithoutItsAdapterASectionIsNotRead(t *testing.T) {
	for _, parse := range []func(string, []byte) (*File, error){
		Inspect, func(name string, data []byte) (*File, error) { return Parse(name, data) },
	} {
		if _, err := parse("r.json", []byte(`{"sharedState": {"anything": [1]}}`)); err != nil {
			t.Error(err)
		}
		if _, err := parse("r.json", []byte(`{"sharedState": 1}`)); err == nil {
			t.Error("a number passes for the section")
		}
	}
}

func TestToShareABreakerTakesAnAdapter(t *testing.T) {
	const file = `{
		"breakers": {"default": {"shared": true}, "a": {"shared": false}, "b": {"shared": true, "testDelay": 0}},
		"timeouts": {"a": {"duration": 0}}
	}`
	const adapter = "true needs an adapter; pass redis.Share(), of github.com/resgen-go/resgen/runtime/redis, to resilience.New\n"
	const other = "r.json:3:34: timeouts.a.duration: 0 is outside (0s, 8760h]"
	_, alone := Parse("r.json", []byte(file))
	_, inspected := Inspect("r.json", []byte(file))
	_, adapted := Parse("r.json", []byte(file), Section{SharedState, "", func() any { return new(Timeout) }})
	want := "r.json:2:38: breakers.default.shared: " + adapter + "r.json:2:85: breakers.b.shared: " + adapter + other
	if alone == nil || alone.Error() != want {
		t.Errorf("faults\n%v\nwant\n%s", alone, want)
	}
	for _, err := range []error{inspected, adapted} {
		if err == nil || err.Error() != other {
			t.Errorf("faults\n%v\nwant\n%s", err, other)
		}
	}
}

func TestSchemaAndStarterShowAnAdaptersSection(t *testing.T) {
	for _, text := range []string{string(Schema(storeSection)), string(Starter(nil, storeSection))} {
		if !strings.Contains(text, "sharedState") || !strings.Contains(text, "begins every key") {
			t.Errorf("the section is not in\n%s", text)
		}
	}
	if _, err := Parse("starter.json", Starter(nil, Section{SharedState, "", func() any { return new(Timeout) }}), Section{SharedState, "", func() any { return new(Timeout) }}); err != nil {
		t.Error(err)
	}
	if strings.Contains(string(Starter(nil)), `"sharedState"`) {
		t.Error("without the adapter, the starting file has its section")
	}
}

package config

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/setting"
	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
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

// withStore is the format with another section that is one object.
var withStore = slices.Concat(standard, format{{name: "store", one: "store", single: true, doc: "A store.", variants: []variant{{fresh: func() any { return new(store) }}}}})

func TestASectionMayBeOneObject(t *testing.T) {
	f, err := withStore.parse("r.json", []byte(`{"store": {"address": "here", "every": 2}, "breakers": {"a": {}}}`), Process{true, true})
	if err != nil {
		t.Fatal(err)
	}
	want := &store{Address: new("here"), Prefix: "app:", Mode: "FAST", Every: 2 * time.Second}
	if _, got := f.inForce("store", ""); !cmp.Equal(want, got) || !f.Has("store", "") {
		t.Errorf("settings (-want +got):\n%s", cmp.Diff(want, got))
	}
	if names, rest := f.Names("store"), f.Compare(map[string][]string{Breakers: {"a"}}); len(rest) > 0 {
		t.Errorf("the names %q of a section without names are compared: %v", names, rest)
	}
	if got := f.Effective("store", "")[0]; got != (Value{"address", "here", Own.String()}) {
		t.Errorf("in force is %v", got)
	}
	for _, text := range []string{string(withStore.schema()), string(withStore.starter(nil))} {
		if !strings.Contains(text, `"store"`) || !strings.Contains(text, "begins every key") {
			t.Errorf("the section is not in\n%s", text)
		}
	}
}

func TestFaultsOfASectionThatIsOneObjectHavePlaces(t *testing.T) {
	tests := []struct{ about, file, want string }{
		{"a setting that does not exist", `{"store": {"address": "x", "prefx": "a"}}`,
			"r.json:1:28: store.prefx: no such setting; did you mean prefix?"},
		{"a number in place of a text", `{"store": {"address": 7}}`,
			"r.json:1:23: store.address: 7 is not text in double quotes"},
		{"a text that is not allowed", `{"store": {"address": "x", "mode": "FST"}}`,
			`r.json:1:36: store.mode: "FST" is unknown; allowed are FAST, SAFE; did you mean FAST?`},
		{"a broken rule", `{"store": {}}`, "r.json:1:11: store: address is missing"},
		{"a broken rule beside another fault", `{"store": {"mode": 1}}`,
			"r.json:1:11: store: address is missing\nr.json:1:20: store.mode: 1 is not FAST or SAFE"},
		{"no object", `{"store": "x"}`, `r.json:1:11: store: "x" is not an object`},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			_, err := withStore.parse("r.json", []byte(test.file), Process{true, true})
			if err == nil || err.Error() != test.want {
				t.Errorf("error\n%v\nwant\n%s", err, test.want)
			}
		})
	}
}

// refusedSharing are sections sharedState that New refuses, whoever reads them.
var refusedSharing = map[string]string{
	`{"adress": "h:1"}`:                  "sharedState.adress: no such setting; did you mean address?",
	`{"address": "redis.internal"}`:      "sharedState.address: is no address such as redis.internal:6379 or rediss://redis.internal:6379/0",
	`{"address": "http://h:1"}`:          "sharedState.address: is no address such as",
	`{"address": "redis://h:1/x"}`:       "sharedState.address: is no address such as",
	`{"address": "redis://me:hush@h:1"}`: "sharedState.address: has a password in it",
	`{"flushInterval": "2h"}`:            `sharedState.flushInterval: the value is outside [10ms, 1h]`,
	`{"flushInterval": "3m"}`:            "sharedState.flushInterval: 3m is above outageWindow (2m)",
	`{"tlsCertFile": "x"}`:               "sharedState.tlsCertFile: needs tlsKeyFile",
	`{"recording": "SAMPLE"}`:            "did you mean SAMPLED?",
	`{"successSampleRate": 0.5}`:         "0.5 needs recording SAMPLED",
	`{"keyPrefix": "a b"}`:               "has a brace or a blank in it",
	`{"keyPrefix": ""}`:                  "sharedState.keyPrefix: is empty: two services on one server would share breakers of one name",
	`{"minimumErrors": 0}`:               "sharedState.minimumErrors: the value is outside [1, 1000000000]",
	`7`:                                  "is not an object",
}

func TestFieldG04SharedStateIsCheckedByWhoeverReadsTheFile(t *testing.T) {
	for section, want := range refusedSharing {
		file := []byte(`{"sharedState": ` + section + `}`)
		_, tool := Inspect("r.json", file)
		_, alone := Parse("r.json", file, Process{})
		_, shares := Parse("r.json", file, Process{Shares: true})
		for _, err := range []error{tool, alone, shares} {
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v, want …%s…", section, err, want)
			}
		}
	}
}

func TestToShareABreakerTakesAnAdapter(t *testing.T) {
	const file = `{
		"breakers": {"default": {"shared": true}, "a": {"shared": false}, "b": {"shared": true, "testDelay": 0}},
		"timeouts": {"a": {"duration": 0}}, "sharedState": {"keyPrefix": "shop:"}
	}`
	const adapter = "true needs an adapter; pass redis.Share(), of github.com/resgen-go/resgen/runtime/redis, to resilience.New\n"
	const other = "r.json:3:34: timeouts.a.duration: 0 is outside (0s, 8760h]"
	_, alone := Parse("r.json", []byte(file), Process{})
	_, inspected := Inspect("r.json", []byte(file))
	_, shares := Parse("r.json", []byte(file), Process{Shares: true})
	want := "r.json:2:38: breakers.default.shared: " + adapter + "r.json:2:85: breakers.b.shared: " + adapter + other
	if alone == nil || alone.Error() != want {
		t.Errorf("faults\n%v\nwant\n%s", alone, want)
	}
	for _, err := range []error{inspected, shares} {
		if err == nil || err.Error() != other {
			t.Errorf("faults\n%v\nwant\n%s", err, other)
		}
	}
}

// With a default, two services with a breaker of one name were one breaker.
func TestFieldN02AFleetNeedsAName(t *testing.T) {
	const missing = `sharedState.keyPrefix: missing: two services on one server would share breakers of one name; write the service's name, such as "shop:"`
	const adapter = "shared: true needs an adapter; pass redis.Share(), of github.com/resgen-go/resgen/runtime/redis, to resilience.New"
	tests := []struct{ about, breakers, sharedState, want string }{
		{"no section", `{"db": {"shared": true}}`, ``, "r.json:1:32: " + missing},
		{"no section, for all breakers", `{"default": {"shared": true}}`, ``, "r.json:1:37: " + missing},
		{"no section, where the first breaker is shared", `{"b": {}, "a": {"shared": true}, "default": {"shared": true}}`, ``, "r.json:1:40: " + missing},
		{"a section without it", `{"db": {"shared": true}}`, `{"address": "h:1"}`, "r.json:1:55: " + missing},
		{"a section that says it is on", `{"db": {"shared": true}}`, `{"enabled": true}`, "r.json:1:55: " + missing},
		{"another fault beside it", `{"db": {"shared": true}}`, `{"adress": "h:1"}`,
			"r.json:1:55: " + missing + "\nr.json:1:56: sharedState.adress: no such setting; did you mean address?"},
		{"a wrong name for it", `{"db": {"shared": true}}`, `{"keyPrefx": "shop:"}`, "r.json:1:56: sharedState.keyPrefx: no such setting; did you mean keyPrefix?"},
		{"another product's name for it", `{"db": {"shared": true}}`, `{"namespace": "shop:"}`, "r.json:1:56: sharedState.namespace: no such setting; did you mean keyPrefix?"},
		{"a wrong value", `{"db": {"shared": true}}`, `{"keyPrefix": 7}`, "r.json:1:69: sharedState.keyPrefix: the value is not text in double quotes"},
		{"no object", `{"db": {"shared": true}}`, `7`, "r.json:1:55: sharedState: the value is not an object"},
		{"unclear whether it is on", `{"db": {"shared": true}}`, `{"enabled": 7}`, "r.json:1:67: sharedState.enabled: the value is not true or false"},
		{"a name", `{"db": {"shared": true}}`, `{"keyPrefix": "shop:"}`, ""},
		{"turned off", `{"db": {"shared": true}}`, `{"enabled": false}`, ""},
		{"a flush as long as the window", `{"db": {"shared": true}}`, `{"keyPrefix": "shop:", "flushInterval": "2m"}`, ""},
		{"nothing shared", `{"db": {"shared": false}, "default": {}}`, `{"address": "h:1"}`, ""},
		{"no breakers", `{}`, `{"address": "h:1"}`, ""},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			file := `{"breakers": ` + test.breakers
			if test.sharedState != "" {
				file += `, "sharedState": ` + test.sharedState
			}
			_, tool := Inspect("r.json", []byte(file+"}"))
			_, shares := Parse("r.json", []byte(file+"}"), Process{Shares: true})
			for _, err := range []error{tool, shares} {
				if err == nil && test.want != "" || err != nil && err.Error() != test.want {
					t.Errorf("%s\n%v, want\n%s", file, err, test.want)
				}
			}
		})
	}
	_, alone := Parse("r.json", []byte(`{"breakers": {"db": {"shared": true}}}`), Process{})
	if want := "r.json:1:32: breakers.db." + adapter + "\nr.json:1:32: " + missing; alone == nil || alone.Error() != want {
		t.Errorf("a process without an adapter: %v, want\n%s", alone, want)
	}
}

func TestFieldG06ASharedBreakerMaySayItsOwnRule(t *testing.T) {
	for _, s := range strategies() {
		f := parseGood(t, `{"breakers": {
			"default": {"strategy": "`+s.name+`", "secondsBeforeRetry": "9s"},
			"a": {"shared": true, "minimumErrors": 5, "outageThreshold": 12.5}, "b": {}
		}, "sharedState": {"keyPrefix": "shop:"}}`)
		_, a := f.breaker("a")
		_, b := f.breaker("b")
		if diff := cmp.Diff(breaker.Fleet{Shared: true, MinimumErrors: new(5), OutageThreshold: new(12.5), SecondsBeforeRetry: new(9 * time.Second)}, a.Sharing()); diff != "" {
			t.Errorf("%s: a (-want +got):\n%s", s.name, diff)
		}
		if diff := cmp.Diff(breaker.Fleet{SecondsBeforeRetry: new(9 * time.Second)}, b.Sharing()); diff != "" {
			t.Errorf("%s: b (-want +got):\n%s", s.name, diff)
		}
	}
	_, err := Inspect("r.json", []byte(`{"breakers": {"a": {"minimumErrors": 0, "outageThreshold": 101, "secondsBeforeRetry": -1}}}`))
	want := "r.json:1:38: breakers.a.minimumErrors: 0 is outside [1, 1000000000]\n" +
		"r.json:1:60: breakers.a.outageThreshold: 101 is outside (0, 100]\n" +
		"r.json:1:87: breakers.a.secondsBeforeRetry: -1 is outside [0s, 8760h]"
	if err == nil || err.Error() != want {
		t.Errorf("faults\n%v\nwant\n%s", err, want)
	}
}

// What a breaker may say of the rule is said as in sharedState.
func TestFieldG06TheRuleHasOneFormInBothPlaces(t *testing.T) {
	defaults := setting.Describe(new(sharedstate.Settings))
	for _, own := range setting.Describe(new(breaker.Fleet)) {
		i := slices.IndexFunc(defaults, func(f setting.Field) bool { return f.Name == own.Name })
		if own.Name == "shared" {
			continue
		}
		if i < 0 || defaults[i].Type != own.Type || defaults[i].Range != own.Range || !own.Optional {
			t.Errorf("%s is %v, and in sharedState %+v", own.Name, own, defaults)
		}
	}
}

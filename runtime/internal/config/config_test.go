package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/dryrun"
	"github.com/resgen-go/resgen/runtime/internal/keyed"
	"github.com/resgen-go/resgen/runtime/internal/setting"
	"pgregory.net/rapid"
)

// load is what becomes of the file at path.
func load(path string) (*File, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Inspect(path, data)
}

func parseGood(t *testing.T, data string) *File {
	t.Helper()
	f, err := Inspect("resilience.json", []byte(data))
	if err != nil {
		t.Fatalf("a good file is refused: %v", err)
	}
	return f
}

func loadGood(t *testing.T, name string) *File {
	t.Helper()
	f, err := load(filepath.Join("testdata", "good", name))
	if err != nil {
		t.Fatalf("a good file is refused: %v", err)
	}
	return f
}

func builtInStatic() *breaker.Static {
	s := new(breaker.Static)
	setting.Defaults(s)
	return s
}

var (
	enforced = dryrun.Enforcement{Enforce: true}
	thousand = keyed.Instances{MaxInstances: 1000}
)

func TestWithoutAFileTheBuiltInDefaultsHold(t *testing.T) {
	f := Default()
	strategy, s := f.breaker("payments")
	want := &breaker.Static{
		FailureThreshold: 3, FailureThresholdCapacity: 10, SuccessThreshold: 5, SuccessThresholdCapacity: 5,
		TestDelay: 20 * time.Second, MaxHalfOpenDuration: time.Minute, Enforcement: enforced, Instances: thousand,
	}
	if diff := cmp.Diff(want, s); strategy != "STATIC_THRESHOLD" || diff != "" {
		t.Errorf("breaker: %s (-want +got):\n%s", strategy, diff)
	}
	if diff := cmp.Diff(&bulkhead.Settings{MaxConcurrentCalls: 25, Enforcement: enforced, Instances: thousand}, f.InForce(Bulkheads, "payments")); diff != "" {
		t.Errorf("bulkhead (-want +got):\n%s", diff)
	}
	if d := f.InForce(Timeouts, "payments").(*Timeout).Limit(); d != 0 {
		t.Errorf("timeout: %v", d)
	}
	if names := f.Names(Breakers); len(names) > 0 {
		t.Errorf("names: %v", names)
	}
}

func TestEverySectionOfAFileIsRead(t *testing.T) {
	f := loadGood(t, "every-section.json")
	strategy, s := f.breaker("payments")
	canary, ok := s.(*breaker.Canary)
	if strategy != "CANARY_RATE_THRESHOLD" || !ok || canary.FailureRateThreshold != 21 || canary.MinimumNumberOfCalls != 50 {
		t.Errorf("payments is %s %+v", strategy, s)
	}
	strategy, s = f.breaker("inventory")
	if diff := cmp.Diff(builtInStatic(), s); strategy != "STATIC_THRESHOLD" || diff != "" {
		t.Errorf("inventory is %s (-want +got):\n%s", strategy, diff)
	}
	want := &bulkhead.Settings{MaxConcurrentCalls: 20, MaxWaitDuration: 50 * time.Millisecond, Enforcement: enforced, Instances: thousand}
	if diff := cmp.Diff(want, f.InForce(Bulkheads, "payments")); diff != "" {
		t.Errorf("bulkhead (-want +got):\n%s", diff)
	}
	if d := f.InForce(Timeouts, "payments").(*Timeout).Limit(); d != 300*time.Millisecond {
		t.Errorf("timeout: %v", d)
	}
	if names := f.Names(Breakers); !slices.Equal(names, []string{"inventory", "payments"}) {
		t.Errorf("names: %v", names)
	}
}

func TestAFileFromBeforeTheSecondStrategyKeepsItsMeaning(t *testing.T) {
	_, s := loadGood(t, "before-the-second-strategy.json").breaker("payments")
	want := builtInStatic()
	want.FailureThreshold, want.FailureThresholdCapacity = 5, 20
	want.SuccessThreshold, want.SuccessThresholdCapacity = 2, 2
	want.TestDelay = 1500 * time.Millisecond
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestEveryGoodFileIsRead(t *testing.T) {
	paths, err := filepath.Glob("testdata/good/*")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range paths {
		f, err := load(path)
		if err != nil {
			t.Errorf("refused: %v", err)
		} else if len(f.Warnings()) > 0 {
			t.Errorf("warned: %v", f.Warnings())
		}
	}
}

// inForce writes effective settings as "setting value (origin)".
func inForce(f *File, section, name string) []string {
	var lines []string
	for _, v := range f.Effective(section, name) {
		value, _ := json.Marshal(v.Value)
		lines = append(lines, v.Setting+" "+string(value)+" ("+v.From+")")
	}
	return lines
}

func TestDefaultsHoldFieldByField(t *testing.T) {
	f := parseGood(t, `{
		"breakers": {
			"default":   {"failureThreshold": 4, "testDelay": "5s", "failureRateThreshold": 33.5, "maxHalfOpenDuration": 90},
			"inventory": {"successThreshold": 8, "testDelay": "PT1M"},
			"paced":     {"strategy": "PACED_RATE_THRESHOLD"}
		},
		"bulkheads": {"default": {"queueCapacity": 0}, "payments": {"maxConcurrentCalls": 7}},
		"timeouts": {"default": {"duration": "1h"}, "payments": {}}
	}`)
	tests := []struct {
		section, name string
		want          []string
	}{
		{Breakers, "inventory", []string{
			`strategy "STATIC_THRESHOLD" (built in)`,
			`failureThreshold 4 (default section)`,
			`failureThresholdCapacity 10 (built in)`,
			`successThreshold 8 (file)`,
			`successThresholdCapacity 8 (file)`,
			`testDelay "1m" (file)`,
			`maxHalfOpenDuration "1m30s" (default section)`,
			"enforce true (built in)",
			"shared false (built in)",
			"outageThreshold null (built in)",
			"minimumErrors null (built in)", "minimumVotes null (built in)", "voteShare null (built in)",
			"secondsBeforeRetry null (built in)",
			"maxInstances 1000 (built in)",
		}},
		{Breakers, "unnamed", []string{
			`strategy "STATIC_THRESHOLD" (built in)`,
			`failureThreshold 4 (default section)`,
			`failureThresholdCapacity 10 (built in)`,
			`successThreshold 5 (built in)`,
			`successThresholdCapacity 5 (built in)`,
			`testDelay "5s" (default section)`,
			`maxHalfOpenDuration "1m30s" (default section)`,
			"enforce true (built in)",
			"shared false (built in)",
			"outageThreshold null (built in)",
			"minimumErrors null (built in)", "minimumVotes null (built in)", "voteShare null (built in)",
			"secondsBeforeRetry null (built in)",
			"maxInstances 1000 (built in)",
		}},
		{Breakers, "paced", []string{
			`strategy "PACED_RATE_THRESHOLD" (file)`,
			`failureRateThreshold 33.5 (default section)`,
			`slidingWindowDuration "20s" (built in)`,
			`minimumNumberOfCalls 10 (built in)`,
			`testDelay "5s" (default section)`,
			`permittedNumberOfCallsInHalfOpenState 10 (built in)`,
			`successRateThreshold 70 (built in)`,
			`maxHalfOpenDuration "1m30s" (default section)`,
			"enforce true (built in)",
			"shared false (built in)",
			"outageThreshold null (built in)",
			"minimumErrors null (built in)", "minimumVotes null (built in)", "voteShare null (built in)",
			"secondsBeforeRetry null (built in)",
			"maxInstances 1000 (built in)",
		}},
		{Bulkheads, "payments", []string{
			`limit "FIXED" (built in)`,
			`maxConcurrentCalls 7 (file)`,
			`maxWaitDuration "0s" (built in)`,
			`queueCapacity 0 (default section)`,
			"enforce true (built in)",
			"maxInstances 1000 (built in)",
		}},
		{Bulkheads, "unnamed", []string{
			`limit "FIXED" (built in)`,
			`maxConcurrentCalls 25 (built in)`,
			`maxWaitDuration "0s" (built in)`,
			`queueCapacity 0 (default section)`,
			"enforce true (built in)",
			"maxInstances 1000 (built in)",
		}},
		{Timeouts, "payments", []string{`duration "1h" (default section)`, "maxInstances 1000 (built in)"}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, inForce(f, test.section, test.name)); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", test.section, test.name, diff)
		}
	}
}

func TestABreakersStrategyIsItsOwnElseThatOfTheDefaultsElseStatic(t *testing.T) {
	tests := []struct{ about, file, strategy, from string }{
		{"built in", `{"breakers": {"a": {}}}`, "STATIC_THRESHOLD", "built in"},
		{"defaults without one", `{"breakers": {"default": {"testDelay": 1}, "a": {}}}`, "STATIC_THRESHOLD", "built in"},
		{"of the defaults", `{"breakers": {"a": {}, "default": {"strategy": "CANARY_RATE_THRESHOLD"}}}`, "CANARY_RATE_THRESHOLD", "default section"},
		{"its own", `{"breakers": {"a": {"strategy": "NONE"}, "default": {"strategy": "CANARY_RATE_THRESHOLD"}}}`, "NONE", "file"},
		{"of a name that the file lacks", `{"breakers": {"default": {"strategy": "CANARY_RATE_THRESHOLD"}}}`, "CANARY_RATE_THRESHOLD", "default section"},
	}
	for _, test := range tests {
		first := parseGood(t, test.file).Effective(Breakers, "a")[0]
		if first.Setting != "strategy" || first.Value != test.strategy || first.From != test.from {
			t.Errorf("%s: %+v, want strategy %s from %s", test.about, first, test.strategy, test.from)
		}
	}
}

func TestAMinimumAboveTheWindowIsAWarning(t *testing.T) {
	f := parseGood(t, `{
		"breakers": {
			"default": {"strategy": "CANARY_RATE_THRESHOLD", "slidingWindowSize": 20},
			"inherits": {},
			"own": {"minimumNumberOfCalls": 30},
			"fits": {"minimumNumberOfCalls": 20},
			"timed": {"slidingWindowType": "TIME_BASED"}
		}
	}`)
	want := []string{
		"resilience.json:3:74: breakers.default.slidingWindowSize: minimumNumberOfCalls 50 is above slidingWindowSize (20) and means 20",
		"resilience.json:5:36: breakers.own.minimumNumberOfCalls: 30 is above slidingWindowSize (20) and means 20",
	}
	checkWarnings(t, f, want)
}

func TestANameThatIsNearlyDefaultIsAWarning(t *testing.T) {
	f := parseGood(t, `{"breakers": {"Default": {}, "default": {}}, "timeouts": {"DEFAULT": {}}}`)
	checkWarnings(t, f, []string{
		`resilience.json:1:15: breakers.Default: is one breaker's name; the defaults of all stand under "default"`,
		`resilience.json:1:59: timeouts.DEFAULT: is one timeout's name; the defaults of all stand under "default"`,
	})
}

func TestASectionThatThereIsNotHasNoSettings(t *testing.T) {
	if got := Default().Effective("breaker", "payments"); got != nil {
		t.Errorf("in force are %v", got)
	}
}

func checkWarnings(t *testing.T, f *File, want []string) {
	t.Helper()
	var got []string
	for _, w := range f.Warnings() {
		got = append(got, w.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// spellings are the ways of writing one time.
func spellings(d time.Duration) []string {
	hour, day := time.Hour, 24*time.Hour
	return []string{
		strconv.Quote(d.String()),
		strconv.Quote(fmt.Sprintf("%dns", d)),
		strconv.Quote(fmt.Sprintf("%dh%dns", d/hour, d%hour)),
		strconv.Quote(fmt.Sprintf("%dns%dh", d%hour, d/hour)),
		strconv.Quote(fmt.Sprintf("P%dDT%dH%d.%09dS", d/day, d%day/hour, d%hour/time.Second, d%time.Second)),
		strconv.Quote(fmt.Sprintf("P%dWT%dH%d,%09dS", d/(7*day), d%(7*day)/hour, d%hour/time.Second, d%time.Second)),
		strconv.Quote(fmt.Sprintf("PT%d.%09dS", d/time.Second, d%time.Second)),
		fmt.Sprintf("%d.%09d", d/time.Second, d%time.Second),
	}
}

func TestFieldF15OneTimeIsJudgedAlikeInEverySpelling(t *testing.T) {
	fields := standard.section(Breakers).variant("CANARY_RATE_THRESHOLD").fields()
	fields = slices.DeleteFunc(slices.Clone(fields), func(f setting.Field) bool { return f.Type != setting.Duration })
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(fields).Draw(t, "field")
		bound := rapid.SampledFrom([]any{f.Range.Low, f.Range.High, time.Minute}).Draw(t, "bound").(time.Duration)
		unit := rapid.SampledFrom([]time.Duration{time.Nanosecond, time.Millisecond, time.Hour, 24 * time.Hour}).Draw(t, "unit")
		d := max(0, bound+unit*time.Duration(rapid.IntRange(-2, 2).Draw(t, "steps")))
		for _, text := range spellings(d) {
			// All of a breaker's durations are the same, so that no rule between them is broken.
			var all []string
			for _, g := range fields {
				all = append(all, fmt.Sprintf("%q: %q", g.Name, "1m"))
			}
			all = append(slices.DeleteFunc(all, func(s string) bool { return strings.HasPrefix(s, strconv.Quote(f.Name)) }), fmt.Sprintf("%q: %s", f.Name, text))
			file := `{"breakers": {"a": {"strategy": "CANARY_RATE_THRESHOLD", ` + strings.Join(all, ", ") + `}}}`
			got, err := Inspect("r.json", []byte(file))
			outside := err != nil && strings.Contains(err.Error(), "is outside")
			if outside == f.Range.Holds(d) {
				t.Fatalf("%s: %s, which is %v: %v", f.Name, text, d, err)
			}
			if err == nil {
				_, s := got.breaker("a")
				if value := f.Get(s); value != d {
					t.Fatalf("%s: %s is read as %v, want %v", f.Name, text, value, d)
				}
			}
		}
	})
}

func TestFieldF15SamplesAreJudgedByTheirTime(t *testing.T) {
	for _, text := range []string{`"8761h"`, `"P365DT1H"`, `"8760h1h"`, `"1h8760h"`, `"P52W1DT1H"`, `"525660m"`, `31539600`, `3.15396e7`} {
		_, err := Inspect("r.json", []byte(`{"breakers": {"a": {"testDelay": `+text+`}}}`))
		if want := "r.json:1:34: breakers.a.testDelay: " + text + " is outside [0s, 8760h]"; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	for _, text := range []string{`"8760h"`, `"P365D"`, `"P52W1D"`, `"8759h60m"`, `"P364DT24H"`, `31536000`, `3.1536e7`} {
		if f := parseGood(t, `{"breakers": {"a": {"testDelay": `+text+`}}}`); len(f.Warnings()) > 0 && strings.HasPrefix(text, `"`) {
			t.Errorf("warned of %v", f.Warnings())
		}
	}
}

func TestFieldF16AUnitThatWasProbablyMistakenIsAWarning(t *testing.T) {
	const seconds = ", because a number without a unit is seconds; if that was meant, write "
	for _, test := range []struct{ section, setting, value, want string }{
		{"breakers", "testDelay", "20000", `20000 means 5h33m20s` + seconds + `"5h33m20s", else "20000ms"`},
		{"timeouts", "duration", "300", `300 means 5m` + seconds + `"5m", else "300ms"`},
		{"timeouts", "duration", "1500.0", `1500.0 means 25m` + seconds + `"25m", else "1500.0ms"`},
		{"timeouts", "duration", "25000000", `25000000 means 6944h26m40s` + seconds + `"6944h26m40s", else "25000000ns"`},
		{"timeouts", "duration", `"300m"`, `"300m" means 5h; if that was meant, write "5h", else "300ms"`},
		{"timeouts", "duration", `"100m"`, `"100m" means 1h40m; if that was meant, write "1h40m", else "100ms"`},
		{"timeouts", "duration", `"20000s"`, `"20000s" means 5h33m20s; if that was meant, write "5h33m20s", else "20000ms"`},
		{"bulkheads", "maxWaitDuration", "50", `50 means 50s` + seconds + `"50s", else "50ms"`},
		{"breakers", "failureRateThreshold", "0.3", `0.3 means 0.3 percent; if the share 0.3 was meant, write 30`},
		{"breakers", "failureRateThreshold", "0.07", `0.07 means 0.07 percent; if the share 0.07 was meant, write 7`},
		{"breakers", "failureRateThreshold", "1", `1 means 1 percent; if the share 1 was meant, write 100`},
		{"breakers", "slowCallDurationThreshold", "60000", `60000 means 16h40m` + seconds + `"16h40m", else "60000ms"`},
		{"breakers", "probeInterval", "1000", `1000 means 16m40s` + seconds + `"16m40s", else "1000ms"`},
		{"breakers", "probeTimeout", "500", `500 means 8m20s` + seconds + `"8m20s", else "500ms"`},
		{"sharedState", "trialTimeout", "1000", `1000 means 16m40s` + seconds + `"16m40s", else "1000ms"`},
		{"sharedState", "outageThreshold", "0.5", `0.5 means 0.5 percent; if the share 0.5 was meant, write 50`},
		{"breakers", "failureRateThreshold", "1.5", ""},
		{"breakers", "testDelay", "120", ""},
		{"breakers", "testDelay", `"5h33m20s"`, ""},
		{"breakers", "testDelay", `"90m"`, ""},
		{"breakers", "testDelay", `"3600s"`, ""},
		{"timeouts", "duration", "60", ""},
		{"timeouts", "duration", `"5m"`, ""},
		{"timeouts", "duration", `"300s"`, ""},
		{"timeouts", "duration", "0.3", ""},
		{"bulkheads", "maxWaitDuration", "0", ""},
		{"sharedState", "successSampleRate", "1", ""},
		{"sharedState", "secondsBeforeRetry", "300", ""},
	} {
		file, path := `{"`+test.section+`": {`, test.section+".a."+test.setting
		switch {
		case test.section == SharedState:
			path = test.section + "." + test.setting
		case test.section == Breakers && test.setting != "testDelay":
			file += `"default": {"strategy": "CANARY_RATE_THRESHOLD"}, "a": {`
		default:
			file += `"a": {`
		}
		file += `"` + test.setting + `": ` + test.value + strings.Repeat("}", strings.Count(file, "{")-strings.Count(file, "}"))
		var got []string
		for _, w := range parseGood(t, file).Warnings() {
			got = append(got, w.Path+": "+w.Message)
		}
		var want []string
		if test.want != "" {
			want = []string{path + ": " + test.want}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\nwarnings %q, want %q", file, got, want)
		}
	}
}

func TestFieldF16AWindowOfSecondsIsDoubtedToo(t *testing.T) {
	f := parseGood(t, `{"breakers": {"a": {"strategy": "CANARY_RATE_THRESHOLD", "slidingWindowType": "TIME_BASED", "slidingWindowSize": 60000},
		"b": {"strategy": "CANARY_RATE_THRESHOLD", "slidingWindowType": "TIME_BASED", "slidingWindowSize": 3600},
		"c": {"strategy": "CANARY_RATE_THRESHOLD", "slidingWindowSize": 60000}}}`)
	checkWarnings(t, f, []string{"resilience.json:1:114: breakers.a.slidingWindowSize: 60000 means 16h40m, because a TIME_BASED window is of seconds; if milliseconds were meant, write 60"})
}

func TestFieldF16AUnitThatIsOutOfRangeIsNamed(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{`{"sharedState": {"timeout": 1000}}`, `sharedState.timeout: the value is outside [10ms, 1m]`},
		{`{"breakers": {"a": {"testDelay": 20000000000}}}`, `breakers.a.testDelay: 20000000000 is outside [0s, 8760h]; a number is seconds, did you mean "20000000000ns"?`},
		{`{"timeouts": {"a": {"duration": "300"}}}`, `"300" is not a duration in (0s, 8760h]; write "20s", "1m30s", "PT20S" or a number of seconds; did you mean "300ms" or "300s"?`},
		{`{"timeouts": {"a": {"duration": "30"}}}`, `or a number of seconds; did you mean "30s"?`},
		{`{"breakers": {"a": {"testDelay": 31536001}}}`, `31536001 is outside [0s, 8760h]`},
	} {
		_, err := Inspect("r.json", []byte(test.file))
		if err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.file, err, test.want)
		}
	}
}

func TestSettingsBelongToWhoAsks(t *testing.T) {
	f := loadGood(t, "every-section.json")
	_, s := f.breaker("inventory")
	s.(*breaker.Static).FailureThreshold = 9
	if _, s := f.breaker("inventory"); s.(*breaker.Static).FailureThreshold != 3 {
		t.Error("a change of the settings that were handed out changed the file's")
	}
}

func TestLoadTellsAMissingFileFromABadOne(t *testing.T) {
	dir := t.TempDir()
	if _, err := load(filepath.Join(dir, "absent.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an absent file: %v", err)
	}
	path := filepath.Join(dir, "bad.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := load(path)
	var faults Faults
	if !errors.As(err, &faults) || faults[0].File != path {
		t.Errorf("a bad file: %v", err)
	}
	if _, err := load(dir); err == nil || errors.As(err, &faults) {
		t.Errorf("a folder: %v", err)
	}
}

func TestOfAHugeFileOnlyAsMuchIsReadAsMayBe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "huge.json")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(100 << 20); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = load(path)
	runtime.ReadMemStats(&after)
	if want := path + ":1:1: the file is larger than 1 MiB"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Errorf("%d MiB were allocated", used>>20)
	}
}

func TestCompareNamesWhatIsMissingAndWhatIsUnused(t *testing.T) {
	f := parseGood(t, `{
		"breakers": {"default": {}, "payment": {}, "inventory": {}, "old": {}},
		"timeouts": {"payments": {}}
	}`)
	got := f.Compare(map[string][]string{
		Breakers:  {"payments", "inventory", "mail"},
		Bulkheads: {"inventory"},
		Timeouts:  {"payments"},
	})
	want := `resilience.json: breakers.mail: not in the file, so the defaults hold
resilience.json: breakers.payments: not in the file, so the defaults hold; did you mean the unused payment?
resilience.json: bulkheads.inventory: not in the file, so the defaults hold
resilience.json:2:31: breakers.payment: no wrapper asks for it
resilience.json:2:63: breakers.old: no wrapper asks for it`
	if diff := cmp.Diff(want, got.Error()); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
	if rest := f.Compare(map[string][]string{Breakers: {"payment", "inventory", "old"}, Timeouts: {"payments"}}); len(rest) > 0 {
		t.Errorf("differences where there are none: %v", rest)
	}
}

// Retries have a budget of their own name unless they say another. That of a name
// nobody uses is unused.
func TestRetryR12ABudgetIsUsedByItsRetries(t *testing.T) {
	used := map[string][]string{Retries: {"prices", "stock"}}
	for settings, want := range map[string]string{
		`{"retries": {"prices": {}, "stock": {}}, "budgets": {"prices": {}, "stock": {}}}`:                  "",
		`{"retries": {"prices": {}, "stock": {"budget": "all"}}, "budgets": {"all": {}, "stock": {}}}`:      "budgets.stock",
		`{"retries": {"default": {"budget": "all"}, "prices": {}, "stock": {}}, "budgets": {"all": {}}}`:    "",
		`{"retries": {"default": {"budget": "all"}, "prices": {}, "stock": {}}, "budgets": {"prices": {}}}`: "budgets.prices",
	} {
		got := parseGood(t, settings).Compare(used)
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || got[0].Path != want) {
			t.Errorf("%s: %v, want %q", settings, got, want)
		}
	}
}

func TestFieldL08StarterIsAFileThatChangesNothingAndFitsEightyColumns(t *testing.T) {
	used := map[string][]string{
		Breakers:  {"payments", "inventory", "payments", strings.Repeat("long", 50)},
		Bulkheads: {"inventory"},
	}
	data := Starter(used)
	compareGolden(t, "testdata/starter.json", Starter(map[string][]string{Breakers: {"payments", "inventory"}, Timeouts: {"payments"}}))
	for line := range strings.Lines(string(data)) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 && !strings.Contains(line, "long") {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	f := parseGood(t, string(data))
	if rest := f.Compare(used); len(rest) > 0 {
		t.Errorf("the starting file lacks names: %v", rest)
	}
	for _, section := range standard.names() {
		_, got := f.inForce(section, "inventory")
		if _, want := Default().inForce(section, "inventory"); !cmp.Equal(want, got) {
			t.Errorf("%s: the starting file changes the defaults:\n%s", section, cmp.Diff(want, got))
		}
	}
}

func TestSchemaIsAsReviewed(t *testing.T) { compareGolden(t, "testdata/schema.json", Schema()) }

func compareGolden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// A value among the defaults is checked once for all strategies that have the
// setting.
func TestASettingOfSeveralStrategiesHasOneTypeAndRange(t *testing.T) {
	for _, s := range standard {
		shapes := map[string]string{}
		for _, k := range s.variants {
			for _, f := range k.fields() {
				f.Default, f.Like, f.Doc = nil, "", ""
				o := append(fieldSchema(&f), member{"optional", f.Optional})
				shape := string(pretty(o))
				if first, ok := shapes[f.Name]; ok && first != shape {
					t.Errorf("%s %s is %s and in %s %s", s.name, f.Name, first, k.name, shape)
				}
				shapes[f.Name] = shape
			}
		}
	}
}

// Numbers beyond every int and duration are read as the largest one, which a
// range has to exclude.
func TestEveryNumberHasBounds(t *testing.T) {
	for _, s := range standard {
		for _, f := range s.fields() {
			isNumber := slices.Contains([]setting.Type{setting.Int, setting.Float, setting.Duration}, f.Type)
			if isNumber && (f.Range.Low == nil || f.Range.High == nil) {
				t.Errorf("%s %s has the range %v", s.name, f.Name, f.Range)
			}
			if f.Type == setting.Duration && f.Range.Low.(time.Duration) < 0 {
				t.Errorf("%s %s may be negative, which the schema refuses as text", s.name, f.Name)
			}
		}
	}
}

// Each variant may have rules between settings; its defaults must keep them.
func TestEveryKindOfSettingsIsSoundByItself(t *testing.T) {
	for name, k := range allKinds() {
		s := k.fresh()
		setting.Defaults(s)
		if c, ok := s.(setting.Checker); ok && len(c.Check()) > 0 {
			t.Errorf("the defaults of %s: %v", name, c.Check())
		}
		if w, ok := s.(setting.Warner); ok && len(w.Warn()) > 0 {
			t.Errorf("the defaults of %s: %v", name, w.Warn())
		}
		for _, f := range k.fields() {
			if f.Doc == "" {
				t.Errorf("%s %s has no description", name, f.Name)
			}
		}
	}
}

func allKinds() map[string]variant {
	all := map[string]variant{}
	for _, s := range standard {
		for _, k := range s.variants {
			all[s.name+" "+k.name] = k
		}
	}
	return all
}

// odd is a struct whose rule blames a setting that nobody wrote.
type odd struct {
	A int `setting:"a" default:"1" range:"[1,9]"`
	B int `setting:"b" default:"1" range:"[1,9]"`
}

func (o *odd) Check() []setting.Problem {
	if o.A == 1 {
		return nil
	}
	return []setting.Problem{{Field: "c", Message: "is broken"}}
}

func TestASectionMoreIsARowMore(t *testing.T) {
	f := append(slices.Clone(standard), section{name: "odd", one: "odd", variants: []variant{{fresh: func() any { return new(odd) }}}})
	_, err := f.parse("resilience.json", []byte(`{"odd": {"x": {"a": 2}, "y": {"b": 10}}}`), Process{true, true})
	want := "resilience.json:1:15: odd.x: c is broken\nresilience.json:1:36: odd.y.b: 10 is outside [1, 9]"
	if err == nil || err.Error() != want {
		t.Errorf("faults %v, want %s", err, want)
	}
	if !strings.Contains(string(f.schema()), `"#/$defs/odd"`) {
		t.Error("the schema lacks the section")
	}
}

// mirrored has a setting that is another's value by default, with a rule of its
// own.
type mirrored struct {
	A int `setting:"a" default:"1" range:"[1,9]"`
	B int `setting:"b" default:"=a" range:"[1,9]"`
	C int `setting:"c" default:"0" range:"[0,9]"`
}

func (m *mirrored) Check() []setting.Problem {
	if m.B <= m.C {
		return nil
	}
	return []setting.Problem{{Field: "b", Other: "c", Message: "is above c"}}
}

func TestASettingThatMirrorsAWrongOneBreaksNoRule(t *testing.T) {
	f := append(slices.Clone(standard), section{name: "pairs", one: "pair", variants: []variant{{fresh: func() any { return new(mirrored) }}}})
	_, err := f.parse("r.json", []byte(`{"pairs": {"default": {"c": 9}, "x": {"a": 10, "c": 0}, "y": {"a": 10, "b": 2, "c": 0}}}`), Process{true, true})
	want := "r.json:1:44: pairs.x.a: 10 is outside [1, 9]\nr.json:1:68: pairs.y.a: 10 is outside [1, 9]\nr.json:1:77: pairs.y.b: is above c"
	if err == nil || err.Error() != want {
		t.Errorf("faults\n%v\nwant\n%s", err, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, path := range slices.Concat(glob(f, "testdata/good/*"), glob(f, "testdata/*/*.txtar")) {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		_, inside, found := strings.Cut(string(data), "-- resilience.json --\n")
		if found {
			data = []byte(inside[:strings.Index(inside, "-- faults --\n")])
		}
		f.Add(data)
	}
	f.Add([]byte("\xEF\xBB\xBF{\"breakers\": {\"é\": NaN, \"a\": \"\\ud800\"}} // x"))
	f.Add([]byte(`{"breakers": {"default": {"shared": true, "minimumErrors": 3}, "a": {"strategy": "NONE"}}, "sharedState": {"keyPrefix": "shop:", "address": "h:1", "timeout": 0.5}}`))
	f.Add([]byte(`{"resilience4j": {"circuitbreaker": {"instances": {"a": {"testDelay": 20000}}}}, "timeouts": {"a": {"duration": "300m"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Inspect("f", data)
		shares, sharesErr := Parse("f", data, Process{Shares: true})
		if fmt.Sprint(err) != fmt.Sprint(sharesErr) {
			t.Fatalf("a tool says %v, and a process %v", err, sharesErr)
		}
		if _, alone := Parse("f", data, Process{}); (alone == nil) != (err == nil && !file.Shares()) {
			t.Fatalf("alone: %v, and else %v", alone, err)
		}
		if err == nil {
			checkAccepted(t, file, shares)
			return
		}
		var faults Faults
		if !errors.As(err, &faults) || len(faults) == 0 {
			t.Fatalf("no faults but %v", err)
		}
		lines := strings.Split(string(data), "\n")
		for _, fault := range faults {
			if fault.Line < 1 || fault.Line > len(lines) || fault.Column < 1 || fault.Column > len(lines[fault.Line-1])+1 {
				t.Errorf("%v is outside the file", fault)
			}
			if fault.Message == "" || strings.Contains(fault.Message, "\n") {
				t.Errorf("a message is no line: %q", fault.Message)
			}
		}
	})
}

// checkAccepted looks whether an accepted file gives every name sound settings,
// the same to whoever reads it, and the same again when they are written down.
func checkAccepted(t *testing.T, file, again *File) {
	t.Helper()
	for i := range standard {
		s := &standard[i]
		for _, name := range append(file.Names(s.name), "unnamed") {
			e, fallback := file.find(s, name)
			settings := e.settings(fallback)
			values := map[string]any{}
			for _, f := range e.variant.fields() {
				value := f.Get(settings)
				if value == nil && !f.Optional || value != nil && f.Accepts(value) != nil {
					t.Errorf("%s.%s.%s is %v", s.name, name, f.Name, value)
				}
				if value != nil {
					values[f.Name] = plain(value)
				}
			}
			if c, ok := settings.(setting.Checker); ok && len(c.Check()) > 0 {
				t.Errorf("%s.%s: %v", s.name, name, c.Check())
			}
			if _, same := again.inForce(s.name, name); !cmp.Equal(settings, same) {
				t.Errorf("%s.%s is read in two ways: %s", s.name, name, cmp.Diff(settings, same))
			}
			if !s.single {
				checkWritten(t, s, name, e.variant, values, settings)
			}
		}
	}
}

func checkWritten(t *testing.T, s *section, name string, k *variant, values map[string]any, want any) {
	t.Helper()
	if s.choose != "" {
		values[s.choose] = k.name
	}
	fleet := map[string]any{"keyPrefix": "shop:"} // where the values share a breaker
	data, err := json.Marshal(map[string]any{s.name: map[string]any{name: values}, SharedState: fleet})
	if err != nil {
		t.Fatal(err)
	}
	file, err := Inspect("w", data)
	if err != nil {
		t.Fatalf("%s is refused: %v", data, err)
	}
	if _, got := file.inForce(s.name, name); !cmp.Equal(want, got) {
		t.Errorf("%s is read otherwise: %s", data, cmp.Diff(want, got))
	}
}

func glob(f *testing.F, pattern string) []string {
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		f.Fatalf("%s: no files, %v", pattern, err)
	}
	return paths
}

func TestIsNameIsThePatternThatEditorsKnow(t *testing.T) {
	pattern := regexp.MustCompile(namePattern)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[A-Za-z0-9._/\- é\n$]{0,4}`).Draw(t, "text")
		if isName(text) != pattern.MatchString(text) {
			t.Errorf("of %q it says %v", text, isName(text))
		}
	})
}

func TestAnInstanceHasTheObjectOfItsFullNameElseThatOfItsBase(t *testing.T) {
	f, err := Parse("x.json", []byte(`{"timeouts": {"default": {"duration": "1s"}, "a": {"duration": "2s"}, "a/b": {"duration": "3s"}, "c/d": {}}}`), Process{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]time.Duration{"a": 2e9, "a/b": 3e9, "a/b/c": 2e9, "a/x": 2e9, "c": 1e9, "c/d": 1e9, "x/y": 1e9} {
		if got := f.InForce(Timeouts, name).(*Timeout).Limit(); got != want {
			t.Errorf("%s has %v, want %v", name, got, want)
		}
		if covered := name[0] != 'x' && name != "c"; f.Covers(Timeouts, name) != covered {
			t.Errorf("of %s it says that an object covers it: %v", name, !covered)
		}
	}
	if faults := f.Compare(map[string][]string{Timeouts: {"a"}}); len(faults) != 1 || faults[0].Path != "timeouts.c/d" {
		t.Errorf("instances compare as %v", faults)
	}
}

package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/resgen-go/resgen/examples/isolation/internal/load"
	"github.com/resgen-go/resgen/examples/isolation/internal/stand"
	"github.com/resgen-go/resgen/internal/svgtext/svgcheck"
)

// The claim itself, measured: only orderings, with margins.
func TestSlowDependencyTakesTheOtherDownUnlessThePoolIsSplit(t *testing.T) {
	e := demonstration(600*time.Millisecond, 24, experiment{
		strikes: 600 * time.Millisecond, warmUp: 1500 * time.Millisecond, over: 2100 * time.Millisecond, slice: 300 * time.Millisecond})
	e.states, e.policies = e.states[:3], e.policies[:1] // all but slowish, refused at once
	r := measured(t, e)
	bySlow, byDead := r.cell(slow, e.policies[0]), r.cell(failing, e.policies[0])
	if got, _ := bySlow.split.b.Total.Percent(load.OK); got < 99 {
		t.Errorf("A slow, a pool each: /b is %.1f %% ok, want 99 at least", got)
	}
	if got, _ := bySlow.shared.b.Total.Percent(load.OK); got > 85 {
		t.Errorf("A slow, one pool: /b is %.1f %% ok, want 85 at most", got)
	}
	if got := harmOf(byDead).points; got > 2 || got < -2 {
		t.Errorf("A failing: /b is %.1f points worse with one pool, want 2 at most", got)
	}
	for _, c := range []claim{claims[fails], claims[level], claims[soon], claims[keeps], claims[fast], claims[dead]} {
		if ruling, why := c.judge(r, e.policies[0]); ruling != supported {
			t.Errorf("%s: %v, %s", c.words, ruling, why)
		}
	}
	if got := r.ranOut(bySlow.shared, "shared"); !strings.Contains(got, "all 24 in use") {
		t.Errorf("ran out: %s", got)
	}
}

// measured runs an experiment, again where the machine was too busy to make the
// load as planned: then something else was measured.
func measured(t *testing.T, e experiment) *results {
	t.Helper()
	for range 4 {
		d, err := stand.OwnDependencies(e.timeout / 100)
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.run(t.Context(), d, io.Discard, io.Discard)
		d.Close()
		if err != nil {
			t.Fatal(err)
		}
		if why := r.doubt(claims[dead], e.policies[0]); why != "" {
			t.Log(why)
			continue
		}
		return r
	}
	t.Skip("the machine is too busy to measure anything")
	return nil
}

func TestReportShowsTheWholeGrid(t *testing.T) {
	e := demonstration(100*time.Millisecond, 4, experiment{
		strikes: 50 * time.Millisecond, warmUp: 100 * time.Millisecond, over: 200 * time.Millisecond, slice: 50 * time.Millisecond})
	d, err := stand.OwnDependencies(time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var out bytes.Buffer
	r, err := e.run(t.Context(), d, &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), " %\n"); got != 12 {
		t.Errorf("%d rows, want 12:\n%s", got, &out)
	}
	text := string(r.report())
	for _, want := range []string{"60 requests/s to /a", "wait within the caller's deadline", claims[0].words, `"maxWaitDuration": "100ms"`, "permits of a"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	r.states, r.policies = r.states[:1], r.policies[:1] // small pictures are drawn sooner
	folder := t.TempDir()
	if err := r.save(folder); err != nil {
		t.Fatal(err)
	}
	text = readFile(t, filepath.Join(folder, "report.md"))
	for _, p := range pictures {
		if !strings.Contains(text, "("+p.file+".svg)") {
			t.Errorf("the report does not show %s", p.file)
		}
		readFile(t, filepath.Join(folder, p.file+".svg"))
		readFile(t, filepath.Join(folder, p.file+".png"))
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestExperimentWithEndpointsOfOnesOwn(t *testing.T) {
	var asked [2]atomic.Int64
	theirs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked[strings.Index("ab", r.URL.Path[1:])].Add(1)
	}))
	defer theirs.Close()
	config := filepath.Join(t.TempDir(), "resilience.json")
	text := `{"bulkheads": {"shared": {"maxConcurrentCalls": 7}, "a": {"maxConcurrentCalls": 5}, "b": {}}, "timeouts": {"call": {"duration": "200ms"}}}`
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := options{own: own{given: true, config: config, a: theirs.URL + "/a", b: theirs.URL + "/b", rate: 20, seconds: 3}}
	var out bytes.Buffer
	if err := run(t.Context(), o, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"20 requests/s", "after 200 ms", "7 permits, or 5 for A and 25 for B",
		"A is made slow", "A is cut off", "Reference: A as it is", claims[free].words,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, &out)
		}
	}
	if got := asked[1].Load(); got < 50 || got > 80 {
		t.Errorf("B was asked %d times, want about 60: 20 a second for 3 seconds", got)
	}
	if got := asked[0].Load(); got < 20 || got > 60 {
		t.Errorf("A was asked %d times, want less: it was cut off for a third of the time", got)
	}
}

func TestWrongOptionsAreRefusedBeforeAnyLoad(t *testing.T) {
	folder := t.TempDir()
	faulty := filepath.Join(folder, "faulty.json")
	if err := os.WriteFile(faulty, []byte(`{"bulkheads": {"a": {"maxConcurentCalls": 5}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	const here = "http://127.0.0.1:1/"
	for want, o := range map[string]own{
		"-a and -b must both":              {a: here, rate: 1, seconds: 3},
		"must both name the URL":           {config: faulty, rate: 1, seconds: 3},
		"-rate 501 is outside 1 to 500":    {a: here, b: here, rate: 501, seconds: 3},
		"-seconds 601 is outside 3 to 600": {a: here, b: here, rate: 1, seconds: 601},
		"maxConcurrentCalls":               {config: faulty, a: here, b: here, rate: 1, seconds: 3},
		"no such file":                     {config: filepath.Join(folder, "missing"), a: here, b: here, rate: 1, seconds: 3},
		"-allow-remote would let the load": {a: here, b: "http://192.0.2.1/", rate: 1, seconds: 3},
		"try B: nothing listens at http://127.0.0.1:1/ (127.0.0.1:1)": {a: here, b: here, rate: 1, seconds: 3},
		"-pools chooses among": {pools: "a,b", a: here, b: here, rate: 1, seconds: 3},
	} {
		o.given = true
		err := run(t.Context(), options{own: o}, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestSettingsWithoutATimeoutLeaveItToTheCaller(t *testing.T) {
	config := filepath.Join(t.TempDir(), "empty.json")
	if err := os.WriteFile(config, []byte(`{"bulkheads": {"a": {}, "b": {}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := own{config: config, rate: 1, seconds: 6}.experiment()
	if err != nil {
		t.Fatal(err)
	}
	if e.timeout != time.Second || e.policies[0].deadline != time.Second || e.pools != (pools{pool{"shared", 50}, pool{"a", 25}, pool{"b", 25}}) {
		t.Errorf("got %+v", e)
	}
	if got := e.summary(); !strings.Contains(got, "calls have no timeout, their callers give them 1 s;") {
		t.Errorf("got %q", got)
	}
}

func TestInterruptedRunEndsAtOnceWithoutAReport(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	folder := t.TempDir()
	var out bytes.Buffer
	began := time.Now()
	if err := run(ctx, options{out: folder}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 5*time.Second { // a cell takes longer
		t.Errorf("it took %v", took)
	}
	if !strings.Contains(out.String(), "Interrupted") {
		t.Errorf("the output does not say so:\n%s", &out)
	}
	if left, _ := os.ReadDir(folder); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRunFailsAtOnceWhereNoFolderCanBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), options{out: file}, io.Discard, io.Discard); err == nil {
		t.Error("a file passed as a folder")
	}
}

// In the proportions that the claim is about: slow calls need more permits than
// there are, slowish ones more than half of them but not all.
func TestSizesAreInProportion(t *testing.T) {
	for _, e := range []experiment{inAMinute, inTenSeconds} {
		for _, st := range e.states {
			needs := float64(e.rate) * st.delay.Seconds() // by Little's law
			permits := float64(e.pools.shared.permits)
			switch st.role {
			case slow:
				if needs < 1.3*permits || needs > 5*permits {
					t.Errorf("slow calls need %.1f of %g permits", needs, permits)
				}
			case well:
				if needs < 0.6*permits || needs > 0.9*permits {
					t.Errorf("slowish calls need %.1f of %g permits", needs, permits)
				}
			}
		}
		if takes := e.takes(); e.sideBySide && !slices.Contains([]time.Duration{time.Minute, 10 * time.Second}, takes.Round(10*time.Second)) {
			t.Errorf("it takes %v", takes)
		}
	}
}

// theirs is a settings file of a service that knows nothing of this experiment.
const theirs = `{
	"breakers": {"payments": {"failureThreshold": 5}},
	"bulkheads": {
		"payments": {"maxConcurrentCalls": 8, "maxWaitDuration": "50ms", "queueCapacity": 4},
		"inventory": {"maxConcurrentCalls": 12},
		"search": {},
	},
	"timeouts": {"payments": {"duration": "200ms"}, "search": {"duration": "1s"}},
	"sharedState": {"address": "redis.internal:6379"},
}`

// ownSettings is the experiment with theirs and those pools.
func ownSettings(t *testing.T, pools string) (experiment, error) {
	t.Helper()
	config := filepath.Join(t.TempDir(), "resilience.json")
	if err := os.WriteFile(config, []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	return own{config: config, pools: pools, rate: 60, seconds: 60}.experiment()
}

func TestFieldI03PoolsAreThoseOfTheUsersFile(t *testing.T) {
	e, err := ownSettings(t, "payments,inventory")
	if err != nil {
		t.Fatal(err)
	}
	if want := (pools{pool{"shared", 20}, pool{"payments", 8}, pool{"inventory", 12}}); e.pools != want || e.timeout != 200*time.Millisecond {
		t.Errorf("got %+v and %v, want %+v", e.pools, e.timeout, want)
	}
	if got := e.summary(); !strings.Contains(got, "one pool of 20 permits, or 8 (payments) for A and 12 (inventory) for B") {
		t.Errorf("the summary is %s", got)
	}
	shown := string(e.policies[0].shown)
	if !strings.Contains(shown, `"payments": {`) || !strings.Contains(shown, `"maxWaitDuration": "50ms"`) || strings.Contains(shown, "redis") {
		t.Errorf("shown are\n%s", shown)
	}
	if len(e.notes) != 1 || !strings.Contains(e.notes[0], "payments and inventory together") {
		t.Errorf("the notes are %q", e.notes)
	}
	d, err := stand.OwnDependencies(0)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, p := range []stand.Partition{stand.OnePool, stand.PoolEach} { // the settings are those of the services, too
		s, err := stand.StartService(p, e.policies[0].settings, 0, d)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for key, pool := range s.Gauges().Pools {
			if want := e.pools.of(key).permits; pool.MaxConcurrentCalls != want {
				t.Errorf("%s has %d permits, want %d", key, pool.MaxConcurrentCalls, want)
			}
		}
	}
}

func TestFieldI03WrongPoolsAreRefusedWithTheNearest(t *testing.T) {
	for pools, want := range map[string]string{
		"paymets,inventory": `it has no bulkhead "paymets"; did you mean payments?; choose two with -pools A,B among inventory, payments, search`,
		"payments, nobody":  `it has no bulkhead "nobody"; choose two with -pools A,B among`,
		"payments":          "name two bulkheads with a comma between",
		"search,search":     "name two bulkheads with a comma between",
		"":                  `it has no bulkhead "a"; choose two with -pools`,
	} {
		if _, err := ownSettings(t, pools); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "resilience.json: ") {
			t.Errorf("%q: got %v, want %s", pools, err, want)
		}
	}
}

func TestFieldL08LinesFitEightyColumns(t *testing.T) {
	var out bytes.Buffer
	writeHead(&out, inAMinute)
	writeState(&out, inAMinute.states[0])
	c := storm.cell(slow)
	c.policy = inAMinute.policies[1]
	writeRow(&out, c)
	r := results{experiment: told, cells: []cell{calm.cell(reference), storm.cell(slow), calm.cell(failing), calm.cell(well)}}
	writeVerdicts(&out, r.judge())
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestFieldL07PicturesHaveRoomForTheirTexts(t *testing.T) {
	r := &results{experiment: inAMinute}
	for _, st := range r.states {
		for _, p := range r.policies {
			c := storm.cell(st.role)
			c.state, c.policy = st, p
			r.cells = append(r.cells, c)
		}
	}
	folder := t.TempDir()
	if err := r.save(folder); err != nil {
		t.Fatal(err)
	}
	for _, p := range pictures {
		faults, err := svgcheck.Faults([]byte(readFile(t, filepath.Join(folder, p.file+".svg"))))
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range faults {
			t.Errorf("%s: %s", p.file, fault)
		}
	}
}

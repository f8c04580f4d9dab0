package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resgen-go/resgen/internal/svgtext/svgcheck"
	resilience "github.com/resgen-go/resgen/runtime"
)

// recordCalls writes a trace of six calls: the first three fail, which opens the
// breaker.
func recordCalls(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	synctest.Test(t, func(t *testing.T) {
		registry, err := resilience.New(resilience.Record(f), resilience.Logger(nil))
		if err != nil {
			t.Fatal(err)
		}
		defer registry.Close()
		wiring, _ := resilience.Wire[any](registry, "example.com/shop", "shop.Payments", t)
		guard := wiring.Guard("Charge", resilience.Guards{Breaker: "payments"})
		for i := range 6 {
			var call resilience.Call
			if call.Begin(context.Background(), guard) == nil {
				time.Sleep(time.Microsecond)
				call.Finish([]error{errors.New("down"), nil}[i/3])
			}
		}
	})
}

func TestReplayComparesWhatSettingsMakeOfATrace(t *testing.T) {
	t.Chdir(t.TempDir())
	recordCalls(t, "a.trace")
	write(t, "new.json", `{"breakers": {"payments": {"strategy": "NONE"}}, // faults are not played: what failed is in the trace
		"faults": {"default": {"failPercent": 100, "until": "`+time.Now().Add(time.Hour).Format(time.RFC3339)+`"}}}`)
	var out, faults bytes.Buffer
	if status := run([]string{"replay", "a.trace", "-settings", "new.json"}, &out, &faults); status != 0 {
		t.Fatalf("%d: %s", status, &faults)
	}
	_, got, _ := strings.Cut(out.String(), "on\n")
	want := `new.json: 3 of 6 calls end in another way than when they were recorded; of 3
  nobody knows how they would have ended

breaker payments  openings  time open  refused  good ones  failures
  recorded               1         0s        3        0–3         3
  new.json               0         0s        0          0       3–6

`
	if head, _, _ := strings.Cut(got, "good ones: "); head != want {
		t.Errorf("it says\n%s\nwant\n%s", head, want)
	}
}

func TestReplayNamesWhatItCannotRead(t *testing.T) {
	t.Chdir(t.TempDir())
	recordCalls(t, "a.trace")
	write(t, "a.json", `{}`)
	write(t, "bad.json", `{"breakers": {"payments": {"failureTreshold": 3}}}`)
	for _, test := range []struct {
		status int
		want   string
		args   []string
	}{
		{2, "resgen replay: it takes a trace and -settings, -sweep or -suggest", []string{"a.trace"}},
		{2, `-sweep: "payments=2" is no sweep, which would be such as breakers.payments.failureThreshold=2..6`, []string{"-sweep", "payments=2", "a.trace"}},
		{2, "-sweep: retries: no section whose settings can be swept; there are breakers, bulkheads, rateLimits, timeouts", []string{"-sweep", "retries.a.b=2", "a.trace"}},
		{2, `"5s" is no whole number; write other values as a list, such as 5s,10s,20s`, []string{"-sweep", "breakers.payments.testDelay=5s..10s", "a.trace"}},
		{2, "a range goes up, in at most 100 steps", []string{"-sweep", "breakers.payments.failureThreshold=1..1000", "a.trace"}},
		{2, "-cost: costs are two numbers such as 5:1", []string{"-suggest", "-cost", "dear", "a.trace"}},
		{2, "-picture is of one trace", []string{"-suggest", "-picture", "a.svg", "a.trace", "a.trace"}},
		{1, "the trace has no breaker payment; did you mean payments?", []string{"-sweep", "breakers.payment.failureThreshold=2..6", "a.trace"}},
		{1, "breakers.payments.failureTreshold: no such setting; did you mean failureThreshold?", []string{"-sweep", "breakers.payments.failureTreshold=2", "a.trace"}},
		{2, "it names no file", []string{"-settings", "", "a.trace"}},
		{1, "bad.json:1:28: breakers.payments.failureTreshold: no such setting", []string{"-settings", "bad.json", "a.trace"}},
		{1, "none.json", []string{"-settings", "none.json", "a.trace"}},
		{1, "open none.trace: no such file", []string{"-settings", "a.json", "none.trace"}},
		{1, `a.json: byte 0: no trace, which would begin with "resgen trace\n"`, []string{"-settings", "a.json", "a.json"}},
	} {
		var out, faults bytes.Buffer
		if status := run(append([]string{"replay"}, test.args...), &out, &faults); status != test.status || !strings.Contains(faults.String(), test.want) {
			t.Errorf("%v: status %d, %s", test.args, status, &faults)
		}
	}
}

func TestReplaySweepsASettingAndDrawsIt(t *testing.T) {
	t.Chdir(t.TempDir())
	recordCalls(t, "a.trace")
	write(t, "a.json", `{"breakers": {"default": {"testDelay": "1h"}}} // of all`)
	var out, faults bytes.Buffer
	args := []string{"replay", "-settings", "a.json", "-sweep", "breakers.payments.failureThreshold=2..4", "-picture", "a.svg", "a.trace"}
	if status := run(args, &out, &faults); status != 0 {
		t.Fatalf("%d: %s", status, &faults)
	}
	want := `breaker payments      openings  time open  refused  good ones  failures
  recorded                   1         0s        3        0–3         3
  a.json                     1         0s        3        0–3         3
  failureThreshold=2         1         0s        4        0–3         2
  failureThreshold=3         1         0s        3        0–3         3
  failureThreshold=4       0–1         0s        0          0       3–6

`
	if !strings.Contains(out.String(), want) {
		t.Errorf("it says\n%s\nwithout\n%s", &out, want)
	}
	picture, err := os.ReadFile("a.svg")
	if err != nil {
		t.Fatal(err)
	}
	faultsOfPicture, err := svgcheck.Faults(picture)
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range faultsOfPicture {
		t.Error(fault)
	}
	for _, want := range []string{"failureThreshold=4", `class="open"`, `class="lost"`, `class="bad"`} {
		if !strings.Contains(string(picture), want) {
			t.Errorf("the picture has no %s", want)
		}
	}
}

// Where failures are dear, the strictest settings are the best; where only refusals
// cost, none that ever refuses is.
func TestReplaySuggestsWhatCostsLeast(t *testing.T) {
	t.Chdir(t.TempDir())
	recordCalls(t, "a.trace")
	for cost, want := range map[string]string{
		"1000:1": `"payments": { "strategy": "STATIC_THRESHOLD", "failureThreshold": 2,`,
		"0:1":    `"payments": { "strategy": "STATIC_THRESHOLD", "failureThreshold": 5,`,
	} {
		var out, faults bytes.Buffer
		if status := run([]string{"replay", "-suggest", "-cost", cost, "a.trace"}, &out, &faults); status != 0 {
			t.Fatalf("%d: %s", status, &faults)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("at %s it says\n%s\nwithout %s", cost, &out, want)
		}
	}
}

// Pages show what replay makes of the trace of the shop. All of that is what it says.
func TestReplayOfTheShopIsAsPagesShowIt(t *testing.T) {
	t.Chdir("../..")
	shown := 0
	for _, page := range []string{"README.md", "docs/replay.md", "examples/shop/README.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(text), "```text\n$ go run ./cmd/resgen ")[1:] {
			block, _, _ = strings.Cut(block, "```")
			command, report, _ := strings.Cut(strings.ReplaceAll(block, "\\\n", ""), "\n")
			var out, faults bytes.Buffer
			if status := run(strings.Fields(command), &out, &faults); status != 0 {
				t.Fatalf("%s: %d: %s", page, status, &faults)
			}
			for line := range strings.Lines(report) {
				if shown++; line != "…\n" && !strings.Contains(out.String(), line) {
					t.Errorf("%s shows %q, which is not in\n%s", page, line, &out)
				}
			}
		}
	}
	if shown == 0 {
		t.Error("no page shows a replay")
	}
	if trace, err := os.Stat("examples/shop/shop.trace"); err != nil || trace.Size() > 200_000 {
		t.Errorf("the trace: %v, %v", trace.Size(), err)
	}
}

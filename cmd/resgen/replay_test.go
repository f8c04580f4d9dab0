package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

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
}

func TestReplayComparesWhatSettingsMakeOfATrace(t *testing.T) {
	t.Chdir(t.TempDir())
	recordCalls(t, "a.trace")
	write(t, "new.json", `{"breakers": {"payments": {"strategy": "NONE"}}}`)
	var out, faults bytes.Buffer
	if status := run([]string{"replay", "-settings", "new.json", "a.trace"}, &out, &faults); status != 0 {
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
		{2, "resgen replay: it takes a trace and -settings", []string{"a.trace"}},
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

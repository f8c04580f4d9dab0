package promtest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os/exec"
	"testing"
)

// promtool runs it, which has to find nothing.
func promtool(t *testing.T, input io.Reader, args ...string) {
	t.Helper()
	binary, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("there is no promtool")
	}
	command := exec.Command(binary, args...)
	command.Stdin = input
	if out, err := command.CombinedOutput(); err != nil || input != nil && len(out) > 0 {
		t.Errorf("promtool %v: %v\n%s", args, err, out)
	}
}

func TestMetricsM08PromtoolChecksMetrics(t *testing.T) {
	p := startProgram(t)
	p.call(context.Background(), "Slow", well)
	response, err := http.Get("http://" + p.address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || !bytes.Contains(text, []byte("resgen_call_duration_seconds_bucket")) {
		t.Fatalf("%v: %s", err, text)
	}
	promtool(t, bytes.NewReader(text), "check", "metrics")
}

func TestMetricsM12PromtoolChecksRules(t *testing.T) {
	promtool(t, nil, "check", "rules", alertsPath)
}

package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/sharing/fleet"
	"github.com/resgen-go/resgen/runtime/internal/sharing/rule"
	"github.com/resgen-go/resgen/runtime/internal/sharing/storetest"
)

// memory is a store with the names that it was told of.
type memory struct {
	*storetest.Memory
	names []string
}

func (m memory) Breakers(context.Context) ([]string, error) { return m.names, nil }

func (m memory) History(context.Context, string) ([]rule.Event, error) {
	return []rule.Event{{N: 1_700_000_000_000, What: "BEGAN", By: "host-1", Reason: "3 of 3 processes"}}, nil
}

// play runs words against a breaker that one process shares.
func play(t *testing.T, m memory, words ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	tool := &tool{store: m, out: &out, by: "Ann: test", lasts: time.Hour}
	do, err := tool.command(words)
	if err == nil {
		err = do(t.Context())
	}
	return out.String(), err
}

func TestFleetS20TheCommandShowsAndOrders(t *testing.T) {
	m := memory{storetest.NewMemory(), []string{"payments"}}
	_, err := m.Exchange(t.Context(), fleet.Request{Process: "p", Alive: time.Minute, Inputs: []fleet.Input{{Breaker: "payments", Input: rule.Input{
		Process: "p", Rule: storetest.Quick, Told: 1, Calls: 10, Failures: 1,
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ words, want string }{
		{"list", "payments\tno outage\t1 processes, 0 votes, 1 failures in 10 calls"},
		{"open payments", "payments\tOPEN by Ann: test"},
		{"show payments", "state       OPEN by Ann: test"},
		{"show payments", "until       "},
		{"close payments", "payments\tno outage"},
		{"off payments", "payments\tOFF by Ann: test"},
		{"history payments", "BEGAN\thost-1\t3 of 3 processes"},
	} {
		if got, err := play(t, m, strings.Fields(step.words)...); err != nil || !strings.Contains(got, step.want) {
			t.Errorf("%s: %q, %v, want …%s…", step.words, got, err, step.want)
		}
	}
}

func TestWordsThatAreWrongAreExplained(t *testing.T) {
	m := memory{storetest.NewMemory(), []string{"payments"}}
	for words, want := range map[string]string{
		"":            `"" is no command; fleet [flags] list`,
		"lst":         `"lst" is no command`,
		"show":        "show needs the name of one breaker",
		"list b":      "list takes no name",
		"show paymnt": `the server knows no breaker "paymnt"; it knows payments`,
	} {
		if _, err := play(t, m, strings.Fields(words)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want …%s…", words, err, want)
		}
	}
	for args, want := range map[string]string{
		"-service s open b":                     "open needs -by",
		"-address h:1 list":                     "say -service, -prefix or -config",
		"-service s -address nowhere list":      "address is no address such as",
		"-config /nowhere/resilience.json list": "no such file",
	} {
		if err := run(t.Context(), strings.Fields(args), new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want …%s…", args, err, want)
		}
	}
}

package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestDashboardHasTheNamesInUse(t *testing.T) {
	inModule(t, anticipated)
	var out, err strings.Builder
	if status := run([]string{"dashboard"}, &out, &err); status != exitFine || err.Len() > 0 {
		t.Fatalf("status %d: %s", status, &err)
	}
	var board struct {
		Templating struct {
			List []struct{ Name, Type, Query string }
		}
		Panels []struct{ Type, Title, Repeat string }
	}
	if err := json.Unmarshal([]byte(out.String()), &board); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, v := range board.Templating.List {
		names[v.Name] = v.Type + " " + v.Query
	}
	for variable, want := range map[string]string{
		"breaker": "custom payments,stock", "bulkhead": "custom items,own", "timeout": "custom payments", "rate_limit": "",
		"instance": "query label_values(resgen_settings_rejected, instance)", "datasource": "datasource prometheus",
	} {
		if names[variable] != want {
			t.Errorf("variable %s is %q, want %q", variable, names[variable], want)
		}
	}
	var rows []string
	for _, p := range board.Panels {
		if p.Type == "row" {
			rows = append(rows, p.Title+" "+p.Repeat)
		}
	}
	const want = "Now ; Breaker $breaker breaker; Bulkhead $bulkhead bulkhead; Timeout $timeout timeout; Entries ; Keys ; Methods, with the option Time ; Settings and events "
	if got := strings.Join(rows, "; "); got != want {
		t.Errorf("rows are\n%s\nwant\n%s", got, want)
	}
}

func TestDashboardIsWrittenOnce(t *testing.T) {
	inModule(t, anticipated)
	expect(t, exitFine, "", "", "dashboard", "-o", "board.json")
	if text, err := os.ReadFile("board.json"); err != nil || !json.Valid(text) {
		t.Errorf("%v: %s", err, text)
	}
	expect(t, exitFault, "", "resgen: board.json exists and stays as it is; remove it first, or print the dashboard without -o\n", "dashboard", "-o", "board.json")
	inModule(t, "package shop\n")
	expect(t, exitFault, "", "resgen: no directive there uses a name, so there is nothing to show\n", "dashboard", ".")
}

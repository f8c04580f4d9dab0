package main

import (
	"strings"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

const anticipated = `package shop

import "context"

//resilience:breaker payments
//resilience:timeout
type Payments interface {
	//resilience:anticipate check=stock preload=items:2
	//resilience:bulkhead own
	Charge(ctx context.Context) error

	//resilience:probe
	//resilience:none
	Ping(ctx context.Context) error
}
`

func TestConfigPrintsAFileWithEveryNameInUse(t *testing.T) {
	inModule(t, anticipated)
	var out, err strings.Builder
	if status := run([]string{"config"}, &out, &err); status != exitFine || err.Len() > 0 {
		t.Fatalf("status %d: %s", status, &err)
	}
	for _, name := range []string{`"payments"`, `"stock"`, `"items"`, `"own"`} {
		if !strings.Contains(out.String(), name) {
			t.Errorf("the file lacks %s:\n%s", name, &out)
		}
	}
	if _, fault := resilience.ParseSettings("printed", []byte(out.String())); fault != nil {
		t.Error(fault)
	}
}

func TestConfigComparesAFile(t *testing.T) {
	inModule(t, anticipated)
	write(t, "complete.json", `{
	"breakers": {"payments": {}, "stock": {}},
	"bulkheads": {"items": {}, "own": {}},
	"timeouts": {"payments": {"duration": "1s"}},
}`)
	expect(t, exitFine, "", "", "config", "-file", "complete.json")
	write(t, "other.json", `{
	"breakers": {"paymets": {}, "stock": {}},
	"bulkheads": {"items": {}, "own": {}},
	"timeouts": {"payments": {"duration": "1s"}},
}`)
	expect(t, exitFault, `other.json: breakers.payments: not in the file, so the defaults hold; did you mean the unused paymets?
other.json:2:15: breakers.paymets: no directive uses it
`, "", "config", "-file", "other.json")
	write(t, "faulty.json", `{"breakers": {"payments": {"failureThreshold": 0}}}`)
	expect(t, exitFault, "", "faulty.json:1:48: breakers.payments.failureThreshold: 0 is outside [1, 1000000]\n",
		"config", "-file", "faulty.json")
	expect(t, exitFault, "", "resgen config: open none.json: no such file or directory\n", "config", "-file", "none.json")
}

func TestSchemaIsThatOfTheRuntime(t *testing.T) {
	expect(t, exitFine, string(resilience.Schema()), "", "schema")
	expect(t, exitUsage, "", "resgen schema: takes no arguments\n", "schema", "more")
}

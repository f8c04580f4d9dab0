package generator_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// client is a package with an interface Client that bears directives.
func client(dir, header, directives string) string {
	return "-- " + dir + " --\n" + header + `

import "context"

` + directives + `
type Client interface {
	Do(ctx context.Context) error
}
`
}

const goMod = `
-- go.mod --
module example.test/x

go 1.26
`

// faultsOf are what is wrong with a module.
func faultsOf(t *testing.T, archives ...string) string {
	t.Helper()
	_, err := generate(t, module(t, archives...))
	if err == nil {
		return ""
	}
	return filepath.ToSlash(err.Error())
}

func TestFieldN02InterfacesOfOneDefaultNameAreAFault(t *testing.T) {
	const both = "//resilience:breaker\n//resilience:timeout"
	want := `payments/client.go:5:1: resilience:breaker: example.test/x/payments.Client and example.test/x/stock.Client get breaker client by default, and would share it unasked; give one a NAME of its own, such as //resilience:breaker payments-client, or write //resilience:breaker client out where sharing is meant
payments/client.go:6:1: resilience:timeout: example.test/x/payments.Client and example.test/x/stock.Client get timeout client by default, and would share it unasked; give one a NAME of its own, such as //resilience:timeout payments-client, or write //resilience:timeout client out where sharing is meant
stock/client.go:5:1: resilience:breaker: example.test/x/stock.Client and example.test/x/payments.Client get breaker client by default, and would share it unasked; give one a NAME of its own, such as //resilience:breaker stock-client, or write //resilience:breaker client out where sharing is meant
stock/client.go:6:1: resilience:timeout: example.test/x/stock.Client and example.test/x/payments.Client get timeout client by default, and would share it unasked; give one a NAME of its own, such as //resilience:timeout stock-client, or write //resilience:timeout client out where sharing is meant`
	got := faultsOf(t, goMod, client("payments/client.go", "package payments", both), client("stock/client.go", "package stock", both))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAFaultOfADefaultNameNamesThreeRivals(t *testing.T) {
	archives := []string{goMod}
	for _, pkg := range []string{"a", "b", "c", "d"} {
		archives = append(archives, client(pkg+"/client.go", "package "+pkg, "//resilience:breaker"))
	}
	const four = "example.test/x/a.Client, example.test/x/b.Client, example.test/x/c.Client and example.test/x/d.Client get breaker client by default"
	if got := faultsOf(t, archives...); !strings.Contains(got, ": "+four) {
		t.Errorf("of four: got\n%s", got)
	}
	archives = append(archives, client("e/client.go", "package e", "//resilience:breaker"))
	const five = "example.test/x/a.Client, example.test/x/b.Client, example.test/x/c.Client, example.test/x/d.Client and 1 more get breaker client by default"
	if got := faultsOf(t, archives...); !strings.Contains(got, ": "+five) {
		t.Errorf("of five: got\n%s", got)
	}
}

// Which names are one by default depends on what stands there, not on whether
// the names are equal.
func TestClientsC15OnlyDefaultsThatMeetAreAFault(t *testing.T) {
	const bare = "//resilience:breaker"
	payments := client("payments/client.go", "package payments", bare)
	probe := func(name string) string {
		return `
-- stock/client.go --
package stock

import "context"

type Client interface {
	//resilience:breaker stock
	Do(ctx context.Context) error

	//resilience:probe` + name + `
	Ping(ctx context.Context) error
}
`
	}
	embedded := func(pkg string) string {
		return `
-- ` + pkg + `/client.go --
package ` + pkg + `

import "context"

type Base interface {
	//resilience:bulkhead
	Do(ctx context.Context) error
}

type Wide interface {
	Base
	//resilience:timeout
	More(ctx context.Context) error
}
`
	}
	for name, c := range map[string]struct {
		archives []string
		faults   int
	}{
		"a name written out":        {[]string{payments, client("stock/client.go", "package stock", "//resilience:breaker client")}, 0},
		"other kinds":               {[]string{payments, client("stock/client.go", "package stock", "//resilience:bulkhead")}, 0},
		"three":                     {[]string{payments, client("stock/client.go", "package stock", bare), client("a/client.go", "package a", bare)}, 3},
		"packages of one name":      {[]string{payments, client("old/payments/client.go", "package payments", bare)}, 2},
		"two programs":              {[]string{client("a/client.go", "package main", bare), client("b/client.go", "package main", bare)}, 0},
		"a program and a package":   {[]string{payments, client("b/client.go", "package main", bare)}, 2},
		"tests of two packages":     {[]string{client("a/a_test.go", "package a", bare), client("b/b_test.go", "package b_test", bare)}, 0},
		"a package and its test":    {[]string{payments, client("payments/a_test.go", "package payments_test", bare)}, 2},
		"a probe":                   {[]string{payments, probe("")}, 2},
		"a probe with a name":       {[]string{payments, probe(" client")}, 0},
		"embedded in one package":   {[]string{embedded("a")}, 0},
		"embedded in both packages": {[]string{embedded("a"), embedded("b")}, 4},
		"cases of one package": {[]string{payments + `
-- payments/small.go --
package payments

import "context"

//resilience:breaker
type client interface {
	Do(ctx context.Context) error
}
`}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			faults := faultsOf(t, append([]string{goMod}, c.archives...)...)
			if got := strings.Count(faults, "by default, and would share it unasked"); got != c.faults || c.faults == 0 && faults != "" {
				t.Errorf("got %d, want %d:\n%s", got, c.faults, faults)
			}
		})
	}
}

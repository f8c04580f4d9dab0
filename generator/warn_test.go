package generator_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resgen-go/resgen/generator"
)

const clients = `
-- go.mod --
module example.test/shop

go 1.26
-- clients/clients.go --
package clients

import "context"

//resilience:breaker
type Payments interface {
	//resilience:bulkhead tills
	Charge(ctx context.Context) error
}
`

// entry is a package that anticipates by the given arguments.
func entry(arguments string) string {
	return `
-- entry/shop.go --
package entry

import "context"

type Shop interface {
	//resilience:anticipate ` + arguments + `
	Buy(ctx context.Context) error
}
`
}

func warnings(t *testing.T, dir string, patterns ...string) string {
	t.Helper()
	result, err := generate(t, dir, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(result.Warnings.Error())
}

func TestANameThatGuardsNothingIsWorthAWarning(t *testing.T) {
	const at = "entry/shop.go:6:"
	for arguments, want := range map[string]string{
		"check=payments preload=tills:1": "",
		"check=paymnets":                 at + "32: warning: resilience:anticipate: nothing is guarded by breaker paymnets; did you mean payments?",
		"check=Payments":                 at + "32: warning: resilience:anticipate: nothing is guarded by breaker Payments; did you mean payments?",
		"check=tills":                    at + "32: warning: resilience:anticipate: nothing is guarded by breaker tills",
		"preload=payments:1 lease=bank:2": at + "34: warning: resilience:anticipate: nothing is guarded by bulkhead payments\n" +
			at + "51: warning: resilience:anticipate: nothing is guarded by bulkhead bank",
	} {
		t.Run(arguments, func(t *testing.T) {
			dir := module(t, clients, entry(arguments))
			for _, all := range []string{"./...", "example.test/shop/...", dir + "/..."} {
				if diff := cmp.Diff(want, warnings(t, dir, all)); diff != "" {
					t.Errorf("with %s: %s", all, diff)
				}
			}
		})
	}
}

func TestWhereGuardsMayBeElsewhereOnlyMisspeltNamesAreWorthAWarning(t *testing.T) {
	const local = `
-- entry/stock.go --
package entry

//resilience:bulkhead
type Stock interface{ Pick() error }
`
	dir := module(t, clients, local, entry("check=payments preload=stok:1"))
	const misspelt = "shop.go:6:49: warning: resilience:anticipate: nothing is guarded by bulkhead stok; did you mean stock?"
	if diff := cmp.Diff("entry/"+misspelt, warnings(t, dir, "./entry")); diff != "" {
		t.Errorf("alone: %s", diff)
	}
	if diff := cmp.Diff(misspelt, warnings(t, filepath.Join(dir, "entry"), "./...")); diff != "" {
		t.Errorf("from its own folder: %s", diff)
	}
}

func TestAProbeOfABreakerThatNothingUsesIsWorthAWarning(t *testing.T) {
	const probing = `
-- entry/ping.go --
package entry

import "context"

//resilience:bulkhead
type Health interface {
	//resilience:probe %s
	Ping(ctx context.Context) error
}
`
	const at = "entry/ping.go:"
	for name, want := range map[string]string{
		"payments": "",
		"paymnets": at + "7:21: warning: resilience:probe: nothing is guarded by breaker paymnets; did you mean payments?",
		"stock":    at + "7:21: warning: resilience:probe: nothing is guarded by breaker stock",
		"":         at + "7:2: warning: resilience:probe: nothing is guarded by breaker health",
	} {
		if diff := cmp.Diff(want, warnings(t, module(t, clients, fmt.Sprintf(probing, name)), "./...")); diff != "" {
			t.Errorf("%q: %s", name, diff)
		}
	}
}

func TestAGuardOfAnotherBuildIsNotMissed(t *testing.T) {
	const elsewhere = `
-- entry/bank_plan9.go --
package entry

//resilience:breaker
type Bank interface{ Pay() error }
`
	if got := warnings(t, module(t, clients, elsewhere, entry("check=bank"))); got != "" {
		t.Error(got)
	}
}

func TestFaultsLeaveNoRoomForWarnings(t *testing.T) {
	const broken = `
-- broken/broken.go --
package broken

//resilience:breaker
type Bank interface{ Pay(m Money) error }
`
	result, err := generator.Generate(generator.Options{Dir: module(t, clients, broken, entry("check=bnk")), Patterns: []string{"./..."}})
	if err == nil || len(result.Warnings) > 0 {
		t.Errorf("error %v, warnings %v", err, result.Warnings)
	}
}

func TestADirectiveOfATypeThatGuardsNoMethodIsWorthAWarning(t *testing.T) {
	const source = `
-- go.mod --
module example.test/shop

go 1.26
-- shop.go --
package shop

import "context"

//resilience:breaker
//resilience:bulkhead
//resilience:timeout slow
//resilience:wrapper SafeShop
type Shop interface {
	%s
}
`
	const (
		at     = "shop.go:%d:1: warning: resilience:%[2]s: it guards no method of Shop; "
		result = at + "one would need error as its last result\n"
		both   = at + "one would need error as its last result and a context.Context parameter to carry the deadline\n"
		own    = at + "each has a %[2]s of its own or is marked none\n"
	)
	type line struct {
		at   string
		line int
		kind string
	}
	for methods, want := range map[string][]line{
		"Do(ctx context.Context) error":            nil,
		"Do(ctx context.Context) error\nLen() int": nil,
		"Do(ctx context.Context) bool\nLen() int":  {{result, 5, "breaker"}, {result, 6, "bulkhead"}, {both, 7, "timeout"}},
		"Do() error": {{both, 7, "timeout"}},
		"//resilience:none\nDo(ctx context.Context) error":        {{own, 5, "breaker"}, {own, 6, "bulkhead"}, {own, 7, "timeout"}},
		"//resilience:bulkhead b\nDo(ctx context.Context) error":  {{own, 6, "bulkhead"}},
		"//resilience:none\nDo(ctx context.Context) error\nLen()": {{result, 5, "breaker"}, {result, 6, "bulkhead"}, {both, 7, "timeout"}},
	} {
		t.Run(methods, func(t *testing.T) {
			var text string
			for _, l := range want {
				text += fmt.Sprintf(l.at, l.line, l.kind)
			}
			if diff := cmp.Diff(strings.TrimSuffix(text, "\n"), warnings(t, module(t, fmt.Sprintf(source, methods)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDirectivesOfAnEmbeddedMethodOfAnotherPackageAreWorthAWarning(t *testing.T) {
	const source = `
-- go.mod --
module example.test/shop

go 1.26
-- base/base.go --
package base

import "context"

type Base[T any] interface {
	//resilience:none
	Close() error
	//resilience:bulkhead slow
	//resilience:timeout slow
	Slow(ctx context.Context) (T, error)
	Plain(ctx context.Context) error
}

type More interface {
	Base[int]
}

type Closing interface {
	//resilience:none
	Close() error
}
-- app/app.go --
package app

import (
	"context"
	"io"

	"example.test/shop/base"
)

//resilience:breaker
type Client interface {
	io.Closer
	base.Base[string]
	error
}

//resilience:breaker
type Other base.More

//resilience:breaker
type Again interface {
	base.More
	Close() error
	//resilience:bulkhead
	Slow(ctx context.Context) (int, error)
}

type Local interface {
	Close() error
	Slow(ctx context.Context) (int, error)
}

//resilience:breaker
type Both interface {
	base.More
	Local
}

// Closing guards one method of its own, and Close in no way.
type Closing interface {
	base.Closing
	//resilience:breaker
	Do() error
}
-- app/app_test.go --
package app_test

import "example.test/shop/app"

//resilience:breaker
type Tested interface{ app.Again }
`
	const want = "app.go:13:2: warning: resilience:bulkhead: the directives of Slow at ../base/base.go:10:2 do not hold in Client, " +
		"as its package is another; declare Slow in Client once more, with those that should\n" +
		"app.go:13:2: warning: resilience:none: the directives of Close at ../base/base.go:7:2 do not hold in Client, " +
		"as its package is another; declare Close in Client once more, with those that should\n" +
		"app.go:18:12: warning: resilience:bulkhead: the directives of Slow at ../base/base.go:10:2 do not hold in Other, " +
		"as its package is another; declare Slow in Other once more, with those that should\n" +
		"app.go:18:12: warning: resilience:none: the directives of Close at ../base/base.go:7:2 do not hold in Other, " +
		"as its package is another; declare Close in Other once more, with those that should\n" +
		"app_test.go:6:24: warning: resilience:bulkhead: the directives of Slow at app.go:25:2 do not hold in Tested, " +
		"as its package is another; declare Slow in Tested once more, with those that should"
	if diff := cmp.Diff(want, warnings(t, filepath.Join(module(t, source), "app"), ".")); diff != "" {
		t.Error(diff)
	}
}

// entries are two entries, and a body for the one that has the other.
func entries(checkout, fill, body string) string {
	return `
-- go.mod --
module example.test/shop

go 1.26
-- shop.go --
package shop

import "context"

//resilience:bulkhead a
type A interface{ Do(ctx context.Context) error }

//resilience:breaker x
//resilience:bulkhead b
type B interface{ Do(ctx context.Context) error }

type Shop interface {
	//resilience:anticipate ` + checkout + `
	Checkout(ctx context.Context) error
}

type Cart interface {
	//resilience:anticipate ` + fill + `
	Fill(item string, ctx context.Context) error
}

type shop struct {
	cart    Cart
	wrapped *ResilientCart
	next    Shop
	deep    struct{ Cart; cart Cart }
}

var global Cart

func (s *shop) Checkout(ctx context.Context) error { ` + body + ` }

func (s shop) Fill(item string, ctx context.Context) error { return s.cart.Fill(item, ctx) }

type (
	hooks   struct{ before func(); carts struct{ Cart } }
	till    struct{ hooks }
	pointer *till
)

var named pointer

type unrelated struct{ cart Cart }

func (u unrelated) Checkout(ctx context.Context) { _ = u.cart.Fill("", ctx) }

type Browser interface {
	//resilience:bulkhead b
	Browse(ctx context.Context) error
}

func (s *shop) Browse(ctx context.Context) error { return s.cart.Fill("", ctx) }
`
}

func TestScenario08EntriesWithinEntriesAreWorthAWarning(t *testing.T) {
	const (
		call     = "return s.cart.Fill(``, ctx)"
		at       = "shop.go:31:61: warning: resilience:anticipate: "
		tooMany  = at + "Checkout holds 20 permits of bulkhead a and calls Fill, which reserves 6: its maxConcurrentCalls is 25"
		disorder = at + "Checkout holds permits of bulkhead b and calls Fill, which reserves from a: " +
			"against the order of names it does not wait for them; reserve from both in Checkout"
		partial = at + "Checkout holds permits of bulkhead b and calls Fill, which reserves 3 from a and can borrow 1: " +
			"against the order of names it does not wait for the others; reserve them in Checkout"
	)
	for name, c := range map[string]struct{ checkout, fill, body, want string }{
		"scenario 8: their sum is above the size":         {"preload=a:20", "preload=a:6", call, tooMany},
		"leased permits count, too":                       {"lease=a:20", "lease=a:6", call, tooMany},
		"their sum is the size":                           {"preload=a:20", "preload=a:5", call, ""},
		"scenario 32: the inner one is out of order":      {"preload=b:1", "preload=a:1", call, disorder},
		"the inner one is in order":                       {"preload=a:1", "preload=b:1", call, ""},
		"the outer one has both":                          {"preload=b:1,a:1", "preload=a:1", call, ""},
		"a call of the wrapper is one, too":               {"preload=b:1", "preload=a:1", "return s.wrapped.Fill(``, ctx)", disorder},
		"another context carries no reservation":          {"preload=b:1", "preload=a:1", "return s.cart.Fill(``, context.TODO())", ""},
		"nor does another one of the same name":           {"preload=b:1", "preload=a:1", "return func() error { ctx := context.TODO(); return s.cart.Fill(``, ctx) }()", ""},
		"nor a parameter of the same name":                {"preload=b:1", "preload=a:1", "return func(ctx context.Context) error { return s.cart.Fill(``, ctx) }(context.TODO())", ""},
		"nor one that the entry's became":                 {"preload=b:1", "preload=a:1", "ctx = context.TODO(); return s.cart.Fill(``, ctx)", ""},
		"nor one that others may change":                  {"preload=b:1", "preload=a:1", "change(&ctx); return s.cart.Fill(``, ctx)", ""},
		"nor one that a variable declares":                {"preload=b:1", "preload=a:1", "{ var ctx context.Context; return s.cart.Fill(``, ctx) }", ""},
		"nor one of a loop":                               {"preload=b:1", "preload=a:1", "for _, ctx := range contexts { return s.cart.Fill(``, ctx) }; return nil", ""},
		"another receiver is another value":               {"preload=b:1", "preload=a:1", "{ s := other(); return s.cart.Fill(``, ctx) }", ""},
		"a local name for the field is seen through":      {"preload=b:1", "preload=a:1", "in := s.cart; return in.Fill(``, ctx)", strings.Replace(disorder, "61", "75", 1)},
		"a local name with two meanings is not":           {"preload=b:1", "preload=a:1", "in := s.cart; in = other(); return in.Fill(``, ctx)", ""},
		"a local name that is its own is nothing":         {"preload=b:1", "preload=a:1", "in := in.cart; return in.Fill(``, ctx)", ""},
		"a field of a field is seen":                      {"preload=b:1", "preload=a:1", "return s.deep.cart.Fill(``, ctx)", disorder},
		"a variable of the package is seen":               {"preload=b:1", "preload=a:1", "return global.Fill(``, ctx)", disorder},
		"an embedded interface is seen":                   {"preload=b:1", "preload=a:1", "return s.deep.Fill(``, ctx)", disorder},
		"a pointer may have a name":                       {"preload=b:1", "preload=a:1", "named.before(); return named.carts.Fill(``, ctx)", strings.Replace(disorder, "61", "77", 1)},
		"a loan is not the whole: the rest is no loan":    {"preload=b:1,a:1", "preload=a:3", call, partial},
		"a loan covers it":                                {"preload=b:1,a:3", "preload=a:3", call, ""},
		"the permit of the entry's own call counts":       {"check=x\n\t//resilience:bulkhead b", "preload=a:1", call, strings.Replace(disorder, "31", "32", 1)},
		"the permit of the inner one's own call counts":   {"preload=b:1", "check=x\n\t//resilience:bulkhead a", call, strings.Replace(disorder, "31", "32", 1)},
		"the permit of an own call is lent to nobody":     {"preload=b:1\n\t//resilience:bulkhead a", "preload=a:1", call, strings.Replace(disorder, "31", "32", 1)},
		"a wrapper by hand may stand before the real one": {"preload=a:20", "preload=a:6", "return s.next.Checkout(ctx)", ""},
		"an entry that reserves nothing holds nothing":    {"check=x", "preload=a:1", call, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := module(t, entries(c.checkout, c.fill, c.body))
			result, err := generator.Generate(generator.Options{Dir: dir, Capacity: func(string) int { return 25 }})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, result.Warnings.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAReceiverMayBeAnAliasOfAPointer(t *testing.T) {
	source := entries("preload=b:1", "preload=a:1", "return s.cart.Fill(``, ctx)") + "\ntype itself = *shop\n"
	got := warnings(t, module(t, strings.Replace(source, "func (s *shop) Checkout", "func (s itself) Checkout", 1)))
	if want := "reserve from both in Checkout"; !strings.HasSuffix(got, want) || strings.Contains(got, "\n") {
		t.Errorf("got %q, want one warning that ends in %q", got, want)
	}
}

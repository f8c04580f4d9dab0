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

func TestFieldG03ANameThatGuardsNothingIsWorthAWarning(t *testing.T) {
	const at = "entry/shop.go:6:"
	for arguments, want := range map[string]string{
		"check=payments preload=tills:1": "",
		"check=payments/eu":              "",
		"check=paymnets/eu":              at + "32: warning: resilience:anticipate: nothing is guarded by breaker paymnets; did you mean payments?",
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

// dangling are the names that guard nothing.
func dangling(t *testing.T, dir string, patterns ...string) string {
	t.Helper()
	result, err := generate(t, dir, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(result.Dangling.Error())
}

func TestFieldG03GuardsOfTheRestOfTheModuleAreSeen(t *testing.T) {
	const local = `
-- entry/stock.go --
package entry

//resilience:bulkhead
type Stock interface{ Pick() error }
-- entry/testdata/bank.go --
package testdata

//resilience:breaker
type Bank interface{ Pay() error }
-- broken/broken.go --
package broken

//resilience:breaker broken
-- other_test.go --
package shop_test

//resilience:breaker
type Tested interface{ Do() error }
`
	const at = "shop.go:6:"
	for arguments, want := range map[string]string{
		"check=payments preload=stok:1": at + "49: warning: resilience:anticipate: nothing is guarded by bulkhead stok; did you mean stock?",
		"check=paymets":                 at + "32: warning: resilience:anticipate: nothing is guarded by breaker paymets; did you mean payments?",
		"check=tested":                  "",
		"check=bank":                    at + "32: warning: resilience:anticipate: nothing is guarded by breaker bank",
		"check=broken":                  at + "32: warning: resilience:anticipate: nothing is guarded by breaker broken",
		"lease=tills:1":                 "",
	} {
		dir := module(t, clients, local, entry(arguments))
		prefixed := want
		if want != "" {
			prefixed = "entry/" + want
		}
		if diff := cmp.Diff(prefixed, dangling(t, dir, "./entry")); diff != "" {
			t.Errorf("%s alone: %s", arguments, diff)
		}
		if diff := cmp.Diff(want, dangling(t, filepath.Join(dir, "entry"), "./...")); diff != "" {
			t.Errorf("%s from its own folder: %s", arguments, diff)
		}
	}
}

func TestFieldG03GuardsOfTheWorkspaceAndOfImportsAreSeen(t *testing.T) {
	root := module(t, `
-- go.work --
go 1.26

use (
	./app
	./lib
)
-- lib/go.mod --
module example.test/lib

go 1.26
-- lib/pay/pay.go --
package pay

//resilience:breaker
type Payments interface{ Charge() error }
-- app/go.mod --
module example.test/app

go 1.26
-- app/app.go --
package app

import "context"

type Shop interface {
	//resilience:anticipate check=payments
	Buy(ctx context.Context) error
}
`)
	if got := dangling(t, filepath.Join(root, "app"), "."); got != "" {
		t.Error(got)
	}
	outside := module(t, `
-- lib/go.mod --
module example.test/lib

go 1.26
-- lib/pay/pay.go --
package pay

import "example.test/lib/stock"

type Money struct{ stock.Item }

//resilience:breaker
type Payments interface{ Charge() error }
-- lib/stock/stock.go --
package stock

type Item struct{}

//resilience:bulkhead
type Stock interface{ Pick() error }
-- app/go.mod --
module example.test/app

go 1.26

require example.test/lib v0.0.0

replace example.test/lib => ../lib
-- app/app.go --
package app

import (
	"context"

	"example.test/lib/pay"
)

type Shop interface {
	//resilience:anticipate check=payments,paymnets preload=stock:1
	Buy(ctx context.Context, money pay.Money) error
}
`)
	const want = "app.go:10:41: warning: resilience:anticipate: nothing is guarded by breaker paymnets; did you mean payments?"
	if got := dangling(t, filepath.Join(outside, "app"), "."); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFieldG03AProbeOfABreakerThatNothingUsesIsWorthAWarning(t *testing.T) {
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

func TestFieldG03AGuardOfAnotherBuildIsNotMissed(t *testing.T) {
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

func TestFieldG09AGuessIsToldBesideFaults(t *testing.T) {
	const source = `
-- go.mod --
module example.test/shop

go 1.26
-- shop.go --
package shop

// Shop is our
// Resilience: timeout
type Shop interface{ Buy() error }
%s`
	const guess = "shop.go:4:1: warning: resilience:timeout: \"// Resilience: timeout\" looks like a directive but is none; write //resilience:timeout, or reword the comment"
	for more, fault := range map[string]string{
		"":                                  "",
		"\nvar _ missing\n":                 "shop.go:7:7: undefined: missing",
		"\n//resilience:braker\ntype A int": "shop.go:7:1: resilience:braker: there is no such directive; did you mean breaker?",
	} {
		result, err := generator.Generate(generator.Options{Dir: module(t, fmt.Sprintf(source, more))})
		if (err == nil) != (fault == "") || err != nil && !strings.HasPrefix(err.Error(), fault) {
			t.Errorf("with %q: error %v, want %s", more, err, fault)
		}
		if diff := cmp.Diff(guess, result.Warnings.Error()); diff != "" {
			t.Errorf("with %q: %s", more, diff)
		}
	}
}

func TestAnEntryThatReservesAPartOfWhatItsCallsNeedIsWorthAWarning(t *testing.T) {
	const limited = `
-- clients/maps.go --
package clients

import "context"

//resilience:ratelimit routes
//resilience:bulkhead maps
type Maps interface {
	Route(ctx context.Context) error
}
`
	for arguments, want := range map[string]string{
		"preload=tills:1":              "",
		"check=payments rate=routes:2": "",
		"rate=routes:2 preload=maps:2": "",
		"rate=routes:2 lease=maps:2":   "",
		"preload=tills:1,maps:2":       "entry/shop.go:6:42: warning: resilience:anticipate: calls that take a permit of bulkhead maps also take a token of rate limit routes, which may refuse some of them when others have begun; reserve with rate=routes:n",
		"rate=others:1 preload=maps:2": "entry/shop.go:6:31: warning: resilience:anticipate: nothing is guarded by rate limit others\nentry/shop.go:6:48: warning: resilience:anticipate: calls that take a permit of bulkhead maps also take a token of rate limit routes, which may refuse some of them when others have begun; reserve with rate=routes:n",
	} {
		dir := module(t, clients, limited, entry(arguments))
		if got := warnings(t, dir, "./..."); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", arguments, got, want)
		}
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
		result = at + "one would need error as its last result, or a fallback\n"
		both   = at + "one would need error as its last result, or a fallback, and a context.Context parameter to carry the deadline\n"
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
	const close = ": warning: resilience:breaker: the breaker of %s may refuse Close, and what that would free is kept for ever; "
	want := "app.go:13:2: warning: resilience:bulkhead: the directives of Slow at ../base/base.go:10:2 do not hold in Client, " +
		"as its package is another; declare Slow in Client once more, with those that should\n" +
		"app.go:13:2: warning: resilience:none: the directives of Close at ../base/base.go:7:2 do not hold in Client, " +
		"as its package is another; declare Close in Client once more, with those that should\n" +
		"app.go:18:12: warning: resilience:bulkhead: the directives of Slow at ../base/base.go:10:2 do not hold in Other, " +
		"as its package is another; declare Slow in Other once more, with those that should\n" +
		"app.go:18:12: warning: resilience:none: the directives of Close at ../base/base.go:7:2 do not hold in Other, " +
		"as its package is another; declare Close in Other once more, with those that should\n" +
		fmt.Sprintf("app.go:23:2"+close+"put //resilience:none on it\n", "Again") +
		fmt.Sprintf("app.go:33:1"+close+"declare Close in Both once more, and put //resilience:none on it\n", "Both") +
		fmt.Sprintf("app_test.go:5:1"+close+"declare Close in Tested once more, and put //resilience:none on it\n", "Tested") +
		"app_test.go:6:24: warning: resilience:bulkhead: the directives of Slow at app.go:25:2 do not hold in Tested, " +
		"as its package is another; declare Slow in Tested once more, with those that should"
	if diff := cmp.Diff(want, warnings(t, filepath.Join(module(t, source), "app"), ".")); diff != "" {
		t.Error(diff)
	}
}

// annotated is a package with one interface below a directive of the type.
func annotated(directives, methods string) string {
	return "-- go.mod --\nmodule example.test/shop\n\ngo 1.26\n-- shop.go --\npackage shop\n\nimport (\n\t\"context\"\n\t\"io\"\n\t\"time\"\n)\n\n" +
		"var _ io.Closer\n\nvar _ time.Time\n\n" + directives + "\ntype Shop interface {\n\tBuy(ctx context.Context) error\n\t" + methods + "\n}\n"
}

func TestFieldG11MethodsWhoseRefusalLeaksAreWorthAWarning(t *testing.T) {
	const breaker = "//resilience:breaker"
	line := func(at, guards, names, put, it string) string {
		return "shop.go:" + at + ": warning: resilience:breaker: the " + guards + " of Shop may refuse " + names +
			", and what that would free is kept for ever; " + put + " //resilience:none on " + it
	}
	for _, c := range []struct{ directives, methods, want string }{
		{breaker, "Close() error", line("16:2", "breaker", "Close", "put", "it")},
		{breaker, "Close(ctx context.Context) error", line("16:2", "breaker", "Close", "put", "it")},
		{breaker, "Shutdown(context.Context) error", line("16:2", "breaker", "Shutdown", "put", "it")},
		{breaker, "Stop(timeout time.Duration) error", line("16:2", "breaker", "Stop", "put", "it")},
		{breaker, "CloseWithError(err error) error", line("16:2", "breaker", "CloseWithError", "put", "it")},
		{breaker, "Rollback() error", line("16:2", "breaker", "Rollback", "put", "it")},
		{breaker, "Unlock(ctx context.Context) error", line("16:2", "breaker", "Unlock", "put", "it")},
		{breaker, "Disconnect(ctx context.Context) error", line("16:2", "breaker", "Disconnect", "put", "it")},
		{breaker, "Close() error\n\tRelease() error\n\tStop() error", line("16:2", "breaker", "Close, Release and Stop", "put", "them")},
		{breaker, "io.Closer", line("13:1", "breaker", "Close", "declare Close in Shop once more, and put", "it")},
		{breaker, "Stop() error\n\tio.Closer", line("16:2", "breaker", "Stop and Close", "declare Close in Shop once more, and put", "them")},
		{breaker + "\n//resilience:bulkhead\n//resilience:timeout", "Close(context.Context) error", line("18:2", "breaker and bulkhead", "Close", "put", "it")},
		{breaker, "//resilience:none\n\tClose() error", ""},
		{breaker, "//resilience:none breaker\n\tClose() error", ""},
		{breaker + "\n//resilience:bulkhead", "//resilience:none breaker\n\tClose() error",
			line("18:2", "bulkhead", "Close", "put", "it")},
		{breaker, "//resilience:breaker shop\n\tClose() error", ""},
		{breaker, "Close()", ""},
		{breaker, "Close(ctx context.Context, account string) error", ""},
		{breaker, "Close() (int, error)", ""},
		{breaker, "Commit() error", ""},
		{breaker, "Flush() error", ""},
		{breaker, "CloseAccount(ctx context.Context) error", ""},
		{"//resilience:timeout", "Close(ctx context.Context) error", ""},
		{"//resilience:wrapper W", "//resilience:breaker\n\tClose(ctx context.Context) error", ""},
	} {
		t.Run(c.directives+" "+c.methods, func(t *testing.T) {
			if diff := cmp.Diff(c.want, warnings(t, module(t, annotated(c.directives, c.methods)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestClientsC02MethodsWithAContextThatPassThroughAreWorthAWarning(t *testing.T) {
	const (
		breaker = "//resilience:breaker"
		at      = "shop.go:13:1: warning: resilience:breaker: "
		one     = at + "Get of Shop takes a context and passes through unguarded, because it returns no error; a fallback lets it be guarded, and //resilience:none on it says that this is meant"
		many    = at + "%d of the %d methods of Shop take a context and pass through unguarded, because they return no error; " +
			"-list names them, fallbacks let them be guarded, and //resilience:none on them says that this is meant"
		get, set, size = "Get(ctx context.Context) string\n\t", "Set(ctx context.Context)\n\t", "Len() int\n\t"
	)
	for _, c := range []struct{ directives, methods, want string }{
		{breaker, get, one},
		{breaker, get + set, fmt.Sprintf(many, 2, 3)},
		{breaker, get + set + size, fmt.Sprintf(many, 2, 4)},
		{breaker + "\n//resilience:timeout", get, one},
		{"//resilience:wrapper W\n//resilience:timeout", get, strings.NewReplacer("13:1", "14:1", ":breaker", ":timeout").Replace(one)},
		{breaker, size, ""},
		{breaker, "//resilience:none\n\t" + get, ""},
		{breaker, "//resilience:none breaker\n\t" + get, ""},
		{breaker, "//resilience:fallback with=Got\n\t" + get + "//resilience:none\n\tGot(context.Context) string", ""},
		{breaker, "//resilience:fallback with=Got\n\t" + get + set + "//resilience:none\n\tGot(context.Context) string", strings.ReplaceAll(one, "Get", "Set")},
		{breaker, "//resilience:none\n\t" + get + set, strings.ReplaceAll(one, "Get", "Set")},
		{"//resilience:wrapper W", "//resilience:breaker\n\tSell() error\n\t" + get, ""},
	} {
		t.Run(c.directives+" "+c.methods, func(t *testing.T) {
			if diff := cmp.Diff(c.want, warnings(t, module(t, annotated(c.directives, c.methods)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestClientsC17ListTellsOfKindsThatAMethodOptsOutOf(t *testing.T) {
	const methods = "//resilience:none timeout\n\tOpen(ctx context.Context) (io.Reader, error)\n\t" +
		"//resilience:none timeout bulkhead breaker\n\tPeek(ctx context.Context) (io.Reader, error)\n\t" +
		"//resilience:none breaker\n\tLen() int\n\t" +
		"//resilience:none\n\tClose() error\n\t" +
		"//resilience:none timeout\n\t//resilience:breaker other\n\tTry(ctx context.Context) error"
	result, err := generate(t, module(t, annotated("//resilience:breaker\n//resilience:bulkhead\n//resilience:timeout", methods)))
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	if err := result.List(&list); err != nil {
		t.Fatal(err)
	}
	const want = "shop.go\n  Shop     ResilientShop\n" +
		"    Buy    breaker shop; bulkhead shop; timeout shop\n" +
		"    Open   breaker shop; bulkhead shop; no timeout shop: it is marked none\n           timeout\n" +
		"    Peek   passes through: it is marked none timeout bulkhead breaker\n" +
		"    Len    passes through: it returns no error\n" +
		"    Close  passes through: it is marked none\n" +
		"    Try    breaker other; bulkhead shop; no timeout shop: it is marked none\n           timeout\n"
	if diff := cmp.Diff(want, list.String()); diff != "" {
		t.Error(diff)
	}
	if got := result.Warnings.Error(); got != "" {
		t.Error(got)
	}
}

func TestClientsC17OptingOutOfNothingIsWorthAWarning(t *testing.T) {
	const source = "//resilience:none timeout breaker\n\tOpen(ctx context.Context) (io.Reader, error)"
	const want = "shop.go:16:20: warning: resilience:none: there is no timeout on Shop that Open could opt out of"
	dir := module(t, annotated("//resilience:breaker", source))
	if diff := cmp.Diff(want, warnings(t, dir)); diff != "" {
		t.Error(diff)
	}
	appendFile(t, filepath.Join(dir, "shop.go"), "\n//resilience:timeout\ntype Other interface{ Shop }\n")
	if got := warnings(t, dir); got != "" {
		t.Errorf("in another interface there is one: %s", got)
	}
}

func TestClientsC17NoneOfAnotherPackageHoldsWhereItChangesNothing(t *testing.T) {
	const source = `
-- go.mod --
module example.test/shop

go 1.26
-- base/base.go --
package base

import "context"

//resilience:breaker
type Base interface {
	//resilience:none timeout
	Open(ctx context.Context) error
	//resilience:none breaker
	Peek(ctx context.Context) error
	//resilience:none timeout
	//resilience:bulkhead pool
	Pool(ctx context.Context) error
}
-- app/app.go --
package app

import "example.test/shop/base"

//resilience:breaker
type App interface { base.Base }
`
	got := warnings(t, filepath.Join(module(t, source), "app"))
	if strings.Contains(got, " of Open ") || !strings.Contains(got, " of Peek ") || !strings.Contains(got, " of Pool ") {
		t.Error(got)
	}
}

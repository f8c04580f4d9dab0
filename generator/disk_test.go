package generator_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/resgen-go/resgen/generator"
)

const shop = `
-- go.mod --
module example.test/shop

go 1.26
-- shop.go --
package shop

//resilience:breaker
type Shop interface {
	Buy(item string) error
}
-- cart/cart.go --
package cart

//resilience:breaker
type Cart interface {
	Add(item string) error
	Len() int
}
`

// module writes the files of an archive to a folder of their own.
func module(t *testing.T, archives ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, archive := range archives {
		for _, file := range txtar.Parse([]byte(archive)).Files {
			writeFile(t, filepath.Join(dir, file.Name), string(file.Data))
		}
	}
	return dir
}

func generate(t *testing.T, dir string, patterns ...string) (generator.Result, error) {
	t.Helper()
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	return generator.Generate(generator.Options{Dir: dir, Patterns: patterns})
}

// mustWrite generates without faults and writes.
func mustWrite(t *testing.T, dir string, patterns ...string) generator.Result {
	t.Helper()
	result, err := generate(t, dir, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if err := result.Write(); err != nil {
		t.Fatal(err)
	}
	return result
}

// check is what -check says.
func check(t *testing.T, dir string) string {
	t.Helper()
	result, err := generate(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := result.Check(&out); err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(out.String())
}

// tree is every file below a folder, with its content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files[path] = readFile(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestMissingOutputsAreNamedAndWritten(t *testing.T) {
	dir := module(t, shop)
	if diff := cmp.Diff("cart/cart_resilience.go: missing\nshop_resilience.go: missing\n", check(t, dir)); diff != "" {
		t.Error(diff)
	}
	mustWrite(t, dir)
	if got := check(t, dir); got != "" {
		t.Errorf("after writing: %s", got)
	}
	if entries := folders(t, dir); len(entries) != 1 {
		t.Errorf("there is more than the outputs: %v", entries)
	}
}

func TestAFileThatIsAsItShouldBeIsLeftAlone(t *testing.T) {
	dir := module(t, shop)
	mustWrite(t, dir)
	path := filepath.Join(dir, "shop_resilience.go")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, dir)
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) {
		t.Error("the file was written again")
	}
}

func TestAStaleOutputIsNamedAndReplaced(t *testing.T) {
	dir := module(t, shop)
	mustWrite(t, dir)
	path := filepath.Join(dir, "shop_resilience.go")
	want := readFile(t, path)
	writeFile(t, path, strings.Replace(want, "Buy", "Sell", 1))
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("shop_resilience.go: stale\n", check(t, dir)); diff != "" {
		t.Error(diff)
	}
	mustWrite(t, dir)
	if diff := cmp.Diff(want, readFile(t, path)); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file has another mode: %v, %v", info.Mode(), err)
	}
}

func TestAnOutputThatNothingAsksForIsNamedAndRemoved(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, dir string){
		"as its source is gone": func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "shop.go")); err != nil {
				t.Fatal(err)
			}
		},
		"as the directives are gone": func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "shop.go"), "package shop\n\ntype Shop interface{ Buy(item string) error }\n")
		},
		"as its source has another name": func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, "shop.go"), filepath.Join(dir, "store.go")); err != nil {
				t.Fatal(err)
			}
		},
		"as the interface has moved to another file": func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "store.go"), readFile(t, filepath.Join(dir, "shop.go")))
			writeFile(t, filepath.Join(dir, "shop.go"), "package shop\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := module(t, shop)
			mustWrite(t, dir)
			change(t, dir)
			if got := check(t, dir); !strings.Contains(got, "shop_resilience.go: leftover\n") {
				t.Errorf("check: %s", got)
			}
			mustWrite(t, dir)
			if _, err := os.Stat(filepath.Join(dir, "shop_resilience.go")); !os.IsNotExist(err) {
				t.Errorf("the output is still there: %v", err)
			}
			if got := check(t, dir); got != "" {
				t.Errorf("after writing: %s", got)
			}
		})
	}
}

func TestALinkInTheOutputsPlaceStays(t *testing.T) {
	dir := module(t, shop)
	target := filepath.Join(t.TempDir(), "elsewhere.go")
	writeFile(t, target, "// Code generated by resgen. DO NOT EDIT.\n\npackage shop\n")
	link := filepath.Join(dir, "shop_resilience.go")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, dir)
	if got, err := os.Readlink(link); err != nil || got != target {
		t.Errorf("it is %q now, %v", got, err)
	}
	if !strings.Contains(readFile(t, target), "ResilientShop") {
		t.Error("what it points to was not written")
	}
}

func TestAFileThatCannotBeWrittenIsNamed(t *testing.T) {
	dir := module(t, shop)
	result, err := generate(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "cart")); err != nil {
		t.Fatal(err)
	}
	err = result.Write()
	if want := filepath.FromSlash("cart/cart_resilience.go") + " cannot be brought up to date: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s…", err, want)
	}
}

func TestAnOutputOfAnotherBuildIsKept(t *testing.T) {
	dir := module(t, shop, `
-- shop_plan9.go --
package shop

//resilience:breaker
type Plan9 interface{ Go() error }
-- shop_plan9_resilience.go --
// Code generated by resgen. DO NOT EDIT.

//go:build plan9

package shop
`)
	mustWrite(t, dir)
	if _, err := os.Stat(filepath.Join(dir, "shop_plan9_resilience.go")); err != nil {
		t.Error(err)
	}
}

func TestAnEmptyFileInTheOutputsPlaceIsOurs(t *testing.T) {
	dir := module(t, shop)
	writeFile(t, filepath.Join(dir, "shop_resilience.go"), "")
	mustWrite(t, dir)
	if got := check(t, dir); got != "" {
		t.Errorf("check: %s", got)
	}
}

func TestAMistakeLeavesEveryFileAsItWas(t *testing.T) {
	for name, mistake := range map[string]string{
		"in a directive": `
-- cart/other.go --
package cart

//resilience:braeker
type Other interface{ Do() error }
`,
		"in the place of an output": `
-- cart/cart_resilience.go --
package cart

// By hand.
`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := module(t, shop, mistake)
			before := tree(t, dir)
			result, err := generate(t, dir)
			if err == nil {
				t.Fatal("there is no error")
			}
			if err := result.Write(); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAPackageThatDoesNotCompileHoldsUpNoOther(t *testing.T) {
	dir := module(t, shop, `
-- cart/broken.go --
package cart

var total Money
`)
	result, err := generate(t, dir)
	if want := "cart/broken.go:3:11: undefined: Money"; err == nil || filepath.ToSlash(err.Error()) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if len(result.Outputs) != 1 || result.Outputs[0].Shown != "shop_resilience.go" {
		t.Errorf("got %v", result.Outputs)
	}
}

func TestALoadThatFailsAsAWholeSaysWhere(t *testing.T) {
	dir := module(t, shop)
	appendFile(t, filepath.Join(dir, "go.mod"), "bogus\n")
	_, err := generate(t, dir)
	if want := "go.mod:4: unknown directive: bogus"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestTheOutputIsTheSameWhereverAndHoweverItIsAskedFor(t *testing.T) {
	dir := module(t, shop)
	want, err := generate(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, patterns := range [][]string{{".", "./cart"}, {"./cart", "."}, {"example.test/shop/...", "./cart"}} {
		got, err := generate(t, dir, patterns...)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Outputs, got.Outputs); diff != "" {
			t.Errorf("%q: %s", patterns, diff)
		}
	}
	got, err := generate(t, filepath.Join(dir, "cart"), ".")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Outputs[0].Want, want.Outputs[0].Want) || got.Outputs[0].Shown != "cart_resilience.go" {
		t.Errorf("from its own folder: %s\n%s", got.Outputs[0].Shown, got.Outputs[0].Want)
	}
}

func TestDiffShowsHowOutputsWouldChange(t *testing.T) {
	dir := module(t, shop)
	mustWrite(t, dir, ".")
	path := filepath.Join(dir, "shop_resilience.go")
	writeFile(t, path, strings.Replace(readFile(t, path), "is guarded by", "has", 1))
	writeFile(t, filepath.Join(dir, "old_resilience.go"), "// Code generated by resgen. DO NOT EDIT.\n\npackage shop\n")
	result, err := generate(t, dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := result.Diff(&out); err != nil {
		t.Fatal(err)
	}
	want := `--- old_resilience.go
+++ /dev/null
@@ -1,3 +0,0 @@
-// Code generated by resgen. DO NOT EDIT.
-
-package shop
--- shop_resilience.go
+++ shop_resilience.go
@@ -33,7 +33,7 @@
 	return w, nil
 }
 
-// Buy has breaker shop.
+// Buy is guarded by breaker shop.
 func (w *ResilientShop) Buy(item string) error {
 	var call resilience.Call
 	defer call.Release()
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestNamesThatAreTooLongForTheColumnHaveALineOfTheirOwn(t *testing.T) {
	const method = "CreateAuthorizedConnectAppAndItsPermissions"
	for source, want := range map[string]string{
		"\tGet() error\n\t" + method + "() error\n": "  Shop   ResilientShop\n    Get  breaker shop\n    " + method + "\n         breaker shop\n",
		"\tABCDEFGHIJKLMNOPQRSTUVWXYZ() error\n":    "  Shop                          ResilientShop\n    ABCDEFGHIJKLMNOPQRSTUVWXYZ  breaker shop\n",
	} {
		dir := module(t, "-- go.mod --\nmodule example.test/shop\n\ngo 1.26\n-- shop.go --\npackage shop\n\n//resilience:breaker\ntype Shop interface {\n"+source+"}\n")
		result, err := generate(t, dir)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := result.List(&out); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff("shop.go\n"+want, out.String()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestListSaysWhatGuardsAMethodOrWhyNothingDoes(t *testing.T) {
	dir := module(t, `
-- go.mod --
module example.test/shop

go 1.26
-- shop.go --
package shop

import "context"

//resilience:breaker shop
//resilience:timeout
type Shop interface {
	Buy(ctx context.Context, item string) error
	Sell(item string) error
	Len() int
	//resilience:none
	Close() error
	//resilience:bulkhead tills
	//resilience:anticipate check=stock preload=stock:2,tax:1 lease=audit:1
	Order(ctx context.Context) error
	//resilience:probe
	Ping(ctx context.Context) error
}

type Bank interface {
	//resilience:bulkhead
	Pay() error
	Open() bool
}
`)
	result, err := generate(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := result.List(&out); err != nil {
		t.Fatal(err)
	}
	want := `shop.go
  Shop     ResilientShop
    Buy    breaker shop; timeout shop
    Sell   breaker shop; no timeout shop: it has no context
    Len    passes through: it returns no error
    Close  passes through: it is marked none
    Order  breaker shop; bulkhead tills; timeout shop; check stock; preload
           stock:2, tax:1; lease audit:1
    Ping   breaker shop; timeout shop; probe of breaker shop
  Bank     ResilientBank
    Pay    bulkhead bank
    Open   passes through: it has no directive
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestANameThatATestHasByADotImportIsTaken(t *testing.T) {
	const source = `
-- go.mod --
module example.test/shop

go 1.26
-- shop.go --
package shop

//resilience:breaker
type Shop interface{ Buy() error }
-- shop_test.go --
package shop

import . "example.test/shop/fakes"

var _ ResilientShop
-- fakes/fakes.go --
package fakes

type ResilientShop struct{}
`
	_, err := generate(t, module(t, source))
	if want := "which is taken at shop_test.go:3:8"; err == nil || !strings.Contains(filepath.ToSlash(err.Error()), want) {
		t.Errorf("got %v, want it to say %q", err, want)
	}
}

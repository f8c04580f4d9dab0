package generator

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/generator/internal/load"
	"github.com/resgen-go/resgen/internal/fault"
	"github.com/resgen-go/resgen/internal/glyph"
)

// judge is a function of results that a directive of a type names.
type judge struct {
	item item
	sig  *types.Signature
	fits bool // a method returns such results
}

// holds finds the function of an item, and reports whether the item holds for a
// method.
func (c *checker) holds(t *target, m *method, i *item) bool {
	if i.Type == "" {
		return c.classify(t, m, i)
	}
	fits := func(sig *types.Signature) bool { return c.spell(unnamed(sig)) == i.Type }
	fn := c.function(*i, fits)
	switch {
	case fn == nil:
		return false
	case fn.Signature().TypeParams().Len() > 0:
		c.faultFunction(*i, "%s has type parameters; it must be a %s", i.Refs[0].Text, i.Type)
		return false
	case !fits(fn.Signature()):
		c.faultFunction(*i, "%s is a %s; it must be a %s", i.Refs[0].Text, c.spell(unnamed(fn.Signature())), i.Type)
		return false
	}
	i.function = fn
	return true
}

// classify finds the function of an item that judges a method. It does not hold
// where it is at fault, and, on the type, for a method with other results than it
// is made for: then the error is judged alone.
func (c *checker) classify(t *target, m *method, i *item) (holds bool) {
	_, own := m.own.Get(i.Row.Name)
	fits := func(sig *types.Signature) bool { return classifies(sig) || judges(sig, m) || !own && isJudge(sig) }
	fn := c.function(*i, fits)
	if fn == nil {
		return false
	}
	sig := fn.Signature()
	switch {
	case sig.TypeParams().Len() > 0:
		c.faultFunction(*i, "%s has type parameters; it must be %s", i.Refs[0].Text, c.mustBe(m, own))
		return false
	case !fits(sig):
		c.faultFunction(*i, "%s is a %s; it must be %s", i.Refs[0].Text, c.spell(unnamed(sig)), c.mustBe(m, own))
		return false
	case classifies(sig):
	case own:
		i.inBody = true
	default:
		i.inBody = t.judge(*i, sig, judges(sig, m))
		if !i.inBody {
			m.skipped = append(m.skipped, fmt.Sprintf("no %s=%s: it returns %s", i.Key, i.Refs[0].Text, c.spell(unnamed(m.Signature()).Results())))
			return false
		}
	}
	i.function = fn
	return true
}

// judge notes whether a function of results fits one more method of the type.
func (t *target) judge(i item, sig *types.Signature, fits bool) bool {
	for n := range t.judges {
		if t.judges[n].item.Refs[0] == i.Refs[0] {
			t.judges[n].fits = t.judges[n].fits || fits
			return fits
		}
	}
	t.judges = append(t.judges, judge{i, sig, fits})
	return fits
}

// checkJudges reports functions of results that fit no method.
func (c *checker) checkJudges(t *target) {
	for _, j := range t.judges {
		if !j.fits {
			c.faultFunction(j.item, "%s is a %s, but no method of %s under this directive returns what it judges; it must be %s",
				j.item.Refs[0].Text, c.spell(unnamed(j.sig)), t.name, c.mustBe(nil, false))
		}
	}
}

// mustBe are the types of functions that judge a method or, by the type's
// directive, several.
func (c *checker) mustBe(m *method, own bool) string {
	const ofErrors = "a func(error) resilience.Outcome"
	switch {
	case !own:
		return ofErrors + " or one of all results of a method"
	case m.Signature().Results().Len() == 1:
		return ofErrors
	}
	return ofErrors + " or a " + c.spell(judgeOf(m, nil)) + " resilience.Outcome"
}

// isJudge reports whether a function may judge results.
func isJudge(sig *types.Signature) bool {
	if sig.TypeParams().Len() > 0 || sig.Variadic() || sig.Params().Len() == 0 || sig.Results().Len() != 1 {
		return false
	}
	outcome, ok := types.Unalias(sig.Results().At(0).Type()).(*types.Named)
	return ok && isNamed(outcome.Obj(), runtimePath, "Outcome")
}

// classifies reports whether a function judges errors.
func classifies(sig *types.Signature) bool {
	return isJudge(sig) && sig.Params().Len() == 1 && isError(sig.Params().At(0).Type())
}

// judges reports whether a function judges all results of a method.
func judges(sig *types.Signature, m *method) bool {
	return isJudge(sig) && types.Identical(unnamed(sig), judgeOf(m, unnamed(sig).Results()))
}

// judgeOf is the type of the functions that judge all results of a method.
func judgeOf(m *method, outcome *types.Tuple) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, unnamed(m.Signature()).Results(), outcome, false)
}

// function finds the function that an argument names, as the file sees it in which
// the directive stands. It is nil, and a fault, if there is none.
func (c *checker) function(i item, fits func(*types.Signature) bool) *types.Func {
	ref := i.Refs[0]
	scope, name, why := c.scopeOf(ref)
	if scope == nil {
		c.faultFunction(i, "%s", why)
		return nil
	}
	obj := c.referred(ref, scope, name)
	fn, ok := obj.(*types.Func)
	switch {
	case obj == nil:
		c.faultFunction(i, "there is no function %s%s", glyph.Shown(ref.Text), c.wouldFit(ref, scope, fits))
	case !ok:
		c.faultFunction(i, "%s is not a function", ref.Text)
	case fn.Pkg().Path() != c.pkg.Types.Path() && !fn.Exported():
		c.faultFunction(i, "%s is not exported", ref.Text)
	default:
		return fn
	}
	return nil
}

// referred is what a reference names in a scope, or the file imports without a qualifier.
func (c *checker) referred(ref directives.Ref, scope *types.Scope, name string) types.Object {
	if obj := scope.Lookup(name); obj != nil && c.sees(ref.Pos, obj) {
		return obj
	}
	return c.dotImported(ref, name)
}

func (c *checker) faultFunction(i item, format string, args ...any) {
	c.fault(i.Refs[0].Pos, i.Row.Name, i.Key+": "+format, args...)
}

// scopeOf is where a function is declared that a directive names; nil, with the
// reason, if the package does not import it. A blank import counts under the
// package's name, because Go lets a package that only comments use be imported no
// other way.
func (c *checker) scopeOf(ref directives.Ref) (scope *types.Scope, name, why string) {
	qualifier, name, qualified := strings.Cut(ref.Text, ".")
	if !qualified {
		return c.pkg.Types.Scope(), qualifier, ""
	}
	var imported []string
	for _, file := range c.filesFrom(ref.Pos) {
		var blank *types.Package
		for _, spec := range file.Syntax.Imports {
			pkg := importOf(spec, c.pkg.Info)
			switch {
			case pkg == nil:
			case pkg.Name() == qualifier:
				return pkg.Imported().Scope(), name, ""
			case pkg.Name() == "_":
				imported = append(imported, pkg.Imported().Name())
				if pkg.Imported().Name() == qualifier {
					blank = pkg.Imported()
				}
			default:
				imported = append(imported, pkg.Name())
			}
		}
		if blank != nil {
			return blank.Scope(), name, ""
		}
	}
	return nil, "", "the package imports no " + glyph.Shown(qualifier) + didYouMean(qualifier, imported)
}

// sees reports whether the file of pos sees obj: what tests declare is for tests.
func (c *checker) sees(pos token.Pos, obj types.Object) bool {
	return obj.Pkg() != c.pkg.Types || slices.ContainsFunc(c.filesFrom(pos), func(f *load.File) bool {
		return f.Path == c.pkg.Fset.File(obj.Pos()).Name()
	})
}

// filesFrom are the files that are built with that of pos, itself first: its
// imports count before those of the others.
func (c *checker) filesFrom(pos token.Pos) []*load.File {
	name := c.pkg.Fset.File(pos).Name()
	files := slices.DeleteFunc(slices.Clone(c.pkg.Files), func(f *load.File) bool { return f.Test && !strings.HasSuffix(name, "_test.go") })
	return slices.SortedStableFunc(slices.Values(files), func(a, b *load.File) int {
		switch {
		case a.Path == name && b.Path != name:
			return -1
		case b.Path == name && a.Path != name:
			return 1
		}
		return 0
	})
}

func (c *checker) dotImported(ref directives.Ref, name string) types.Object {
	if strings.Contains(ref.Text, ".") {
		return nil
	}
	return c.fileScope(ref.Pos).Lookup(name)
}

// fileScope has what the file of pos imports.
func (c *checker) fileScope(pos token.Pos) *types.Scope {
	return c.pkg.Info.Scopes[c.filesFrom(pos)[0].Syntax]
}

// wouldFit suggests the function that ref means or, if it is like none, all that
// could be named instead.
func (c *checker) wouldFit(ref directives.Ref, scope *types.Scope, fits func(*types.Signature) bool) string {
	var fitting []string
	if qualifier, _, qualified := strings.Cut(ref.Text, "."); qualified {
		fitting = c.fitting(ref.Pos, qualifier+".", scope, fits)
	} else {
		fitting = append(c.fitting(ref.Pos, "", scope, fits), c.fitting(ref.Pos, "", c.fileScope(ref.Pos), fits)...)
	}
	if meant := didYouMean(ref.Text, fitting); meant != "" || len(fitting) == 0 {
		return meant
	}
	return "; what would fit is " + strings.Join(fitting, ", ")
}

// fitting are the functions of a scope that fit and that the file of pos sees, with
// what must stand before their names.
func (c *checker) fitting(pos token.Pos, qualifier string, scope *types.Scope, fits func(*types.Signature) bool) []string {
	var fitting []string
	for _, name := range scope.Names() {
		fn, ok := scope.Lookup(name).(*types.Func)
		if ok && (qualifier == "" || fn.Exported()) && fits(fn.Signature()) && c.sees(pos, fn) {
			fitting = append(fitting, qualifier+name)
		}
	}
	return fitting
}

// answersUnjudged reports whether a method returns the answer of an HTTP server,
// and its breaker judges the error alone.
func (m *method) answersUnjudged() bool {
	breaker := slices.ContainsFunc(m.guard.own(), func(i item) bool { return i.Row.Name == directives.Breaker })
	judged := slices.ContainsFunc(m.guard, func(i item) bool { return i.inBody && i.Form == directives.Function })
	return breaker && !judged && slices.ContainsFunc(slices.Collect(m.Signature().Results().Variables()), isAnswer)
}

func isAnswer(v *types.Var) bool { return isOfHTTP(v.Type(), "Response") }

// unjudged warns of methods that return the answers of an HTTP server unjudged.
// There is one line for an interface.
func (c *checker) unjudged(targets []*target) fault.List {
	var faults fault.List
	for _, t := range targets {
		var unjudged []*method
		for _, m := range t.methods {
			if m.answersUnjudged() {
				unjudged = append(unjudged, m)
			}
		}
		if len(unjudged) > 0 {
			row := directives.RowOf(directives.Breaker)
			faults = append(faults, c.warning(t.placeOf(row, unjudged[0]), row.Name,
				"the errors of %s alone are judged, so a 503 counts as a success; classify=resiliencehttp.Judge, of runtime/resiliencehttp, "+
					"judges answers, as does any func(*http.Response, error) resilience.Outcome", fewNames(unjudged)))
		}
	}
	return faults
}

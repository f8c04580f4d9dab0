package guards

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/resgen-go/resgen/directives"
)

const runtimePath = "github.com/resgen-go/resgen/runtime"

// findWrappers finds the constructors of the package's wrappers by their shape:
// a generated func(I, *resilience.Registry, ...) (*W, error) that makes guards. Other
// tools generate such functions too, which only pass on what they are given.
func (p *Package) findWrappers() {
	for _, file := range p.Files {
		if !isGenerated(file) {
			continue
		}
		for _, decl := range file.Decls {
			decl, ok := decl.(*ast.FuncDecl)
			if !ok || decl.Recv != nil || decl.Body == nil {
				continue
			}
			fn := p.TypesInfo.Defs[decl.Name].(*types.Func)
			if iface := Wrapped(fn.Signature()); iface != nil && iface.Pkg() == p.Pkg && len(p.wired(decl)) > 0 {
				p.addWrapper(Named(iface.Type()), fn)
				p.Generated[file] = true
			}
		}
	}
}

// addWrapper notes a constructor. An interface with two, under two aliases, or
// with one for a single instance of it, may be called behind either or none.
func (p *Package) addWrapper(iface *types.TypeName, constructor *types.Func) {
	p.Constructors = append(p.Constructors, constructor)
	if _, twice := p.Wrappers[iface]; twice || IsGeneric(iface) && constructor.Signature().TypeParams().Len() == 0 {
		constructor = nil
	}
	p.Wrappers[iface] = constructor
}

// Wrapped is the interface that a constructor of that signature wraps, or the
// alias by which it knows it; nil if it is no such constructor.
func Wrapped(sig *types.Signature) *types.TypeName {
	if sig.Params().Len() != 3 || !sig.Variadic() || sig.Results().Len() != 2 || !returnsError(sig) {
		return nil
	}
	registry, wrapper := Named(sig.Params().At(1).Type()), Named(sig.Results().At(0).Type())
	if registry == nil || !IsNamed(registry, runtimePath, "Registry") || wrapper == nil || types.IsInterface(wrapper.Type()) {
		return nil
	}
	iface := sig.Params().At(0).Type()
	if !types.IsInterface(iface) || Named(iface) == nil {
		return nil
	}
	if alias, ok := iface.(*types.Alias); ok {
		return alias.Obj()
	}
	return Named(iface)
}

// wired reads the guards that a constructor makes.
func (p *Package) wired(constructor *ast.FuncDecl) []Method {
	var methods []Method
	p.EachGuard(constructor, func(name string, made map[string]ast.Expr) {
		methods = append(methods, Method{
			Name:      name,
			Bulkhead:  p.bulkhead(made),
			RateLimit: p.text(made["RateLimit"]),
			Entry:     Needs(made, directives.Reservation),
			Preload:   p.counts(made["Preload"], "Bulkhead"),
			Lease:     p.counts(made["Lease"], "Bulkhead"),
			Rate:      p.counts(made["Rate"], "RateLimit"),
			Breaker:   p.text(made["Breaker"]),
			Check:     p.counts(made["Check"], "Breaker"),
		})
	})
	slices.SortFunc(methods, func(a, b Method) int { return strings.Compare(a.Name, b.Name) })
	return methods
}

// bulkhead names the bulkhead that is made. One by key is named with it, because
// calls by key use nothing of what is reserved under the base name.
func (p *Package) bulkhead(made map[string]ast.Expr) string {
	name := p.text(made["Bulkhead"])
	if key := p.text(made["BulkheadBy"]); key != "" {
		name += " by " + key
	}
	return name
}

// findStreams notes which methods of a wrapper make streams.
func (p *Package) findStreams(wrapper *types.TypeName, methods []Method) {
	for fn, decl := range p.Declarations {
		if fn == nil || decl.Recv == nil || decl.Body == nil || Named(fn.Signature().Recv().Type()) != wrapper {
			continue
		}
		i := slices.IndexFunc(methods, func(m Method) bool { return m.Name == fn.Name() })
		if i >= 0 && p.makesStream(decl.Body) {
			methods[i].Stream = true
		}
	}
}

// Streams reports whether a method of the wrapper that a constructor makes lasts until
// its result is closed.
func (p *Package) Streams(constructor *types.Func, method string) bool {
	m, ok := p.Known[Named(constructor.Signature().Results().At(0).Type())].method(method)
	return ok && m.Stream
}

func (p *Package) makesStream(body *ast.BlockStmt) (makes bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			of, is := p.TypesInfo.Uses[name].(*types.TypeName)
			makes = makes || is && IsNamed(of, runtimePath, "Stream")
		}
		return !makes
	})
	return makes
}

// EachGuard calls do for each guard that a constructor makes by a call
// wiring.Guard("Charge", resilience.Guards{…}). What is written otherwise, by
// hand, is not known.
func (p *Package) EachGuard(constructor *ast.FuncDecl, do func(method string, made map[string]ast.Expr)) {
	ast.Inspect(constructor.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 2 {
			return true
		}
		fn := typeutil.StaticCallee(p.TypesInfo, call)
		if fn == nil || fn.FullName() != "(*"+runtimePath+".Wiring).Guard" {
			return true
		}
		name, made := p.text(call.Args[0]), fields(call.Args[1])
		if name != "" && made != nil {
			do(name, made)
		}
		return true
	})
}

// Needs reports whether one of the guards that are made needs a context to carry
// something.
func Needs(made map[string]ast.Expr, cargo directives.Cargo) bool {
	for _, row := range directives.Table {
		fills := func(param directives.Param) bool { return made[param.Field] != nil }
		if row.Needs == cargo && slices.ContainsFunc(row.Params, fills) {
			return true
		}
	}
	return false
}

// counts reads a list of permits, tokens or calls, without those of which the name
// is unknown. The field of that name has the name.
func (p *Package) counts(x ast.Expr, field string) (list []Count) {
	literal, ok := x.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	for _, element := range literal.Elts {
		made := fields(element)
		name := p.text(made[field])
		n, known := constant.Int64Val(constant.ToInt(p.TypesInfo.Types[made["N"]].Value))
		if name != "" && (known || made["N"] == nil) {
			list = append(list, Count{name, int(n)})
		}
	}
	return list
}

// text is the value of a constant string; empty if an expression is none.
func (p *Package) text(x ast.Expr) string {
	if v := p.TypesInfo.Types[x].Value; v != nil && v.Kind() == constant.String {
		return constant.StringVal(v)
	}
	return ""
}

// fields are what a struct literal gives to fields by name; nil if an expression
// is none.
func fields(x ast.Expr) map[string]ast.Expr {
	literal, ok := x.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	given := map[string]ast.Expr{}
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if name, ok := pair.Key.(*ast.Ident); ok {
				given[name.Name] = pair.Value
			}
		}
	}
	return given
}

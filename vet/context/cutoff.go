package context

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/later"
	"github.com/resgen-go/resgen/vet/internal/guards"
)

// reportCutOffs reports timeouts that end what is read from a result after its
// method has returned: one finding for an interface, at its name.
func reportCutOffs(pass *analysis.Pass, known *guards.Package) {
	for _, constructor := range known.Constructors {
		iface := guards.Wrapped(constructor.Signature())
		if known.IsTestAt(iface.Pos()) {
			continue
		}
		var first, what string
		more := 0
		known.EachGuard(known.Declarations[constructor], func(name string, made map[string]ast.Expr) {
			reading, ok := cutOff(iface, name, made)
			switch {
			case !ok || known.Streams(constructor, name):
			case first == "":
				first, what = name, reading.Phrase(func(t types.Type) string { return types.TypeString(t, types.RelativeTo(pass.Pkg)) })
			default:
				more++
			}
		})
		switch {
		case first == "":
		case more == 0:
			pass.Reportf(iface.Pos(), "the timeout of %s.%s cuts off what is read from its %s after the call; mark it //resilience:none timeout, or read inside",
				iface.Name(), first, what)
		default:
			pass.Reportf(iface.Pos(), "the timeouts of %s.%s and %d more cut off what is read from their results after the call, as from %s; mark them //resilience:none timeout, or read inside",
				iface.Name(), first, more, what)
		}
	}
}

// cutOff is what is read later from the result of a method with a timeout.
func cutOff(iface *types.TypeName, name string, made map[string]ast.Expr) (later.Reading, bool) {
	obj, _, _ := types.LookupFieldOrMethod(iface.Type(), false, iface.Pkg(), name)
	fn, ok := obj.(*types.Func)
	if !ok || !guards.Needs(made, directives.Deadline) {
		return later.Reading{}, false
	}
	return later.Of(fn.Signature())
}

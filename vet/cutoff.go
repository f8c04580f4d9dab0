package vet

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/resgen-go/resgen/internal/later"
)

// checkCutOffs reports timeouts that end what is read from a result after its
// method has returned: one finding for an interface, at its name.
func (c *checker) checkCutOffs() {
	for _, constructor := range c.constructors {
		iface := wrapped(constructor.Signature())
		if c.isTestAt(iface) {
			continue
		}
		var first, what string
		more := 0
		c.eachGuard(c.declarations[constructor], func(name string, made map[string]ast.Expr) {
			reading, ok := c.cutOff(iface, name, made)
			switch {
			case !ok:
			case first == "":
				first, what = name, reading.Phrase(c.spell)
			default:
				more++
			}
		})
		switch {
		case first == "":
		case more == 0:
			c.Reportf(iface.Pos(), "the timeout of %s.%s cuts off what is read from its %s after the call; mark it //resilience:none timeout, or read inside",
				iface.Name(), first, what)
		default:
			c.Reportf(iface.Pos(), "the timeouts of %s.%s and %d more cut off what is read from their results after the call, as from %s; mark them //resilience:none timeout, or read inside",
				iface.Name(), first, more, what)
		}
	}
}

// cutOff is what is read later from the result of a method with a timeout.
func (c *checker) cutOff(iface *types.TypeName, name string, made map[string]ast.Expr) (later.Reading, bool) {
	obj, _, _ := types.LookupFieldOrMethod(iface.Type(), false, c.Pkg, name)
	fn, ok := obj.(*types.Func)
	if !ok || made["Timeout"] == nil {
		return later.Reading{}, false
	}
	return later.Of(fn.Signature())
}

func (c *checker) isTestAt(obj types.Object) bool {
	return strings.HasSuffix(c.Fset.File(obj.Pos()).Name(), "_test.go")
}

// spell is a type as findings show it.
func (c *checker) spell(t types.Type) string {
	return types.TypeString(t, types.RelativeTo(c.Pkg))
}

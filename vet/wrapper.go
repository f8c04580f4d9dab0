package vet

import (
	"go/ast"
	"go/types"
)

const runtimePath = "github.com/resgen-go/resgen/runtime"

// findWrappers finds the constructors of the package's wrappers by their shape:
// a generated func(I, *resilience.Registry) (*W, error).
func (c *checker) findWrappers() {
	for _, file := range c.Files {
		if !isGenerated(file) {
			continue
		}
		for _, decl := range file.Decls {
			decl, ok := decl.(*ast.FuncDecl)
			if !ok || decl.Recv != nil {
				continue
			}
			fn := c.TypesInfo.Defs[decl.Name].(*types.Func)
			if iface := wrapped(fn.Signature()); iface != nil && iface.Pkg() == c.Pkg {
				c.wrappers[iface] = fn
				c.ours[file] = true
			}
		}
	}
}

// wrapped is the interface that a constructor of that signature wraps; nil if it
// is no such constructor.
func wrapped(sig *types.Signature) *types.TypeName {
	if sig.Params().Len() != 2 || sig.Results().Len() != 2 || !returnsError(sig) {
		return nil
	}
	registry, wrapper := named(sig.Params().At(1).Type()), named(sig.Results().At(0).Type())
	if registry == nil || !isNamed(registry, runtimePath, "Registry") || wrapper == nil || types.IsInterface(wrapper.Type()) {
		return nil
	}
	iface := sig.Params().At(0).Type()
	if !types.IsInterface(iface) {
		return nil
	}
	return named(iface)
}

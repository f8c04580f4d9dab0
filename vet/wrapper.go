package vet

import (
	"go/ast"
	"go/types"
)

const runtimePath = "github.com/resgen-go/resgen/runtime"

// findWrappers finds the constructors of the package's wrappers by their shape:
// a generated func(I, *resilience.Registry) (*W, error) that makes guards. Other
// tools generate such functions too, which only pass on what they are given.
func (c *checker) findWrappers() {
	for _, file := range c.Files {
		if !isGenerated(file) {
			continue
		}
		for _, decl := range file.Decls {
			decl, ok := decl.(*ast.FuncDecl)
			if !ok || decl.Recv != nil || decl.Body == nil {
				continue
			}
			fn := c.TypesInfo.Defs[decl.Name].(*types.Func)
			if iface := wrapped(fn.Signature()); iface != nil && iface.Pkg() == c.Pkg && len(c.wired(decl)) > 0 {
				c.addWrapper(named(iface.Type()), fn)
				c.ours[file] = true
			}
		}
	}
}

// addWrapper notes a constructor. An interface with two, under two aliases, or
// with one for a single instance of it, may be called behind either or none.
func (c *checker) addWrapper(iface *types.TypeName, constructor *types.Func) {
	c.constructors = append(c.constructors, constructor)
	if _, twice := c.wrappers[iface]; twice || isGeneric(iface) && constructor.Signature().TypeParams().Len() == 0 {
		constructor = nil
	}
	c.wrappers[iface] = constructor
}

// wrapped is the interface that a constructor of that signature wraps, or the
// alias by which it knows it; nil if it is no such constructor.
func wrapped(sig *types.Signature) *types.TypeName {
	if sig.Params().Len() != 2 || sig.Results().Len() != 2 || !returnsError(sig) {
		return nil
	}
	registry, wrapper := named(sig.Params().At(1).Type()), named(sig.Results().At(0).Type())
	if registry == nil || !isNamed(registry, runtimePath, "Registry") || wrapper == nil || types.IsInterface(wrapper.Type()) {
		return nil
	}
	iface := sig.Params().At(0).Type()
	if !types.IsInterface(iface) || named(iface) == nil {
		return nil
	}
	if alias, ok := iface.(*types.Alias); ok {
		return alias.Obj()
	}
	return named(iface)
}

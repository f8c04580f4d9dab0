package load

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"strconv"

	"golang.org/x/tools/go/packages"
)

// A node is a package of the graph, in one variant, with what was found out about it so far.
type node struct {
	*packages.Package
	// folder is nil for a dependency. A root, a package that is wanted itself, is loaded in full.
	folder *folder

	sources []*source
	units   map[string][]*unit // the declarations at package level, by name
	all     []*unit            // the same in order of the source, and those without a name
	queued  bool
	parsed  bool
	wanted  []string       // names that are to be reached as soon as it is parsed
	uses    map[*node]bool // packages that the declarations that are kept mention

	promised map[string]bool // names that outputs for the package are going to declare

	before  []*node // packages that are checked before
	ordered bool
	checked chan struct{}
	types   *types.Package
	info    *types.Info

	syntaxFaults []Fault
	typeFaults   []Fault // of a dependency, only imports that fail
}

// own says whether the package belongs to the user, so that outputs in it are ours to write.
func (n *node) own() bool {
	return n.folder != nil || n.Module != nil && n.Module.Main
}

// A source is a parsed file of a node, or a stand-in for an output.
type source struct {
	node    *node
	file    *File
	specs   map[ast.Spec]*node // packages by import
	imports map[string]*node   // packages by the name that the file uses
	dots    []*node            // packages whose names the file uses bare
	used    map[*node]bool     // packages that what is kept of the file mentions
	standIn bool
}

// A unit is a declaration that is kept or dropped as a whole.
type unit struct {
	source  *source
	node    ast.Node // *ast.FuncDecl, *ast.TypeSpec, *ast.ValueSpec, or *ast.GenDecl for a group of constants
	methods []*unit  // of a type
	kept    bool
}

func (l *loader) newSource(n *node, file *File) *source {
	s := &source{node: n, file: file, specs: map[ast.Spec]*node{}, imports: map[string]*node{}, used: map[*node]bool{}}
	for _, spec := range file.Syntax.Imports {
		dep := l.imported(n, spec)
		if dep == nil {
			continue
		}
		s.specs[spec] = dep
		switch name := importName(spec, dep); name {
		case "_":
		case ".":
			s.dots = append(s.dots, dep)
		default:
			s.imports[name] = dep
		}
	}
	return s
}

// imported is the package that an import means; nil for what is no package of the graph, such as C.
func (l *loader) imported(n *node, spec *ast.ImportSpec) *node {
	name, err := strconv.Unquote(spec.Path.Value)
	if err != nil || n.Imports[name] == nil {
		return nil
	}
	return l.nodes[n.Imports[name].ID]
}

func importName(spec *ast.ImportSpec, dep *node) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	return cmp.Or(dep.Name, path.Base(dep.PkgPath)) // a missing package has no name
}

// index takes the file apart into units.
func (s *source) index() {
	for _, decl := range s.file.Syntax.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				s.add(decl, decl.Name)
			} else {
				s.add(decl)
			}
		case *ast.GenDecl:
			s.indexGroup(decl)
		}
	}
}

func (s *source) indexGroup(decl *ast.GenDecl) {
	if decl.Tok == token.CONST {
		s.add(decl, constants(decl)...)
		return
	}
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			s.add(spec, spec.Name)
		case *ast.ValueSpec:
			s.add(spec, spec.Names...)
		}
	}
}

// constants are the names of a group of constants, which stays together: a value may repeat the one above.
func constants(decl *ast.GenDecl) []*ast.Ident {
	var names []*ast.Ident
	for _, spec := range decl.Specs {
		names = append(names, spec.(*ast.ValueSpec).Names...)
	}
	return names
}

func (s *source) add(node ast.Node, names ...*ast.Ident) {
	u := &unit{source: s, node: node}
	s.node.all = append(s.node.all, u)
	for _, name := range names {
		s.node.units[name.Name] = append(s.node.units[name.Name], u)
	}
}

// attachMethods gives methods to the units of their types. Of a dependency, no unexported method matters to anybody
// outside, except where an interface of the package asks for it.
func (n *node) attachMethods() {
	hidden := n.hiddenMethods()
	for _, u := range n.all {
		method, ok := u.node.(*ast.FuncDecl)
		if !ok || method.Recv == nil || !method.Name.IsExported() && !hidden[method.Name.Name] {
			continue
		}
		for _, t := range n.units[n.unalias(receiver(method))] {
			t.methods = append(t.methods, u)
		}
	}
}

// hiddenMethods are the names of the unexported methods of the interfaces of the package.
func (n *node) hiddenMethods() map[string]bool {
	hidden := map[string]bool{}
	for _, u := range n.all {
		spec, ok := u.node.(*ast.TypeSpec)
		if !ok {
			continue
		}
		ast.Inspect(spec.Type, func(x ast.Node) bool {
			if i, ok := x.(*ast.InterfaceType); ok {
				for _, field := range i.Methods.List {
					for _, name := range field.Names {
						hidden[name.Name] = !name.IsExported()
					}
				}
			}
			return true
		})
	}
	return hidden
}

// receiver is the name of the type that a method is declared on.
func receiver(method *ast.FuncDecl) string {
	if len(method.Recv.List) == 0 {
		return ""
	}
	x := method.Recv.List[0].Type
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.ParenExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// unalias follows type A = B to B, within the package.
func (n *node) unalias(name string) string {
	for range n.units {
		units := n.units[name]
		if len(units) == 0 {
			return name
		}
		spec, ok := units[0].node.(*ast.TypeSpec)
		if !ok || !spec.Assign.IsValid() {
			return name
		}
		target, ok := spec.Type.(*ast.Ident)
		if !ok {
			return name
		}
		name = target.Name
	}
	return name
}

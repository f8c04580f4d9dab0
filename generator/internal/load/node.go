package load

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/resgen-go/resgen/internal/fault"
)

// A node is a package of the graph, in one variant, with what was found out
// about it so far.
type node struct {
	*packages.Package
	// folder is nil for a dependency. A root, a package that is wanted itself,
	// is loaded in full.
	folder *folder

	sources []*source
	units   map[string][]*unit // the declarations at package level, by name
	all     []*unit            // the same in order of the source, and those without a name
	queued  bool
	parsed  bool
	wanted  []string       // names that are to be reached as soon as it is parsed
	aliases []alias        // that other packages declare, until it is parsed
	uses    map[*node]bool // packages that the declarations that are kept mention

	promised map[string]bool        // names that outputs for the package are going to declare
	stale    func() map[string]bool // names that outputs of a root declare as they stand

	before  []*node // packages that are checked before
	ordered bool
	checked chan struct{}
	types   *types.Package
	info    *types.Info
	lengths map[*ast.ArrayType]ast.Expr // that stem from C

	syntaxFaults fault.List
	typeFaults   fault.List    // of a dependency, only imports that fail
	doubts       []types.Error // the other errors of a dependency
}

// own reports whether the package belongs to the user, so that outputs in it are
// ours to write.
func (n *node) own() bool {
	return n.folder != nil || n.Module != nil && n.Module.Main
}

// A source is a parsed file of a node, or a stand-in for an output.
type source struct {
	node    *node
	file    *File
	specs   map[ast.Spec]*node // packages by import
	imports map[string]*node   // packages by the name that the file uses
	blank   map[string]*node   // packages of blank imports, by their own name
	dots    []*node            // packages whose names the file uses bare
	missing []*node            // packages that are missing, so that it is not known how the file calls them
	used    map[*node]bool     // packages that what is kept of the file mentions
	cgo     bool               // it imports C
	standIn bool
}

// A unit is a declaration that is kept or dropped as a whole.
type unit struct {
	source  *source
	node    ast.Node // *ast.FuncDecl, *ast.TypeSpec, *ast.ValueSpec, or *ast.GenDecl for a group of constants
	methods []*unit  // of a type
	aliases []*unit  // of a type that hardly anybody else can name
	kept    bool
}

func (l *loader) newSource(n *node, file *File) *source {
	s := &source{node: n, file: file, specs: map[ast.Spec]*node{}, imports: map[string]*node{}, blank: map[string]*node{}, used: map[*node]bool{}}
	for _, spec := range file.Syntax.Imports {
		s.cgo = s.cgo || importsC(spec)
		dep := l.imported(n, spec)
		if dep == nil {
			continue
		}
		s.specs[spec] = dep
		switch name := importName(spec, dep); name {
		case "":
			s.missing = append(s.missing, dep)
		case "_":
			s.blank[dep.Name] = dep
		case ".":
			s.dots = append(s.dots, dep)
		default:
			s.imports[name] = dep
		}
	}
	return s
}

// imported is the package that an import means; nil for what is no package of
// the graph, such as C.
func (l *loader) imported(n *node, spec *ast.ImportSpec) *node {
	name, err := strconv.Unquote(spec.Path.Value)
	if err != nil || n.Imports[name] == nil {
		return nil
	}
	return l.nodes[n.Imports[name].ID]
}

// importName is empty for a package that is missing.
func importName(spec *ast.ImportSpec, dep *node) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	return dep.Name
}

// packageOf is the package that the file may call by a name; nil if there is
// none.
func (s *source) packageOf(name string) *node {
	if dep := s.imports[name]; dep != nil || s.node.units[name] != nil {
		return dep
	}
	for _, dep := range s.missing {
		if strings.Contains(dep.PkgPath, name) {
			return dep
		}
	}
	return nil
}

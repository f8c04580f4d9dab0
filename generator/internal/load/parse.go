package load

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"sync"

	"github.com/resgen-go/resgen/internal/fault"
)

// parse reads the files of a package, and takes them apart.
func (l *loader) parse(n *node) {
	files := n.ownFiles()
	var busy sync.WaitGroup
	faults := make([]fault.List, len(files))
	for i, file := range files {
		busy.Go(func() {
			l.slots <- struct{}{}
			defer func() { <-l.slots }()
			faults[i] = l.parseFile(n, file)
		})
	}
	busy.Wait()
	n.syntaxFaults = slices.Concat(faults...)
	n.units, n.uses, n.promised = map[string][]*unit{}, map[*node]bool{}, map[string]bool{}
	for _, file := range files {
		if file.Syntax != nil {
			l.add(n, file)
		}
	}
	if n.own() {
		l.addStandIns(n)
	}
	n.attachMethods()
}

// add makes a parsed file a source of the package.
func (l *loader) add(n *node, file *File) *source {
	s := l.newSource(n, file)
	n.sources = append(n.sources, s)
	s.index()
	return s
}

// ownFiles are the files that make up the package: those of a root have been
// read already, except for a file that is newer than the search. Such a file may
// be an output, written by a run beside this one.
func (n *node) ownFiles() []*File {
	var files []*File
	for _, path := range n.GoFiles {
		var file *File
		if n.folder != nil {
			file = n.folder.file(path)
		}
		files = append(files, cmp.Or(file, &File{Path: path}))
	}
	return files
}

// parseFile parses one file: of a root with all that is in it, of a dependency
// only what matters to others. An output stays without syntax.
func (l *loader) parseFile(n *node, file *File) fault.List {
	if file.Syntax != nil {
		return nil // by parsePlain
	}
	if file.Src == nil {
		src, err := os.ReadFile(file.Path)
		if err != nil || n.own() && l.cfg.Hooks.IsOutput(file.Path, src) {
			return nil
		}
		file.Src = src
		file.Asks = n.own() && l.cfg.Hooks.Asks(src)
	}
	mode := parser.SkipObjectResolution
	if n.folder != nil || file.Asks {
		mode |= parser.ParseComments
	}
	var err error
	file.Syntax, err = parser.ParseFile(l.fset, file.Path, file.Src, mode)
	if n.folder == nil {
		emptyBodies(file.Syntax)
		dropValues(file.Syntax)
	}
	return syntaxFaults(err)
}

// emptyBodies empties the bodies of functions, which no type depends on.
func emptyBodies(file *ast.File) {
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
			f.Body.List = nil
		}
	}
}

// dropValues takes away the values of variables, as far as the types of the
// variables don't depend on them.
func dropValues(file *ast.File) {
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.VAR {
			continue
		}
		for _, spec := range group.Specs {
			dropValue(spec.(*ast.ValueSpec))
		}
	}
}

func dropValue(spec *ast.ValueSpec) {
	if spec.Type != nil {
		spec.Values = nil
		return
	}
	for _, value := range spec.Values {
		if address, ok := value.(*ast.UnaryExpr); ok && address.Op == token.AND {
			value = address.X
		}
		if literal, ok := value.(*ast.CompositeLit); ok && !countsElements(literal) {
			literal.Elts = nil
		}
	}
}

// countsElements reports whether the type of the literal depends on its elements:
// [...]T.
func countsElements(literal *ast.CompositeLit) bool {
	array, ok := literal.Type.(*ast.ArrayType)
	if !ok {
		return false
	}
	_, ok = array.Len.(*ast.Ellipsis)
	return ok
}

package load

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/resgen-go/resgen/internal/fault"
)

// check type-checks the declarations of the roots and of all they use, each
// package after those that it uses.
func (l *loader) check(roots []*node) {
	for _, n := range inOrder(roots) {
		go func() {
			for _, dep := range n.before {
				<-dep.checked
			}
			l.slots <- struct{}{}
			l.checkNode(n)
			<-l.slots
			close(n.checked)
		}()
	}
	for _, root := range roots {
		<-root.checked
	}
}

// inOrder are the nodes that roots use, each after those that it uses itself. A
// use that closes a cycle is left out.
func inOrder(roots []*node) []*node {
	var order []*node
	var visit func(*node)
	visit = func(n *node) {
		n.checked = make(chan struct{})
		for _, dep := range slices.SortedFunc(maps.Keys(n.uses), byID) {
			if dep.checked == nil {
				visit(dep)
			}
			if dep.ordered {
				n.before = append(n.before, dep)
			}
		}
		n.ordered = true
		order = append(order, n)
	}
	for _, root := range roots {
		if root.checked == nil {
			visit(root)
		}
	}
	return order
}

func byID(a, b *node) int { return cmp.Compare(a.ID, b.ID) }

func (l *loader) checkNode(n *node) {
	conf := types.Config{
		Importer:         importer(func(path string) (*types.Package, error) { return l.importTo(n, path) }),
		IgnoreFuncBodies: true,
		Sizes:            l.sizes,
		Error:            l.report(n),
	}
	if n.folder == nil {
		n.prune()
	} else {
		n.info = newInfo()
		n.hideLengths()
		if n.Module != nil && n.Module.GoVersion != "" {
			conf.GoVersion = "go" + n.Module.GoVersion
		}
	}
	files := make([]*ast.File, len(n.sources))
	for i, s := range n.sources {
		files[i] = s.file.Syntax
	}
	n.types, _ = conf.Check(n.PkgPath, l.fset, files, n.info)
}

func newInfo() *types.Info {
	return &types.Info{
		Defs:      map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{},
		Scopes:    map[ast.Node]*types.Scope{},
		Types:     map[ast.Expr]types.TypeAndValue{},
	}
}

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }

// importTo is the package that n imports by a path. One that n does not use is
// an empty package.
func (l *loader) importTo(n *node, path string) (*types.Package, error) {
	switch path {
	case "unsafe":
		return types.Unsafe, nil
	case "C":
		return n.packageC(), nil
	}
	switch {
	case n.Imports[path] != nil:
	case n.closesCycle():
		return nil, errors.New(importCycle)
	case len(n.Errors) > 0:
		return nil, errors.New(unread)
	default:
		return nil, errors.New("the file was changed while it was read; run resgen again")
	}
	dep := l.nodes[n.Imports[path].ID]
	if len(dep.GoFiles) == 0 && len(dep.Errors) > 0 {
		return nil, errors.New(dep.Errors[0].Msg)
	}
	if l.cfg.Plain && dep.Types != nil {
		return dep.Types, nil
	}
	if n.uses[dep] && dep.types != nil {
		return dep.types, nil
	}
	return empty(dep.PkgPath, dep.Name), nil
}

func empty(path, name string) *types.Package {
	p := types.NewPackage(path, cmp.Or(name, "_"))
	p.MarkComplete()
	return p
}

// report keeps the errors of a package that stand in the way. Of a dependency
// only an import that fails counts for sure, because it has been pruned.
func (l *loader) report(n *node) func(error) {
	kept := false
	return func(err error) {
		e, ok := errors.AsType[types.Error](err)
		if !ok {
			return
		}
		if detail, ok := strings.CutPrefix(e.Msg, "\t"); ok {
			if kept {
				l.addDetail(n, e.Pos, detail)
			}
			return
		}
		switch {
		case isNone(e):
			kept = false
		case n.folder == nil:
			kept = strings.HasPrefix(e.Msg, "could not import ")
			if !kept {
				n.doubts = append(n.doubts, e)
			}
		default:
			kept = !l.mended(n, e) && !n.stemsFromC(e) && !n.misses(e)
		}
		if kept {
			n.typeFaults = append(n.typeFaults, l.typeFault(e))
		}
	}
}

// unread says of an import that the go command has not got to it, because of an
// error that it tells.
const unread = "not read"

// isNone reports whether an error is none. Unused imports are used in bodies,
// which are not looked at, C exports names of all kinds, and the go command tells
// of cycles of imports and of files that it can't read.
func isNone(e types.Error) bool {
	ends := []string{" and not used", " not exported by package C", "(" + importCycle + ")", "(" + unread + ")"}
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(e.Msg, end) })
}

func (l *loader) typeFault(e types.Error) fault.Fault {
	return fault.Fault{Position: l.fset.Position(e.Pos), Message: oneLine(e.Msg)}
}

// addDetail adds a further part of the last error, such as the place of another
// declaration.
func (l *loader) addDetail(n *node, at token.Pos, detail string) {
	position := l.fset.Position(at)
	last := &n.typeFaults[len(n.typeFaults)-1]
	last.Message += fmt.Sprintf(" (%s at %s:%d:%d)", oneLine(detail), filepath.Base(position.Filename), position.Line, position.Column)
}

// mended reports whether an error is for our outputs to mend: it is in a stand-in,
// or about a name that an output declares.
func (l *loader) mended(n *node, e types.Error) bool {
	at := l.fset.File(e.Pos)
	if slices.ContainsFunc(n.sources, func(s *source) bool { return s.standIn && l.fset.File(s.file.Syntax.FileStart) == at }) {
		return true
	}
	if n.clashes(e) {
		return true
	}
	for word := range strings.FieldsFuncSeq(e.Msg, isNoLetter) {
		if n.promised[word] || n.stale()[word] {
			return true
		}
		for dep := range n.uses {
			if dep.promised[word] {
				return true
			}
		}
	}
	return false
}

// clashes reports whether an error is about a method that is called like the field
// of a stand-in, which its output won't have.
func (n *node) clashes(e types.Error) bool {
	return strings.HasPrefix(e.Msg, "field and method with the same name ") && slices.ContainsFunc(n.all, func(u *unit) bool {
		method, ok := u.node.(*ast.FuncDecl)
		return ok && method.Name.Pos() == e.Pos && n.promised[Receiver(method)]
	})
}

// misses reports whether an error is about the name of a package that is missing,
// which its import tells.
func (n *node) misses(e types.Error) bool {
	name, ok := strings.CutPrefix(e.Msg, "undefined: ")
	return ok && slices.ContainsFunc(n.sources, func(s *source) bool { return slices.Contains(s.missing, s.packageOf(name)) })
}

func isNoLetter(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

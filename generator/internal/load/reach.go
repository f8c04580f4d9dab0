package load

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// reach parses the packages that the declarations of the roots need, and keeps
// of each dependency only the declarations that the roots can reach. Parsers
// work at the same time; what they bring is followed here, in one place.
func (l *loader) reach(roots []*node) {
	for _, root := range roots {
		l.queue(root)
	}
	l.followAll()
	for l.queueNaming(roots) {
		l.followAll()
	}
}

// followAll goes on until all that is queued is parsed and followed.
func (l *loader) followAll() {
	for l.parsing > 0 {
		n := <-l.done
		l.parsing--
		n.parsed = true
		l.noteAliases(n)
		if n.folder != nil {
			l.keepAll(n)
		}
		for _, name := range n.wanted {
			l.keep(n.units[name]...)
		}
		l.follow()
	}
}

// queue has a package parsed, once.
func (l *loader) queue(n *node) {
	if n.queued {
		return
	}
	n.queued = true
	l.parsing++
	go func() {
		l.parse(n)
		l.done <- n
	}()
}

// keepAll keeps what a root declares, what its comments name, and what else has
// the names of its stand-ins.
func (l *loader) keepAll(n *node) {
	l.keep(n.all...)
	for _, s := range n.sources {
		for name := range n.promised {
			l.want(s, nil, name)
		}
		if s.file.wants != nil {
			for _, function := range s.file.wants.Functions {
				l.wantFunction(s, function)
			}
		}
	}
}

// wantFunction wants a function that a comment in s names. Where it is of another
// package, any file of the package may import that.
func (l *loader) wantFunction(s *source, function string) {
	pkg, name, qualified := strings.Cut(function, ".")
	if !qualified {
		l.want(s, nil, function)
		return
	}
	for _, from := range s.node.sources {
		l.wantFrom(from, cmp.Or(from.imports[pkg], from.blank[pkg]), name)
	}
}

// keep marks units that have not been kept before, to be followed.
func (l *loader) keep(units ...*unit) {
	for _, u := range units {
		if !u.kept {
			u.kept = true
			l.todo = append(l.todo, u)
		}
	}
}

// follow keeps what the units that are kept mention.
func (l *loader) follow() {
	for len(l.todo) > 0 {
		last := len(l.todo) - 1
		u := l.todo[last]
		l.todo = l.todo[:last]
		l.keep(u.methods...)
		l.keep(u.aliases...)
		ast.Walk(mentions{u.source, func(dep *node, name string) { l.want(u.source, dep, name) }}, u.node)
	}
}

// want keeps a name that file s mentions, as mentions finds it.
func (l *loader) want(s *source, dep *node, name string) {
	if dep != nil {
		l.wantFrom(s, dep, name)
		return
	}
	l.keep(s.node.units[name]...)
	for _, dep := range s.dots {
		l.wantFrom(s, dep, name)
	}
}

// wantFrom wants a name of dep, which file s mentions.
func (l *loader) wantFrom(s *source, dep *node, name string) {
	if dep == nil {
		return
	}
	s.used[dep] = true
	if dep.PkgPath == "unsafe" {
		return
	}
	s.node.uses[dep] = true
	l.queue(dep)
	if dep.parsed {
		l.keep(dep.units[name]...)
	} else {
		dep.wanted = append(dep.wanted, name)
	}
}

// mentions visits the names in a declaration, but not the bodies of functions.
// A bare name comes without a package.
type mentions struct {
	s   *source
	see func(dep *node, name string)
}

func (m mentions) Visit(x ast.Node) ast.Visitor {
	switch x := x.(type) {
	case *ast.FuncDecl:
		if x.Recv != nil {
			ast.Walk(m, x.Recv)
		}
		return m.only(x.Type)
	case *ast.FuncLit:
		return m.only(x.Type)
	case *ast.Field:
		return m.only(x.Type)
	case *ast.SelectorExpr:
		if base, ok := x.X.(*ast.Ident); ok {
			if dep := m.s.packageOf(base.Name); dep != nil {
				m.see(dep, x.Sel.Name)
				return nil
			}
		}
		return m.only(x.X)
	case *ast.Ident:
		m.see(nil, x.Name)
		return nil
	}
	return m
}

// only visits x instead of all the parts of its parent.
func (m mentions) only(x ast.Expr) ast.Visitor {
	if x != nil {
		ast.Walk(m, x)
	}
	return nil
}

// prune leaves in the syntax of a dependency only what is kept.
func (n *node) prune() {
	kept := map[ast.Node]bool{}
	for _, u := range n.all {
		kept[u.node] = u.kept
	}
	for _, s := range n.sources {
		s.file.Syntax.Decls = slices.DeleteFunc(s.file.Syntax.Decls, func(decl ast.Decl) bool {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok == token.CONST {
				return !kept[decl]
			}
			group.Specs = slices.DeleteFunc(group.Specs, func(spec ast.Spec) bool {
				return !kept[spec] && !s.used[s.specs[spec]] && !importsC(spec)
			})
			return len(group.Specs) == 0
		})
	}
}

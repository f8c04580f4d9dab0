package outputs

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"sync"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/generator/internal/load"
	"github.com/resgen-go/resgen/internal/fault"
)

// Reader reads the directives of files. The zero Reader is ready to use, by several
// goroutines at a time.
type Reader struct {
	mu   sync.Mutex
	read map[*load.File]directives.Reading
}

// Hooks have the loader see what the outputs are going to declare in place of what
// they declare now.
func (r *Reader) Hooks() load.Hooks {
	return load.Hooks{Asks: directives.Asks, IsOutput: IsOutput, OutputPath: Path, Read: r.wants}
}

// Directives are those of a file that asks, and has syntax.
func (r *Reader) Directives(fset *token.FileSet, file *load.File) directives.Reading {
	r.mu.Lock()
	found, known := r.read[file]
	r.mu.Unlock()
	if known {
		return found
	}
	found = directives.Parse(fset, file.Syntax, file.Src)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.read == nil {
		r.read = map[*load.File]directives.Reading{}
	}
	r.read[file] = found
	return found
}

// wants are the wrappers of a file, and the functions that its directives name.
func (r *Reader) wants(fset *token.FileSet, file *load.File) (wants load.Wants) {
	for _, i := range annotated(fset, file, r.Directives(fset, file)) {
		wants.StandIns = append(wants.StandIns, standIns(fset, file, i)...)
		for _, d := range i.All() {
			for _, arg := range d.Args {
				for _, ref := range arg.Refs {
					if arg.Form.IsCode() {
						wants.Functions = append(wants.Functions, ref.Text)
					}
					if count := ref.Count.Expr; count != "" {
						wants.Functions = append(wants.Functions, count)
					}
				}
			}
		}
	}
	return wants
}

// annotated are the interfaces in a file that have directives, and the types
// whose only one is at fault: where their wrapper is mentioned, that is not the
// mistake.
func annotated(fset *token.FileSet, file *load.File, read directives.Reading) []directives.Interface {
	all, faults := read.Interfaces, slices.Concat(read.Faults, read.Guesses)
	if len(faults) == 0 {
		return all
	}
	line := func(pos token.Pos) int { return directives.Position(fset, pos).Line }
	for _, decl := range file.Syntax.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.TYPE {
			continue
		}
		for _, spec := range group.Specs {
			spec := spec.(*ast.TypeSpec)
			known := slices.ContainsFunc(all, func(i directives.Interface) bool { return i.Spec == spec })
			from, to := line(begin(group, spec)), line(spec.End())
			within := func(f fault.Fault) bool { return from <= f.Position.Line && f.Position.Line <= to }
			if !known && slices.ContainsFunc(faults, within) {
				all = append(slices.Clip(all), directives.Interface{Spec: spec})
			}
		}
	}
	return all
}

// begin is where a type begins, with its doc comment.
func begin(group *ast.GenDecl, spec *ast.TypeSpec) token.Pos {
	switch {
	case spec.Doc != nil:
		return spec.Doc.Pos()
	case !group.Lparen.IsValid() && group.Doc != nil:
		return group.Doc.Pos()
	}
	return spec.Pos()
}

// standIns stand in for the wrapper of an interface: a struct type that embeds the
// interface, and its constructor.
func standIns(fset *token.FileSet, file *load.File, i directives.Interface) []load.StandIn {
	typ, constructor := Wrapper(i)
	params, args := typeParams(fset, file, i.Spec)
	of := i.Spec.Name.Name + args
	return []load.StandIn{
		{Name: typ, Text: fmt.Sprintf("type %s%s struct{ %s }\n", typ, params, of)},
		{Name: constructor, Text: fmt.Sprintf("func %s%s(next %s, registry any) (*%s%s, error)\n", constructor, params, of, typ, args)},
	}
}

// typeParams are the type parameters of a type as text, and its type arguments
// where it is used with them.
func typeParams(fset *token.FileSet, file *load.File, spec *ast.TypeSpec) (params, args string) {
	if spec.TypeParams == nil {
		return "", ""
	}
	var names []string
	for _, field := range spec.TypeParams.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	params = string(file.Text(fset, spec.TypeParams.Pos(), spec.TypeParams.End()))
	return params, "[" + strings.Join(names, ", ") + "]"
}

// Wrapper are the names that an output declares for an interface: those of the
// wrapper type and of its constructor.
func Wrapper(i directives.Interface) (typ, constructor string) {
	named, _ := i.Directives.Get(directives.Wrapper)
	return Names(i.Spec.Name.Name, named.Name().Text)
}

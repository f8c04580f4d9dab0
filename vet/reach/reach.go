// Package reach sets the guards that entries declare beside those that the calls
// under them reach, across the packages of a run.
//
// It owns the calls between functions: it takes every call that is written for
// one that may be made, a call through an interface of these packages for one of
// each type of theirs that implements it, and a function that is handed to others
// for one that is called. So it shows more than is certain, and reports nothing.
package reach

import (
	"cmp"
	"errors"
	"fmt"
	"go/types"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/resgen-go/resgen/vet/internal/entries"
	"github.com/resgen-go/resgen/vet/internal/guards"
)

// Write writes the entries of packages, which patterns name as for the go command.
// Functions of other packages are not followed.
func Write(w io.Writer, patterns ...string) error {
	known, found, err := load(patterns)
	if err != nil {
		return err
	}
	p := newProgram(known)
	for _, e := range found {
		write(w, e, p.rows(e))
	}
	writeMissing(w, known, found)
	return nil
}

// load finds the packages, and the entries in them in the order of the source.
func load(patterns []string) (map[*types.Package]*guards.Package, []*entries.Entry, error) {
	list, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, patterns...)
	if err != nil {
		return nil, nil, err
	}
	for _, pkg := range list {
		if len(pkg.Errors) > 0 {
			return nil, nil, pkg.Errors[0]
		}
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{guards.Analyzer, entries.Analyzer}, list, nil)
	if err != nil {
		return nil, nil, err
	}
	known, found := map[*types.Package]*guards.Package{}, []*entries.Entry(nil)
	for _, action := range graph.Roots {
		switch result := action.Result.(type) {
		case *guards.Package:
			known[result.Pkg] = result
		case []*entries.Entry:
			found = append(found, result...)
		}
		err = errors.Join(err, action.Err)
	}
	slices.SortFunc(found, func(a, b *entries.Entry) int {
		return cmp.Or(cmp.Compare(a.Pkg.Path(), b.Pkg.Path()), cmp.Compare(a.Decl.Pos(), b.Decl.Pos()))
	})
	return known, found, err
}

// write writes one entry.
func write(w io.Writer, e *entries.Entry, rows map[key]*row) {
	fmt.Fprintf(w, "%s.%s at %s\n", e.Pkg.Path(), e, e.Fset.Position(e.Decl.Pos()))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, k := range slices.SortedFunc(maps.Keys(rows), key.compare) {
		r := rows[k]
		fmt.Fprintf(table, "  %s %s\t%s\t%s\t%s\n", k.kind, k.name, r.declaration(), r.reach(), cmp.Or(r.way, "–"))
	}
	table.Flush()
	fmt.Fprintln(w)
}

func (r *row) declaration() string {
	switch {
	case r.declared == "":
		return "NOT DECLARED"
	case r.declared == "check" && r.n == 0:
		return r.declared
	case r.n == 0:
		return r.declared + " n"
	}
	return fmt.Sprintf("%s %d", r.declared, r.n)
}

func (r *row) reach() string {
	if r.calls.n == 0 {
		return "NOT REACHED"
	}
	return "calls: " + r.calls.String()
}

// writeMissing names the anticipated methods of which no implementation is known.
func writeMissing(w io.Writer, known map[*types.Package]*guards.Package, found []*entries.Entry) {
	implemented := map[string]bool{}
	for _, e := range found {
		implemented[e.Of.Pkg().Path()+"."+e.String()] = true
	}
	var missing []string
	for _, pkg := range known {
		for obj, g := range pkg.Known {
			for _, m := range g.Methods {
				name := obj.Pkg().Path() + "." + obj.Name() + "." + m.Name
				if obj.Pkg() == pkg.Pkg && m.Entry && g.Name == g.Interface && !implemented[name] {
					missing = append(missing, name)
				}
			}
		}
	}
	slices.Sort(missing)
	for _, name := range missing {
		fmt.Fprintf(w, "%s: no implementation is known; var _ Interface = (*type)(nil) beside the type makes it one\n", name)
	}
}

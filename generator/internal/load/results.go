package load

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/resgen-go/resgen/internal/fault"
)

// packages are the results for all that was found, sorted by folder.
func (f *findings) packages(l *loader) []*Package {
	all := slices.Clone(f.failed)
	for _, folder := range f.folders {
		all = append(all, l.results(folder)...)
	}
	slices.SortStableFunc(all, func(a, b *Package) int { return cmp.Or(cmp.Compare(a.Dir, b.Dir), cmp.Compare(a.Path, b.Path)) })
	return all
}

// results are the packages of a folder.
func (l *loader) results(f *folder) []*Package {
	primary := &Package{Dir: f.dir, Fset: l.fset, Outputs: f.outputs}
	results := []*Package{primary}
	got := l.picks[f]
	if got == nil {
		primary.Faults = f.unread(l.cfg.Hooks)
		return results
	}
	if got.primary != nil {
		l.fill(primary, f, got.primary)
	}
	if got.primary == nil && got.external == nil {
		primary.Faults = fault.List{{Message: "the go command lists no package in " + f.dir}}
	}
	if got.external != nil {
		external := &Package{Dir: f.dir, Fset: l.fset, External: true}
		l.fill(external, f, got.external)
		results = append(results, external)
	}
	primary.Ignored = f.ignored(results)
	primary.Faults = append(primary.Faults, f.unread(l.cfg.Hooks)...).Sorted()
	return results
}

// ignored are the files that ask, but are in none of the packages.
func (f *folder) ignored(packages []*Package) []*File {
	var ignored []*File
	for _, file := range f.files {
		used := slices.ContainsFunc(packages, func(p *Package) bool { return slices.Contains(p.Files, file) })
		if file.Asks && !used {
			ignored = append(ignored, file)
		}
	}
	return ignored
}

// fill puts into result what is known of p.
func (l *loader) fill(result *Package, f *folder, p *packages.Package) {
	n := l.nodes[p.ID]
	if !isLocal(p.PkgPath) { // else the go command knows no better than the pattern
		result.Path = p.PkgPath
	}
	if m := p.Module; m != nil {
		result.Module = &Module{Path: m.Path, Dir: m.Dir}
	}
	for _, file := range f.files {
		if slices.Contains(p.GoFiles, file.Path) {
			result.Files = append(result.Files, file)
		}
	}
	if n.folder != nil {
		result.Types, result.Info, result.Lengths = n.types, n.info, n.lengths
	}
	result.Faults = l.faults(n, f)
	if l.doubtful() {
		result.Below = l.doubtsBelow(n)
	}
}

// faults are all that is wrong with a package. One without a position only
// counts if there is no better.
func (l *loader) faults(n *node, f *folder) fault.List {
	var bare fault.List
	faults := n.compileFaults()
	for _, found := range append(l.listFaults(n), l.cycles(n)...) {
		switch found = l.placed(n, found); {
		case f.wild && strings.Contains(found.Message, allExcluded):
		case found.Position.Filename == "":
			bare = append(bare, found)
		default:
			faults = append(faults, found)
		}
	}
	if l.troubled() {
		for _, dep := range below(n, isDependency, map[*node]bool{}) {
			faults = append(faults, l.faultsOfDependency(dep)...)
		}
	}
	if len(faults) == 0 {
		faults = bare
	}
	return faults.Sorted()
}

// allExcluded is what the go command says of a folder that a wildcard would not
// mean at all.
const allExcluded = "build constraints exclude all Go files"

// compileFaults are what the parser finds, else what the type checker finds.
func (n *node) compileFaults() fault.List {
	if len(n.syntaxFaults) > 0 {
		return slices.Clone(n.syntaxFaults)
	}
	return slices.Clone(n.typeFaults)
}

// anyTrouble reports whether there is something to tell of a dependency.
func (l *loader) anyTrouble() bool {
	for _, n := range l.nodes {
		if n.folder == nil && len(n.syntaxFaults)+len(n.typeFaults)+len(n.Errors) > 0 {
			return true
		}
	}
	return false
}

// anyDoubt reports whether something may be wrong with a package.
func (l *loader) anyDoubt() bool {
	for _, n := range l.nodes {
		if len(n.doubts)+len(n.compileFaults()) > 0 {
			return true
		}
	}
	return false
}

// below are the packages that n uses, and those that these use, as far as they
// are wanted.
func below(n *node, wanted func(*node) bool, seen map[*node]bool) []*node {
	var nodes []*node
	for _, dep := range slices.SortedFunc(maps.Keys(n.uses), byID) {
		if wanted(dep) && !seen[dep] {
			seen[dep] = true
			nodes = append(append(nodes, dep), below(dep, wanted, seen)...)
		}
	}
	return nodes
}

// isDependency reports whether a package is no root. The faults of a root are told
// with itself.
func isDependency(n *node) bool { return n.folder == nil }

func isAny(*node) bool { return true }

func (l *loader) faultsOfDependency(n *node) fault.List {
	faults := n.compileFaults()
	if len(n.GoFiles) > 0 { // else its importer tells
		for _, found := range l.listFaults(n) {
			faults = append(faults, l.placed(n, found))
		}
	}
	return faults
}

// doubtsBelow are the other errors in the packages that n uses, and all of
// those in roots.
func (l *loader) doubtsBelow(n *node) fault.List {
	var faults fault.List
	for _, dep := range below(n, isAny, map[*node]bool{}) {
		if !isDependency(dep) {
			faults = append(faults, dep.compileFaults()...)
		}
		for _, e := range dep.doubts {
			if !dep.stemsFromC(e) {
				faults = append(faults, l.typeFault(e))
			}
		}
	}
	return faults.Sorted()
}

// listFaults are the faults that the go command finds with a package, but for
// those in outputs of ours.
func (l *loader) listFaults(n *node) fault.List {
	return slices.DeleteFunc(l.cfg.listFaults(n.Package), func(found fault.Fault) bool {
		src, err := os.ReadFile(found.Position.Filename)
		return err == nil && n.own() && l.cfg.Hooks.IsOutput(found.Position.Filename, src)
	})
}

// listFaults are the faults that the go command finds with a package.
func (c Config) listFaults(p *packages.Package) fault.List {
	var faults fault.List
	for _, e := range p.Errors {
		if e.Kind == packages.ListError { // the other kinds are found here, without what our outputs would mend
			faults = append(faults, ofFile(p.Dir, listFault(c.Dir, e)))
		}
	}
	return faults
}

// importCycle begins what the go command says of a cycle, with the packages in
// it. It says so of one of them only, which then lacks the import that closes
// the cycle.
const importCycle = "import cycle not allowed"

func (n *node) closesCycle() bool {
	return slices.ContainsFunc(n.Errors, func(e packages.Error) bool { return strings.HasPrefix(e.Msg, importCycle) })
}

// cycles are the cycles that n is in, whatever package the go command tells
// them of.
func (l *loader) cycles(n *node) fault.List {
	var faults fault.List
	for _, other := range l.nodes {
		if other == n || !other.closesCycle() {
			continue
		}
		for _, found := range l.listFaults(other) {
			if strings.HasPrefix(found.Message, importCycle) && speaksOf(found, n.PkgPath) {
				faults = append(faults, found)
			}
		}
	}
	return faults
}

// placed gives a fault without a position the position of an import that it
// speaks of.
func (l *loader) placed(n *node, found fault.Fault) fault.Fault {
	if found.Position.Filename != "" {
		return found
	}
	for _, s := range n.sources {
		for _, spec := range s.file.Syntax.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if dep := s.specs[spec]; dep != nil {
				path = dep.PkgPath
			}
			if speaksOf(found, path) {
				found.Position = l.fset.Position(spec.Path.Pos())
				return found
			}
		}
	}
	return found
}

func speaksOf(found fault.Fault, path string) bool {
	return slices.Contains(strings.FieldsFunc(found.Message, isBlankOrBracket), path)
}

func isBlankOrBracket(r rune) bool { return strings.ContainsRune(" []()", r) }

package load

import (
	"cmp"
	"go/token"
	"go/types"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

// A loader loads the packages of one call.
type loader struct {
	cfg   Config
	fset  *token.FileSet
	sizes types.Sizes
	nodes map[string]*node // by ID
	picks map[*folder]*pick
	slots chan struct{} // bounds the work that is done at one time

	done    chan *node // packages that have been parsed
	parsing int        // packages that are still to come
	todo    []*unit    // units that are kept, but not followed yet
}

func newLoader(cfg Config) *loader {
	return &loader{
		cfg:   cfg,
		fset:  token.NewFileSet(),
		sizes: types.SizesFor("gc", cmp.Or(cfg.getenv("GOARCH"), runtime.GOARCH)),
		nodes: map[string]*node{},
		slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
		done:  make(chan *node),
	}
}

// load loads the packages of the folders.
func (l *loader) load(folders []*folder) error {
	if len(folders) == 0 {
		return nil
	}
	listed, err := l.cfg.graph(l.fset, folders)
	if err != nil {
		return err
	}
	l.picks = choose(folders, listed)
	packages.Visit(listed, nil, func(p *packages.Package) { l.nodes[p.ID] = &node{Package: p} })
	roots := l.roots(folders)
	if l.cfg.Plain {
		l.parseAll(roots)
	} else {
		l.reach(roots)
	}
	l.check(roots)
	return nil
}

// roots are the nodes of the packages that are wanted and in which a file asks.
func (l *loader) roots(folders []*folder) []*node {
	var roots []*node
	for _, f := range folders {
		for _, p := range []*packages.Package{l.picks[f].primary, l.picks[f].external} {
			if p != nil && f.asksIn(p) {
				n := l.nodes[p.ID]
				n.folder = f
				roots = append(roots, n)
			}
		}
	}
	return roots
}

// parseAll parses the roots alone: their dependencies have types already.
func (l *loader) parseAll(roots []*node) {
	var busy sync.WaitGroup
	for _, root := range roots {
		busy.Go(func() { l.parse(root) })
	}
	busy.Wait()
}

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
		return results
	}
	if got.primary != nil {
		l.fill(primary, f, got.primary)
	}
	if got.external != nil {
		external := &Package{Dir: f.dir, Fset: l.fset, External: true}
		l.fill(external, f, got.external)
		results = append(results, external)
	}
	primary.Ignored = f.ignored(results)
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

// fill tells in result what is known of p.
func (l *loader) fill(result *Package, f *folder, p *packages.Package) {
	n := l.nodes[p.ID]
	result.Path, result.Name = p.PkgPath, p.Name
	if m := p.Module; m != nil {
		result.Module = &Module{Path: m.Path, Dir: m.Dir, GoVersion: m.GoVersion}
	}
	for _, file := range f.files {
		if slices.Contains(p.GoFiles, file.Path) {
			result.Files = append(result.Files, file)
		}
	}
	result.Types, result.Info = n.types, n.info
	result.Faults = l.faults(n, f)
}

const allExcluded = "build constraints exclude all Go files"

// faults are all that is wrong with a package. One without a position only counts if there is no better.
func (l *loader) faults(n *node, f *folder) []Fault {
	faults := slices.Concat(n.faults, n.faultsBelow(map[*node]bool{}))
	var bare []Fault
	for _, fault := range l.cfg.listFaults(n.Package) {
		switch {
		case f.wild && strings.Contains(fault.Message, allExcluded):
		case fault.Position.IsValid():
			faults = append(faults, fault)
		default:
			bare = append(bare, fault)
		}
	}
	if len(faults) == 0 {
		faults = bare
	}
	return sortFaults(faults)
}

// faultsBelow are the faults of the packages that n uses.
func (n *node) faultsBelow(seen map[*node]bool) []Fault {
	var faults []Fault
	for dep := range n.uses {
		if dep.folder == nil && !seen[dep] {
			seen[dep] = true
			faults = append(faults, dep.faults...)
			faults = append(faults, dep.faultsBelow(seen)...)
		}
	}
	return faults
}

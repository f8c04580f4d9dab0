package load

import (
	"cmp"
	"slices"

	"golang.org/x/tools/go/packages"
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
	result.Name = p.Name
	if !isLocal(p.PkgPath) { // else the go command knows no better than the pattern
		result.Path = p.PkgPath
	}
	if m := p.Module; m != nil {
		result.Module = &Module{Path: m.Path, Dir: m.Dir, GoVersion: m.GoVersion}
	}
	for _, file := range f.files {
		if slices.Contains(p.GoFiles, file.Path) {
			result.Files = append(result.Files, file)
		}
	}
	if n.folder != nil {
		result.Types, result.Info = n.types, n.info
	}
	result.Faults = l.faults(n, f)
}

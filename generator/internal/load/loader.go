package load

import (
	"cmp"
	"go/token"
	"go/types"
	"runtime"
	"sync"

	"golang.org/x/tools/go/packages"
)

// A loader loads the packages of one call.
type loader struct {
	cfg     Config
	fset    *token.FileSet
	sizes   types.Sizes
	folders []*folder
	nodes   map[string]*node // by ID
	picks   map[*folder]*pick
	slots   chan struct{} // bounds the work that is done at one time

	done    chan *node // packages that have been parsed
	parsing int        // packages that are still to come
	todo    []*unit    // units that are kept, but not followed yet

	troubled func() bool // whether there is something to tell of a dependency
	doubtful func() bool // whether there may be
}

func newLoader(cfg Config) *loader {
	l := &loader{
		cfg:   cfg,
		fset:  token.NewFileSet(),
		sizes: types.SizesFor("gc", cmp.Or(cfg.getenv("GOARCH"), runtime.GOARCH)),
		nodes: map[string]*node{},
		slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
		done:  make(chan *node),
	}
	l.troubled, l.doubtful = sync.OnceValue(l.anyTrouble), sync.OnceValue(l.anyDoubt)
	return l
}

// load loads the packages of the folders.
func (l *loader) load(folders []*folder) error {
	if len(folders) == 0 {
		return nil
	}
	listed, err := l.graph(folders)
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
				n.folder, n.stale = f, sync.OnceValue(f.declared)
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

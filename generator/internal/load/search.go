package load

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/resgen-go/resgen/internal/fault"
)

// findings are what a search found.
type findings struct {
	folders []*folder  // sorted by dir
	failed  []*Package // patterns that mean no folder
}

// asking are the folders whose packages must be loaded.
func (f *findings) asking() []*folder {
	return slices.DeleteFunc(slices.Clone(f.folders), func(f *folder) bool { return !f.asks() })
}

// search finds the folders that the patterns mean and that have something to do
// with us. Patterns that are plain folders cost no go command. What another
// pattern means, or one where our own reading could be wrong, the go command is
// asked.
func search(cfg Config, patterns []string) (*findings, error) {
	s := &searcher{cfg: cfg, folders: map[string]*folder{}, slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
	var hard []string
	for _, pattern := range patterns {
		if strings.HasSuffix(pattern, ".go") {
			return nil, fmt.Errorf("%s is a file: name its folder", pattern)
		}
		if !s.plain(pattern) {
			hard = append(hard, pattern)
		}
	}
	if len(hard) > 0 {
		if err := s.ask(hard); err != nil {
			return nil, err
		}
	}
	return s.findings(), nil
}

type searcher struct {
	cfg   Config
	slots chan struct{} // bounds the folders that are read at one time
	busy  sync.WaitGroup

	mu       sync.Mutex
	folders  map[string]*folder
	troubles []*Package // folders that could not be read
	failed   []*Package // folders and patterns that are told as they are
}

func (s *searcher) findings() *findings {
	f := &findings{failed: s.failed}
	for _, folder := range s.folders {
		f.folders = append(f.folders, folder)
	}
	slices.SortFunc(f.folders, func(a, b *folder) int { return cmp.Compare(a.dir, b.dir) })
	return f
}

// plain searches the folders of a pattern such as . or ./x or ./x/... by
// itself. It reports whether the go command would mean the same by the pattern for
// sure; if not, it has added folders that are to be looked at again.
func (s *searcher) plain(pattern string) bool {
	root, wild := strings.CutSuffix(filepath.ToSlash(pattern), "/...")
	if !isLocal(root) || strings.Contains(root, "...") || s.cfg.getenv("GO111MODULE") == "off" {
		return false
	}
	dir := s.abs(root)
	if wild && (skipped(filepath.Base(filepath.Clean(root))) || !plainModule(dir)) {
		return false
	}
	found := s.walk(&folder{dir: dir, pattern: strings.TrimSuffix(root, "/"), wild: wild, named: !wild}, true)
	s.busy.Wait()
	inDoubt := len(s.troubles) > 0
	s.troubles = nil
	return found && !inDoubt
}

func isLocal(pattern string) bool {
	return pattern == "." || pattern == ".." || strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, "../") || filepath.IsAbs(pattern)
}

func (s *searcher) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(s.cfg.Dir, path)
}

// skipped are the folders that no wildcard means.
func skipped(name string) bool {
	if name == "." || name == ".." {
		return false
	}
	return name[0] == '.' || name[0] == '_' || name == "testdata" || name == "vendor"
}

// plainModule reports whether dir is in a module whose go.mod leaves no folders
// out of wildcards.
func plainModule(dir string) bool {
	for {
		src, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			return !bytes.Contains(src, []byte("ignore"))
		}
		parent := filepath.Dir(dir)
		if parent == dir || !os.IsNotExist(err) {
			return false
		}
		dir = parent
	}
}

// walk reads the Go files of a folder, and of one that is wild those of the
// folders below it that are in the same module. It reports whether the folder can
// be read and, unless it is wild, has Go files.
func (s *searcher) walk(f *folder, top bool) bool {
	entries, err := os.ReadDir(f.dir)
	if err != nil && (top || !errors.Is(err, fs.ErrNotExist)) { // else somebody removed it just now
		s.trouble(f.dir, err)
		return false
	}
	if !top && slices.ContainsFunc(entries, isModFile) {
		return true
	}
	var sources []os.DirEntry
	for _, entry := range entries {
		name := entry.Name()
		if f.wild && entry.IsDir() && !skipped(name) {
			s.walk(&folder{dir: filepath.Join(f.dir, name), pattern: f.pattern + "/" + name, wild: true}, false)
		}
		if isGoFile(f.dir, entry) {
			sources = append(sources, entry)
		}
	}
	meant := f.wild || len(sources) > 0
	if len(sources) > 0 {
		s.read(f, sources) // from now on f belongs to the read
	}
	return meant
}

func isModFile(entry os.DirEntry) bool { return entry.Name() == "go.mod" && !entry.IsDir() }

// isGoFile reports whether the go command reads an entry of a folder, or tries
// to: of all that is named like a Go file, it passes over folders only.
func isGoFile(dir string, entry os.DirEntry) bool {
	name := entry.Name()
	if !strings.HasSuffix(name, ".go") || name[0] == '.' || name[0] == '_' {
		return false
	}
	if entry.Type() != os.ModeSymlink {
		return !entry.IsDir()
	}
	info, err := os.Stat(filepath.Join(dir, name))
	return err != nil || !info.IsDir()
}

// read reads the files of a folder while the search goes on, and keeps the
// folder if it has something to do with us.
func (s *searcher) read(f *folder, sources []os.DirEntry) {
	s.slots <- struct{}{}
	s.busy.Go(func() {
		defer func() { <-s.slots }()
		if err := f.read(sources, s.cfg.Hooks); err != nil {
			s.trouble(f.dir, err)
			return
		}
		if f.asks() || len(f.outputs) > 0 || len(f.unread(s.cfg.Hooks)) > 0 {
			s.keep(f)
		}
	})
}

// trouble keeps why a folder can't be read. The go command may know better
// whether the folder is meant at all, but would wait for a file that is none.
func (s *searcher) trouble(dir string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	failed := &Package{Dir: dir, Faults: fault.List{readFault(err)}}
	if errors.Is(err, errNoFile) {
		s.failed = append(s.failed, failed)
	} else {
		s.troubles = append(s.troubles, failed)
	}
}

func (s *searcher) keep(f *folder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.folders[f.dir]; old != nil {
		f.wild = f.wild && old.wild
	}
	s.folders[f.dir] = f
}

// ask lets the go command say which folders the patterns mean.
func (s *searcher) ask(patterns []string) error {
	listed, err := s.cfg.list(s.cfg.driver(packages.NeedName|packages.NeedFiles, nil), patterns)
	if err != nil {
		return err
	}
	named := !slices.ContainsFunc(patterns, meansMany)
	for _, p := range listed {
		if len(p.Errors) > 0 && !hasGoFiles(p.Dir) {
			s.failed = append(s.failed, &Package{Path: p.PkgPath, Dir: p.Dir, Faults: s.cfg.listFaults(p)})
			continue
		}
		s.busy.Go(func() { s.walk(&folder{dir: p.Dir, pattern: p.PkgPath, named: named}, true) })
	}
	s.busy.Wait()
	s.failed = append(s.failed, s.troubles...)
	return nil
}

// meansMany reports whether a pattern may mean more than one package.
func meansMany(pattern string) bool {
	return strings.Contains(pattern, "...") || slices.Contains([]string{"all", "cmd", "std", "tool", "work"}, pattern)
}

func hasGoFiles(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return isGoFile(dir, e) })
}

package load

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
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
	failed   []*Package
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
// itself. It says whether the go command would mean the same by the pattern for
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
	found := s.walk(dir, strings.TrimSuffix(root, "/"), wild, true)
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

// plainModule says whether dir is in a module whose go.mod leaves no folders
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

// walk reads the Go files of a folder, and with wild those of the folders below
// it that are in the same module. It says whether the folder can be read and,
// without wild, has Go files.
func (s *searcher) walk(dir, pattern string, wild, top bool) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		s.trouble(dir, err)
		return false
	}
	if !top && slices.ContainsFunc(entries, isModFile) {
		return true
	}
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		if wild && entry.IsDir() && !skipped(name) {
			s.walk(filepath.Join(dir, name), pattern+"/"+name, wild, false)
		}
		if isGoFile(dir, entry) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		s.read(&folder{dir: dir, pattern: pattern, wild: wild}, names)
	}
	return wild || len(names) > 0
}

func isModFile(entry os.DirEntry) bool { return entry.Name() == "go.mod" && !entry.IsDir() }

func isGoFile(dir string, entry os.DirEntry) bool {
	name := entry.Name()
	if !strings.HasSuffix(name, ".go") || name[0] == '.' || name[0] == '_' {
		return false
	}
	if entry.Type() != os.ModeSymlink {
		return entry.Type().IsRegular()
	}
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && info.Mode().IsRegular()
}

// read reads the files of a folder while the search goes on, and keeps the
// folder if it has something to do with us.
func (s *searcher) read(f *folder, names []string) {
	s.slots <- struct{}{}
	s.busy.Go(func() {
		defer func() { <-s.slots }()
		if err := f.read(names); err != nil {
			s.trouble(f.dir, err)
			return
		}
		if f.asks() || len(f.outputs) > 0 {
			s.keep(f)
		}
	})
}

func (s *searcher) trouble(dir string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.troubles = append(s.troubles, &Package{Dir: dir, Faults: []Fault{{Message: err.Error()}}})
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
	listed, err := packages.Load(s.cfg.driver(packages.NeedName|packages.NeedFiles, nil), patterns...)
	if err != nil {
		return commandError(s.cfg.Dir, err)
	}
	for _, p := range listed {
		if len(p.Errors) > 0 && !hasGoFiles(p.Dir) {
			s.failed = append(s.failed, &Package{Path: p.PkgPath, Dir: p.Dir, Faults: s.cfg.listFaults(p)})
			continue
		}
		s.busy.Go(func() { s.walk(p.Dir, p.PkgPath, false, true) })
	}
	s.busy.Wait()
	s.failed = append(s.failed, s.troubles...)
	return nil
}

func hasGoFiles(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return isGoFile(dir, e) })
}

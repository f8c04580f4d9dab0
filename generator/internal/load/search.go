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

// A folder has something to do with us: a file that asks, or one that is ours.
type folder struct {
	dir     string
	pattern string  // names its package to the go command
	wild    bool    // only a wildcard asked for it
	files   []*File // not ours
	outputs []*File
}

func (f *folder) asks() bool { return slices.ContainsFunc(f.files, (*File).asks) }

func (f *folder) testsAsk() bool {
	return slices.ContainsFunc(f.files, func(f *File) bool { return f.Test && f.Asks })
}

func (f *File) asks() bool { return f.Asks }

// findings are what a search found.
type findings struct {
	folders []*folder  // sorted by dir
	failed  []*Package // patterns that mean no folder
}

// asking are the folders whose packages must be loaded.
func (f *findings) asking() []*folder {
	return slices.DeleteFunc(slices.Clone(f.folders), func(f *folder) bool { return !f.asks() })
}

// search finds the folders that the patterns mean and that have something to do with us. Patterns that are plain folders
// cost no go command. What another pattern means, or one where our own reading could be wrong, the go command is asked.
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

	mu      sync.Mutex
	folders map[string]*folder
	doubt   bool
	failed  []*Package
}

func (s *searcher) findings() *findings {
	f := &findings{failed: s.failed}
	for _, folder := range s.folders {
		f.folders = append(f.folders, folder)
	}
	slices.SortFunc(f.folders, func(a, b *folder) int { return cmp.Compare(a.dir, b.dir) })
	return f
}

// plain searches the folders of a pattern such as . or ./x or ./x/... by itself. It says whether the go command would mean
// the same by the pattern for sure; if not, it has added folders that are to be looked at again.
func (s *searcher) plain(pattern string) bool {
	root, wild := strings.CutSuffix(filepath.ToSlash(pattern), "/...")
	if !isLocal(root) || strings.Contains(root, "...") || s.cfg.getenv("GO111MODULE") == "off" {
		return false
	}
	dir := s.abs(root)
	if wild && (skipped(filepath.Base(filepath.Clean(root))) || !plainModule(dir)) {
		return false
	}
	s.doubt = false
	found := s.walk(dir, strings.TrimSuffix(root, "/"), wild, true)
	s.busy.Wait()
	return found && !s.doubt
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

// plainModule says whether dir is in a module whose go.mod leaves no folders out of wildcards.
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

// walk reads the Go files of a folder, and with wild those of the folders below it that are in the same module. It says
// whether the folder can be read and, without wild, has Go files.
func (s *searcher) walk(dir, pattern string, wild, top bool) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		s.inDoubt()
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
		if !entry.IsDir() && isGoFile(name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		s.read(&folder{dir: dir, pattern: pattern, wild: wild}, names)
	}
	return wild || len(names) > 0
}

func isModFile(entry os.DirEntry) bool { return entry.Name() == "go.mod" && !entry.IsDir() }

func isGoFile(name string) bool {
	return strings.HasSuffix(name, ".go") && name[0] != '.' && name[0] != '_'
}

// read reads the files of a folder while the search goes on, and keeps the folder if it has something to do with us.
func (s *searcher) read(f *folder, names []string) {
	s.slots <- struct{}{}
	s.busy.Go(func() {
		defer func() { <-s.slots }()
		if err := f.read(names); err != nil {
			s.inDoubt()
			return
		}
		if f.asks() || len(f.outputs) > 0 {
			s.keep(f)
		}
	})
}

func (s *searcher) inDoubt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doubt = true
}

func (s *searcher) keep(f *folder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.folders[f.dir]; old != nil {
		f.wild = f.wild && old.wild
	}
	s.folders[f.dir] = f
}

func (f *folder) read(names []string) error {
	for _, name := range names {
		path := filepath.Join(f.dir, name)
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file := &File{Path: path, Src: src, Test: strings.HasSuffix(name, "_test.go")}
		if isOutput(path, src) {
			f.outputs = append(f.outputs, file)
			continue
		}
		file.Asks = asks(src)
		f.files = append(f.files, file)
	}
	return nil
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
	return nil
}

func hasGoFiles(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return isGoFile(e.Name()) })
}

package load

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/resgen-go/resgen/internal/fault"
)

// driver is the configuration for asking the go command.
func (c Config) driver(mode packages.LoadMode, flags []string) *packages.Config {
	if c.Tags != "" {
		flags = append(flags, "-tags="+c.Tags)
	}
	return &packages.Config{Context: c.Context, Mode: mode, Dir: c.Dir, Env: c.environment(), BuildFlags: flags}
}

// environment is that of the go command. To fill an empty cache with its index
// of packages takes it longer than all the rest, so it does without then.
func (c Config) environment() []string {
	if _, err := os.Stat(filepath.Join(c.buildCache(), "00")); err == nil {
		return c.Env
	}
	return append(slices.Clip(c.Env), "GODEBUG="+strings.TrimPrefix(c.getenv("GODEBUG")+",goindex=0", ","))
}

// buildCache is where the go command has its cache, unless go env -w says
// otherwise.
func (c Config) buildCache() string {
	if dir := c.getenv("GOCACHE"); dir != "" {
		return dir
	}
	dir, _ := os.UserCacheDir() // without it, the go command has no cache either
	return filepath.Join(dir, "go-build")
}

const (
	graphMode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedForTest
	plainMode = graphMode | packages.NeedTypes | packages.NeedSyntax
)

// graph asks the go command for the packages of the folders, with all that they
// import. Our outputs do not exist for it, so that a stale or broken one cannot
// stand in the way.
func (l *loader) graph(folders []*folder) ([]*packages.Package, error) {
	c := l.cfg
	overlay, err := hideOutputs(folders)
	if err != nil {
		return nil, err
	}
	var flags []string
	if overlay != "" {
		defer os.Remove(overlay)
		flags = append(flags, "-overlay="+overlay)
	}
	mode := graphMode
	if c.Plain {
		mode = plainMode
	}
	driver := c.driver(mode, flags)
	driver.Fset, driver.ParseFile = l.fset, l.parsePlain
	driver.Tests = slices.ContainsFunc(folders, (*folder).testsAsk)
	if slices.ContainsFunc(folders, (*folder).mayUseCgo) && c.getenv("CGO_ENABLED") == "" {
		driver.Env = append(slices.Clip(driver.Env), "CGO_ENABLED=1") // else the go command leaves cgo files out where there is no C compiler
	}
	patterns := make([]string, len(folders))
	for i, f := range folders {
		patterns[i] = f.pattern
	}
	return c.list(driver, patterns)
}

// patience is how long the go command may take before it is looked into why.
const patience = 3 * time.Second

// list asks the go command for packages, and waits for no longer than there is
// something to wait for.
func (c Config) list(driver *packages.Config, patterns []string) ([]*packages.Package, error) {
	ctx, cancel := context.WithCancelCause(c.Context)
	defer cancel(nil)
	defer time.AfterFunc(patience, func() {
		if err := c.findNoFile(); err != nil {
			cancel(err)
		}
	}).Stop()
	driver.Context = ctx
	listed, err := packages.Load(driver, patterns...)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, commandError(c.Dir, err)
	}
	return listed, nil
}

// findNoFile looks in the module, or in the workspace, for a name of a Go file
// at which there is none, such as a pipe: the go command waits for it.
func (c Config) findNoFile() error {
	var found error
	root := c.root()
	_ = filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		switch dir, name := filepath.Split(path); {
		case err != nil: // the go command tells
		case path != root && entry.IsDir() && name != "testdata" && skipped(name):
			return filepath.SkipDir
		case isGoFile(dir, entry) && !isFile(path, entry):
			found = fault.List{readFault(&os.PathError{Op: "read", Path: path, Err: errNoFile})}
			return filepath.SkipAll
		}
		return nil
	})
	return found
}

// root is the folder of the workspace, or else of the module, or else Dir.
func (c Config) root() string {
	for _, name := range []string{"go.work", "go.mod"} {
		for dir := c.Dir; ; dir = filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				return dir
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return c.Dir
}

// hideOutputs writes an overlay for the go command in which the outputs are
// deleted. It returns the name of the file, which is empty if there are no
// outputs.
func hideOutputs(folders []*folder) (string, error) {
	replace := map[string]string{}
	for _, f := range folders {
		for _, output := range f.outputs {
			replace[output.Path] = ""
		}
	}
	if len(replace) == 0 {
		return "", nil
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp("", "resgen-overlay-*.json")
	if err != nil {
		return "", err
	}
	_, err = file.Write(text)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		os.Remove(file.Name())
		return "", err
	}
	return file.Name(), nil
}

// A pick is what is wanted of the packages of one folder. Each may be nil.
type pick struct {
	primary, external *packages.Package
}

// choose picks the packages of the folders out of what the go command lists for
// them: with test files where one asks, else without.
func choose(folders []*folder, listed []*packages.Package) map[*folder]*pick {
	byName := make(map[string]*folder, 2*len(folders))
	picks := make(map[*folder]*pick, len(folders))
	for _, f := range folders {
		byName[f.dir], byName[f.pattern], picks[f] = f, f, &pick{}
	}
	for _, p := range listed {
		f := byName[cmp.Or(p.Dir, p.PkgPath)] // the path of an unknown folder is its pattern
		if f == nil || isTestMain(p) {
			continue
		}
		switch got := picks[f]; {
		case p.ForTest != "" && p.PkgPath == p.ForTest+"_test":
			if f.asksIn(p) {
				got.external = p
			}
		case got.primary == nil, f.testsAsk() && p.ForTest == p.PkgPath:
			got.primary = p
		}
	}
	return picks
}

func isTestMain(p *packages.Package) bool {
	return p.Name == "main" && strings.HasSuffix(p.ID, ".test")
}

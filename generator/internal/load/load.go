// Package load turns package patterns into packages with syntax and types.
//
// It owns which folders a pattern means and how types are had without compiling
// anything: the go command lists the graph of packages, and only what the
// declarations of the wanted packages can reach is parsed and checked. What files
// ask for, and which files are generated, its user says by [Hooks].
package load

import (
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/internal/fault"
)

// Config says where and how packages are loaded. The zero Config with all hooks is
// ready to use.
type Config struct {
	Hooks Hooks
	// Context ends the load early, with all processes that it has started. Nil
	// means that nothing does.
	Context context.Context
	// Dir is the folder that relative patterns start at. Empty means the
	// working directory.
	Dir string
	// Tags are build tags, comma-separated, as for go build -tags.
	Tags string
	// Env is the environment of the go command. Nil means the environment of
	// this process.
	Env []string
	// Plain takes the types of dependencies from packages.Load, from their
	// complete source. It is slow, and may need a C compiler. It shows whether
	// the fast way is at fault.
	Plain bool
}

// Hooks say which files are generated, and from which others. Files are read by
// several goroutines at a time.
type Hooks struct {
	// Asks reports whether something may be generated from a file. Only a package
	// with such a file is loaded.
	Asks func(src []byte) bool
	// IsOutput reports whether a file is generated. The go command does not see it.
	IsOutput func(path string, src []byte) bool
	// OutputPath is where the output for a file stands.
	OutputPath func(source string) string
	// Read says what a file that asks is loaded with. It is called once for each
	// file, whose syntax is complete.
	Read func(fset *token.FileSet, file *File) Wants
}

// Wants is what the declarations of a file do not mention, though it is needed.
type Wants struct {
	// StandIns stand in for what the output for the file is going to declare, as
	// far as the package does not declare it by hand. They are never read: with
	// them, a signature that mentions something generated has a type.
	StandIns []StandIn
	// Functions are named in comments, as "Func" or "pkg.Func".
	Functions []string
}

// StandIn is a declaration at package level.
type StandIn struct{ Name, Text string }

// Package is one package whose folder asks for us or holds an output of ours.
type Package struct {
	// Path is the import path; that of an external test package ends in _test.
	// It is empty where the go command was not asked, because no file asks, or
	// does not know the folder.
	Path string
	// Dir is the folder, absolute.
	Dir string
	// Module is nil outside of modules.
	Module *Module
	// External marks the external test package of a folder.
	External bool
	// Fset is the same for all packages of one call.
	Fset *token.FileSet
	// Files are the files of this build, without ours, sorted by path. Test
	// files are among them only if a test file of the folder asks.
	Files []*File
	// Outputs are the files of the folder that are ours, in any build
	// configuration. An external test package has none: they are all with the
	// package itself.
	Outputs []*File
	// Ignored are the files of the folder that ask, but are not part of this
	// build. An external test package has none.
	Ignored []*File
	// Types holds the declarations, checked; nil if no file of Files asks. See
	// [Package.Lookup].
	Types *types.Package
	// Info describes the declarations: Defs, Implicits, Scopes and Types. It is
	// nil with Types.
	Info *types.Info
	// Lengths are those that stem from C. In Files they are replaced by
	// [UnknownLength], so that their arrays have types.
	Lengths map[*ast.ArrayType]ast.Expr
	// Below are errors in dependencies. They matter only where a type is not
	// known for them.
	Below fault.List
	// Faults are the reasons why the package does not compile or can't be read,
	// sorted by position: those of the go command, the parser and the type
	// checker, but none that our own outputs would mend.
	Faults fault.List
}

// Module is the module of a package.
type Module struct {
	Path string
	Dir  string
}

// File is one Go file.
type File struct {
	// Path is absolute.
	Path string
	Src  []byte
	// Syntax is complete, with comments. It is partial where the file has
	// syntax errors, nil where it was not parsed.
	Syntax *ast.File
	// Test says that the name ends in _test.go.
	Test bool
	// Asks says that something may be generated from the file.
	Asks bool

	wants *Wants // nil: not read
}

// Lookup finds what the files of the package declare under a name at package
// level, else nil.
//
// The scope of Types also holds stand-ins, which Lookup does not find.
func (p *Package) Lookup(name string) types.Object {
	if p.Types == nil {
		return nil
	}
	obj := p.Types.Scope().Lookup(name)
	if obj == nil {
		return nil
	}
	at := p.Fset.File(obj.Pos())
	written := slices.ContainsFunc(p.Files, func(f *File) bool {
		return f.Syntax != nil && p.Fset.File(f.Syntax.FileStart) == at
	})
	if !written {
		return nil
	}
	return obj
}

// Packages loads the packages that the patterns name and that have something to
// do with us, sorted by folder. Patterns are those of the go command; none
// means ".".
//
// What is wrong with one package stands in its Faults; the other packages are
// good all the same. The error is why nothing could be loaded at all. No
// packages and no error means that there is nothing to do.
func Packages(cfg Config, patterns ...string) ([]*Package, error) {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, err
	}
	cfg.Dir = dir
	if cfg.Env == nil {
		cfg.Env = os.Environ()
	}
	if cfg.Context == nil {
		cfg.Context = context.Background()
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	found, err := search(cfg, patterns)
	if err != nil {
		return nil, err
	}
	l := newLoader(cfg)
	l.folders = found.folders
	if err := l.load(found.asking()); err != nil {
		return nil, err
	}
	return found.packages(l), nil
}

// getenv finds a variable in the environment of the go command.
func (c Config) getenv(name string) string {
	for _, entry := range slices.Backward(c.Env) {
		if key, value, ok := strings.Cut(entry, "="); ok && key == name {
			return value
		}
	}
	return ""
}

// Package extract writes an interface for a client that has none: most clients of
// services are structs, and only calls by way of an interface can be guarded.
//
// It owns which methods of the type are meant, how the package that the interface
// is for spells their types, and what is said about those that no guard can stand
// before. The text is written once, and belongs to whoever asked for it.
package extract

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Options say what to write. Type is needed, all else has a default.
type Options struct {
	Context context.Context
	// Dir is the folder that patterns, and the paths in messages, are relative
	// to. Empty means the working folder.
	Dir string
	// Tags are build tags, comma-separated, as for go build -tags.
	Tags string
	// Env is the environment of the go command. Nil means that of the process.
	Env []string

	// Type is PKG.TYPE.
	Type string
	// Name is that of the interface. Empty means one that is made from Type.
	Name string
	// Methods are those that the interface is to have. None means all.
	Methods []string
	// Used are patterns of packages. The interface has the methods that these
	// call. None means all.
	Used []string
	// Output is the file that the interface is for, which decides its package.
	// Empty means one in Dir.
	Output string
}

// Result is the text of a file, and what its reader should know beside it.
type Result struct {
	Text  []byte
	Notes []string
}

// Interface writes the interface. Notes may come with an error, too.
func Interface(opts Options) (Result, error) {
	if err := opts.complete(); err != nil {
		return Result{}, err
	}
	path, typ := split(opts.Type)
	target, err := opts.target(path)
	if err != nil {
		return Result{}, err
	}
	searched, err := opts.searched()
	if err != nil {
		return Result{}, err
	}
	prog := newProgram(searched)
	if typ == "" {
		return Result{}, fmt.Errorf("%s names a package and no type; write %[1]s.TYPE%s", opts.Type, clientsOf(prog.check(target).types.Scope()))
	}
	c, err := opts.find(prog, target, typ)
	if err != nil {
		return Result{}, err
	}
	dest, err := opts.destination()
	if err != nil {
		return Result{}, err
	}
	w := &writer{Options: opts, prog: prog, client: c, dest: dest}
	if err := w.choose(searched); err != nil {
		return Result{Notes: w.notes}, err
	}
	text, err := w.text()
	return Result{text, w.notes}, err
}

func (o *Options) complete() (err error) {
	if o.Context == nil {
		o.Context = context.Background()
	}
	if o.Name != "" && (!token.IsIdentifier(o.Name) || o.Name == "_" || types.Universe.Lookup(o.Name) != nil) {
		return fmt.Errorf("-name %s is no name for a type", o.Name)
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return err
	}
	return o.checkType()
}

// checkType reports what only looks like PKG.TYPE.
func (o *Options) checkType() error {
	switch {
	case strings.HasPrefix(o.Type, "*") || strings.HasPrefix(o.Type, "&"):
		return fmt.Errorf("%s: write PKG.TYPE without a star", o.Type)
	case strings.Contains(o.Type, "..."):
		return fmt.Errorf("%s: PKG.TYPE is one type of one package", o.Type)
	case strings.HasSuffix(o.Type, ".go"):
		return fmt.Errorf("%s: PKG is a package and no file", o.Type)
	}
	return nil
}

// target is the package of the type.
func (o *Options) target(path string) (*packages.Package, error) {
	listed, err := o.list(path)
	switch {
	case err != nil:
		return nil, err
	case len(listed) != 1:
		return nil, fmt.Errorf("%s: there are %d such packages", path, len(listed))
	case len(listed[0].GoFiles) == 0:
		return nil, o.noPackage(listed[0], path)
	}
	return listed[0], nil
}

// searched are the packages that calls are looked for in.
func (o *Options) searched() ([]*packages.Package, error) {
	if len(o.Used) == 0 {
		return nil, nil
	}
	listed, err := o.list(o.Used...)
	switch {
	case err != nil:
		return nil, err
	case len(listed) == 0:
		return nil, fmt.Errorf("-used: %s matched no packages", strings.Join(o.Used, " "))
	}
	for _, pkg := range listed {
		if len(pkg.GoFiles) == 0 && len(pkg.Errors) > 0 {
			return nil, errors.New("-used: " + o.told(pkg))
		}
	}
	return listed, nil
}

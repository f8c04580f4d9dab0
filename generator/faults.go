package generator

import (
	"errors"
	"path/filepath"

	"github.com/resgen-go/resgen/internal/fault"
)

// shown are faults as they are shown: sorted, and with paths that are relative to
// the folder where that is shorter.
func (o Options) shown(faults fault.List) fault.List {
	shown := make(fault.List, len(faults))
	for i, f := range faults {
		f.Position.Filename = o.shorter(f.Position.Filename)
		shown[i] = f
	}
	return shown.Sorted()
}

// err is the faults as an error; nil if there are none.
func (o Options) err(faults fault.List) error {
	if len(faults) == 0 {
		return nil
	}
	return o.shown(faults)
}

// ofLoad is the error of a load that failed as a whole; if it has positions,
// these are faults like all others.
func (o Options) ofLoad(err error) error {
	if faults, ok := errors.AsType[fault.List](err); ok {
		return o.err(faults)
	}
	return err
}

// shorter is a path as it is shown: relative to the folder if that is shorter.
func (o Options) shorter(path string) string {
	if rel, err := filepath.Rel(o.Dir, path); err == nil && filepath.IsAbs(path) && len(rel) < len(path) {
		return rel
	}
	return path
}

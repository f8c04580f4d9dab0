//go:build amd64 || arm64

package constrained

import (
	"errors"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

type broken struct{}

func (broken) Sync() error { return errors.New("broken") }

func TestDiskIsGuardedWhereItIs(t *testing.T) {
	registry, err := resilience.New()
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	w, err := NewResilientDisk(broken{}, registry)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		w.Sync()
	}
	if err := w.Sync(); !errors.Is(err, resilience.ErrOpen) {
		t.Errorf("after three failures: %v", err)
	}
}

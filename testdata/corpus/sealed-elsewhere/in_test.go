package sealed

import (
	"errors"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

type test = testing.TB

type bad struct{ test }

func (bad) Try() error { return errors.New("bad") }

func (bad) TB() error { return nil }

func TestClientsC16ASealedInterfaceIsGuarded(t *testing.T) {
	registry, err := resilience.New(resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	w, err := NewResilientTB(bad{t}, registry)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_ = w.Try()
	}
	if err := w.TB(); !errors.Is(err, resilience.ErrOpen) || w.Name() != t.Name() {
		t.Errorf("%v in %s", err, w.Name())
	}
}

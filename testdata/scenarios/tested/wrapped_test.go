package tested

import (
	"context"
	"errors"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

type failing struct{}

func (failing) Do(context.Context, Value) error { return errors.New("down") }

func TestADoubleIsGuarded(t *testing.T) {
	registry, err := resilience.New()
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	w, err := newResilientDouble(failing{}, registry)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		w.Do(t.Context(), Value(0))
	}
	if err := w.Do(t.Context(), Value(0)); !errors.Is(err, resilience.ErrOpen) {
		t.Errorf("after three failures: %v", err)
	}
}

package fallbacks

import (
	"context"
	"errors"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

var errDown = errors.New("down")

type down struct{}

func (down) Variadic(_, _ context.Context, _ ...int) (int, error) { return 0, errDown }
func (down) Spread(context.Context, ...int) (int, error)          { return 0, errDown }
func (down) Spread2(context.Context, ...int) (int, error)         { return 0, errDown }
func (down) Named(string) (int, int, error)                       { return 0, 0, errDown }
func (down) Blank(context.Context, int) (int, error)              { return 0, errDown }
func (down) Imported(_, _ context.Context, _ ...int) (int, error) { return 0, errDown }
func (down) sealed() error                                        { return errDown }
func (down) Silent(func(), ...string)                             {}
func (down) Pair(context.Context, error) (error, bool)            { return nil, false }
func (down) Load(context.Context, string) (int, error)            { return 7, errDown }
func (down) Again(context.Context, string) (int, error)           { return 7, errDown }
func (down) All(...string) []int                                  { return nil }

func TestFallbackF18EveryShapeIsAnswered(t *testing.T) {
	registry, err := resilience.New(resilience.Logger(nil), resilience.Settings("test", []byte(`{"breakers": {"default": {"failureThreshold": 100, "failureThresholdCapacity": 100}}}`)))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	shapes, err := NewResilientShapes(down{}, registry)
	if err != nil {
		t.Fatal(err)
	}
	generic, err := NewResilientGeneric[string, int](down{}, registry)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		ask  func() (int, error)
		want int
	}{
		"Variadic": {func() (int, error) { return shapes.Variadic(t.Context(), t.Context(), 1, 2) }, 4},
		"Spread":   {func() (int, error) { return shapes.Spread(t.Context(), 1, 2, 3) }, 3},
		"Spread2":  {func() (int, error) { return shapes.Spread2(t.Context(), 1, 2) }, 2},
		"Named":    {func() (int, error) { n, _, err := shapes.Named("tea"); return n, err }, 3},
		"Blank":    {func() (int, error) { return shapes.Blank(t.Context(), 2) }, 3},
		"Imported": {func() (int, error) { return shapes.Imported(t.Context(), t.Context(), 2) }, 3},
		"sealed":   {func() (int, error) { return 0, shapes.sealed() }, 0},
		"Load":     {func() (int, error) { return generic.Load(t.Context(), "") }, 0},
		"Again":    {func() (int, error) { return generic.Again(t.Context(), "") }, 0},
	} {
		if got, err := c.ask(); got != c.want || err != nil {
			t.Errorf("%s: %d, %v, want %d", name, got, err, c.want)
		}
	}
	for _, name := range []string{"shapes", "generic"} {
		breaker, err := registry.Breaker(name)
		if err != nil {
			t.Fatal(err)
		}
		breaker.ForceOpen("test")
	}
	answered := false
	if shapes.Silent(func() { answered = true }, "more"); !answered {
		t.Error("Silent was not answered")
	}
	if got, ok := shapes.Pair(t.Context(), errDown); got != errDown || !ok {
		t.Errorf("Pair: %v, %v", got, ok)
	}
	if got := generic.All("a", "b"); len(got) != 2 {
		t.Errorf("All: %v", got)
	}
}

package unexported

import (
	"errors"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

// named returns the name of the method that was called.
type named struct{}

func (named) get(string) (item, error) { return item{"get"}, nil }
func (named) Get(string) (item, error) { return item{"Get"}, nil }
func (named) GET(string) (item, error) { return item{"GET"}, nil }
func (named) next() error              { return errors.New("next") }
func (named) Next() error              { return errors.New("Next") }

func TestEachMethodCallsItsOwn(t *testing.T) {
	registry, err := resilience.New()
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	w, err := newResilientStore(named{}, registry)
	if err != nil {
		t.Fatal(err)
	}
	for want, get := range map[string]func(string) (item, error){"get": w.get, "Get": w.Get, "GET": w.GET} {
		if got, err := get("k"); got.key != want || err != nil {
			t.Errorf("%s returned %v, %v", want, got, err)
		}
	}
	if a, b := w.next(), w.Next(); a.Error() != "next" || b.Error() != "Next" {
		t.Errorf("next and Next returned %v and %v", a, b)
	}
}

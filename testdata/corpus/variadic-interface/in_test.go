package logs

import (
	"context"
	"fmt"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

type printed []string

func (p *printed) Printf(_ context.Context, format string, args ...any) (int, error) {
	*p = append(*p, fmt.Sprintf(format, args...))
	return len(args), nil
}

func (p *printed) Print(args ...any) error {
	*p = append(*p, fmt.Sprint(len(args)))
	return nil
}

func TestArgumentsArePassedOnOneByOne(t *testing.T) {
	registry, err := resilience.New()
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	var got printed
	log, err := NewResilientLog(&got, registry)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := log.Printf(t.Context(), "%d %s", 1, "two"); n != 2 || err != nil {
		t.Errorf("Printf: %d, %v", n, err)
	}
	if err := log.Print(1, "two", nil); err != nil {
		t.Error(err)
	}
	if want := "[1 two 3]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

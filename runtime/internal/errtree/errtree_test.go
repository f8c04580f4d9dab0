package errtree

import (
	"errors"
	"fmt"
	"testing"
)

// older joins as libraries did before errors.Join.
type older []error

func (older) Error() string            { return "older" }
func (o older) WrappedErrors() []error { return o }

func TestChainsEndInEveryErrorThatAnErrorIsMadeOf(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	for want, err := range map[string]error{
		"":               nil,
		"a":              a,
		"x: a>a":         fmt.Errorf("x: %w", a),
		"a|b":            errors.Join(a, nil, b),
		"a|y: b>b|c":     fmt.Errorf("x: %w", errors.Join(a, errors.Join(fmt.Errorf("y: %w", b), c))),
		"a|b|c":          fmt.Errorf("%w and %w", older{a, b}, c),
		"a|z: b>b|older": errors.Join(a, fmt.Errorf("z: %w", b), older{}),
	} {
		got := ""
		for chain := range Chains(err) {
			if got != "" {
				got += "|"
			}
			for i, one := range chain {
				if i > 0 {
					got += ">"
				}
				got += one.Error()
			}
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestChainsEndWhereTheReaderDoes(t *testing.T) {
	n := 0
	for range Chains(errors.Join(errors.New("a"), errors.Join(errors.New("b"), errors.New("c")), errors.New("d"))) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d chains came, want 2", n)
	}
}

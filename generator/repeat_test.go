package generator_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRetryR19AParameterThatCanBeReadOnceIsAFault(t *testing.T) {
	const source = `package shop

import (
	"context"
	"io"
)

type Shop interface {
	//resilience:retry
	Put(ctx context.Context, body io.Reader) error
}
`
	const want = "shop.go:9:2: resilience:retry: parameter body of Put can be read only once; take []byte, or leave the method out"
	if got := faultsOf(t, goMod+"-- shop.go --\n"+source); strings.TrimSpace(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A struct may hold what can be read only once. Its callers may know how to rewind
// it, so that is worth a warning.
func TestAFieldThatCanBeReadOnceIsWorthAWarning(t *testing.T) {
	const source = `package shop

import (
	"context"
	"io"
)

type Input struct {
	Key  string
	Body io.ReadSeeker
}

type Shop interface {
	//resilience:retry
	Put(ctx context.Context, in *Input) error
	//resilience:retry
	Get(ctx context.Context, key string) error
}
`
	const want = "shop.go:14:2: warning: resilience:retry: *Input.Body, which Put is called with, can be read only once, so a second attempt may send nothing; " +
		"leave the method out unless its callers can rewind it\n"
	if diff := cmp.Diff(want, warnings(t, module(t, goMod+"-- shop.go --\n"+source))+"\n"); diff != "" {
		t.Error(diff)
	}
}

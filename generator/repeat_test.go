package generator_test

import (
	"fmt"
	"path/filepath"
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

// So is a parameter of several such things, and one that is read by another method
// than Read. What opens them is called for each attempt.
func TestRetryR19ReadersOfAnyShapeAreReadOnce(t *testing.T) {
	for parameter, once := range map[string]bool{
		"...io.Reader": true, "[]io.ReadCloser": true, "[2]*os.File": true, "map[string]io.Reader": true, "[]*http.Request": true,
		"...iter.Seq[int]": true, "<-chan int": true, "*json.Decoder": true, "*bufio.Scanner": true, "*multipart.Reader": true,
		"[]byte": false, "...string": false, "chan<- int": false, "map[string][]byte": false, "func() (io.Reader, error)": false, "json.RawMessage": false,
	} {
		source := fmt.Sprintf(`package shop

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"iter"
	"mime/multipart"
	"net/http"
	"os"
)

var (
	_ bufio.Scanner
	_ json.Decoder
	_ io.Reader
	_ iter.Seq[int]
	_ multipart.Reader
	_ http.Request
	_ os.File
)

type Shop interface {
	//resilience:retry
	Put(ctx context.Context, body %s) error
}
`, parameter)
		want := ""
		if once {
			want = "shop.go:25:2: resilience:retry: parameter body of Put can be read only once; take []byte, or leave the method out"
		}
		_, err := generate(t, module(t, goMod+"-- shop.go --\n"+source))
		got := ""
		if err != nil {
			got = strings.TrimSpace(filepath.ToSlash(err.Error()))
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", parameter, got, want)
		}
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

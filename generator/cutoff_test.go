package generator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestATimeoutThatEndsBeforeAResultIsReadIsWorthAWarning(t *testing.T) {
	const source = `
-- go.mod --
module example.test/shop

go 1.26
-- shop.go --
package shop

import (
	"bytes"
	"container/ring"
	"context"
	"database/sql"
	"io"
	"iter"
	"net"
	"net/http"
)

type Shop interface {
%s}

type (
	Stream interface{ Recv() (*int, error) }
	Upload interface{ RecvMsg(m any) error }
	Store  interface{ Read(ctx context.Context, id string) ([]byte, error) }
	Body   struct{ io.Reader }
	Rows   interface { Next() bool; Scan(to ...any) error }
	Steps  interface{ Next() error }
	Peeker interface{ Next() int }
	Follower interface { Next(ctx context.Context) bool }
	Cursor[T any] struct{}
	Pages struct{ *Cursor[[]int] }
	List struct{}
	Pair   func(yield func(string, int) bool)
)

func (*Cursor[T]) Next() (next T, err error) { return next, io.EOF }

func (*List) Next() (next int, ok bool) { return 0, false }

var _, _, _, _, _, _, _ = bytes.MinRead, ring.New, sql.ErrNoRows, io.EOF, http.NoBody, iter.Pull[int], net.IPv4
`
	var methods, want strings.Builder
	for i, c := range []struct {
		result string
		warned bool
	}{
		{"*http.Response", true},
		{"*sql.Rows", true},
		{"io.Reader", true},
		{"io.ReadCloser", true},
		{"*Body", true},
		{"Stream", true},
		{"Upload", true},
		{"<-chan int", true},
		{"chan int", true},
		{"iter.Seq[int]", true},
		{"iter.Seq2[string, error]", true},
		{"Pair", true},
		{"func(func(int) bool)", true},
		{"[]byte", false},
		{"*bytes.Buffer", false},
		{"net.Conn", false},
		{"Store", false},
		{"Body", false},
		{"*int", false},
		{"chan<- int", false},
		{"func(int)", false},
		{"http.Header", false},
		{"context.Context", true},
		{"Rows", true},
		{"*Cursor[int]", true},
		{"*Pages", true},
		{"Steps", true},
		{"*ring.Ring", false},
		{"*List", false},
		{"Peeker", false},
		{"Follower", false},
		{"Cursor[int]", false},
		{"[]Rows", false},
	} {
		fmt.Fprintf(&methods, "\t//resilience:timeout slow\n\tOpen%d(ctx context.Context) (%s, error)\n", i, c.result)
		if c.warned {
			fmt.Fprintf(&want, "shop.go:%d:2: warning: resilience:timeout: the context of Open%d ends when it returns, "+
				"and with it what is read afterwards from its %s; put //resilience:none or no timeout on it, or read inside\n", 15+2*i, i, c.result)
		}
	}
	if diff := cmp.Diff(want.String(), warnings(t, module(t, fmt.Sprintf(source, &methods)))+"\n"); diff != "" {
		t.Error(diff)
	}
}

func TestATimeoutOfATypeIsWorthAWarningAtEachMethod(t *testing.T) {
	const source = `
-- go.mod --
module example.test/shop

go 1.26
-- shop.go --
package shop

import "context"

type Feed interface {
	Listen(ctx context.Context) (<-chan int, error)
}

//resilience:timeout
type Shop interface {
	Feed
	Watch(ctx context.Context) (<-chan int, error)
	//resilience:breaker
	Follow(ctx context.Context) (<-chan int, error)
	//resilience:none
	Stay(ctx context.Context) (<-chan int, error)
	Plain() (<-chan int, error)
}
`
	const text = "warning: resilience:timeout: the context of %[2]s ends when it returns, and with it what is read afterwards from its <-chan int; " +
		"put //resilience:none or no timeout on it, or read inside"
	want := fmt.Sprintf("shop.go:%[1]s: "+text, "9:1", "Listen") + "\n" +
		fmt.Sprintf("shop.go:%[1]s: "+text, "12:2", "Watch") + "\n" +
		fmt.Sprintf("shop.go:%[1]s: "+text, "14:2", "Follow")
	if diff := cmp.Diff(want, warnings(t, module(t, source))); diff != "" {
		t.Error(diff)
	}
}

package generator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// handingOut has an interface with one method for each result.
const handingOut = `
-- go.mod --
module example.test/shop

go 1.26
-- lib/lib.go --
package lib

import (
	"bufio"
	"context"
	"database/sql"
	"io"
	"iter"
	"net"
	"net/http"
	"time"
)

type (
	Output   struct { Length *int64; Body io.ReadCloser; meta Meta }
	Meta     struct{ Trailer io.Reader }
	Hidden   struct{ body io.ReadCloser }
	Raw      struct{ *http.Response; Rate int }
	Envelope struct{ Answer *http.Response; Request *http.Request }
	Hijacked struct { Conn net.Conn; Reader *bufio.Reader }
	Table    struct{ Rows *sql.Rows }
	Deep     struct{ Output *Output }
	Outer    struct{ Meta }
	outer    struct{ Trailer io.Reader }
	Promoted struct{ *outer }
	Parts    struct{ Files []io.ReadCloser }
	Frames   struct{ C <-chan []byte }
	Self     struct { *Self; Next int }
	List     []List
	Watcher  interface { Stop(); ResultChan() <-chan int }
	Session  interface { Done() <-chan struct{}; Close() error }
	Scan     interface{ All() iter.Seq2[string, error] }
	Blob     interface{ Open() (io.ReadCloser, error) }
	Queue    interface{ Receive(ctx context.Context) <-chan int }
	Topic    interface{ Channel(opts ...int) <-chan string }
	Object[T any] struct{ Content T }
	Clock    struct{ *time.Ticker }
)

type Tree struct{ Left, Right *Tree }

func (*Tree) All() iter.Seq[int] { return nil }
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

	"example.test/shop/lib"
)

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

var _, _, _, _, _, _, _, _ = bytes.MinRead, ring.New, sql.ErrNoRows, io.EOF, http.NoBody, iter.Pull[int], net.IPv4, lib.List{}
`

// cutOffs are the results of methods, and what their timeout cuts off, empty if it
// cuts off nothing.
var cutOffs = []struct{ result, part string }{
	{"*http.Response", "*http.Response"},
	{"*sql.Rows", "*sql.Rows"},
	{"io.Reader", "io.Reader"},
	{"io.ReadCloser", "io.ReadCloser"},
	{"*Body", "*Body"},
	{"Stream", "Stream"},
	{"Upload", "Upload"},
	{"<-chan int", "<-chan int"},
	{"chan int", "chan int"},
	{"iter.Seq[int]", "iter.Seq[int]"},
	{"iter.Seq2[string, error]", "iter.Seq2[string, error]"},
	{"Pair", "Pair"},
	{"func(func(int) bool)", "func(func(int) bool)"},
	{"[]byte", ""},
	{"*bytes.Buffer", ""},
	{"net.Conn", ""},
	{"Store", ""},
	{"*int", ""},
	{"chan<- int", ""},
	{"chan<- io.Reader", ""},
	{"func(int)", ""},
	{"http.Header", ""},
	{"context.Context", "context.Context"},
	{"Rows", "Rows"},
	{"*Cursor[int]", "*Cursor[int]"},
	{"*Pages", "*Pages"},
	{"Steps", "Steps"},
	{"*ring.Ring", ""},
	{"*List", ""},
	{"Peeker", ""},
	{"Follower", ""},
	{"Cursor[int]", ""},

	{"*lib.Output", "*lib.Output.Body"},
	{"lib.Output", "lib.Output.Body"},
	{"[]*lib.Output", "[]*lib.Output.Body"},
	{"Body", "Body.Reader"},
	{"[]Rows", "[]Rows"},
	{"[]io.ReadCloser", "[]io.ReadCloser"},
	{"map[string]io.Reader", "map[string]io.Reader"},
	{"[2]<-chan int", "[2]<-chan int"},
	{"*lib.Hidden", ""},
	{"*lib.Raw", ""},
	{"lib.Envelope", ""},
	{"lib.Hijacked", ""},
	{"*lib.Table", "*lib.Table.Rows"},
	{"*lib.Deep", ""},
	{"*lib.Outer", "*lib.Outer.Trailer"},
	{"*lib.Promoted", "*lib.Promoted.Trailer"},
	{"*lib.Parts", "*lib.Parts.Files"},
	{"*lib.Frames", "*lib.Frames.C"},
	{"*lib.Self", ""},
	{"lib.List", ""},
	{"*lib.Tree", ""},
	{"*lib.Clock", ""},
	{"lib.Watcher", "lib.Watcher.ResultChan()"},
	{"lib.Session", ""},
	{"lib.Scan", "lib.Scan.All()"},
	{"lib.Blob", "lib.Blob.Open()"},
	{"lib.Queue", ""},
	{"lib.Topic", "lib.Topic.Channel()"},
	{"*lib.Object[io.Reader]", "*lib.Object[io.Reader].Content"},
	{"*lib.Object[int]", ""},
	{"http.Response", "http.Response.Body"},
}

func TestFieldN03ATimeoutThatEndsBeforeAResultIsReadIsWorthAWarning(t *testing.T) {
	var interfaces, want strings.Builder
	for i, c := range cutOffs {
		fmt.Fprintf(&interfaces, "\n//resilience:timeout slow\ntype Shop%d interface {\n\tOpen(ctx context.Context) (%s, error)\n}\n", i, c.result)
		if c.part != "" {
			fmt.Fprintf(&want, "shop.go:%d:2: warning: resilience:timeout: the context of Open ends when it returns, and with it what is read afterwards from its %s; "+
				"put //resilience:none timeout on it, or read inside\n", strings.Count(handingOut[strings.Index(handingOut, "package shop"):], "\n")+4+5*i, c.part)
		}
	}
	const held = "//resilience:stream or " // where that is possible
	got := warnings(t, module(t, handingOut+interfaces.String())) + "\n"
	if diff := cmp.Diff(want.String(), strings.ReplaceAll(got, held, "")); diff != "" {
		t.Error(diff)
	}
	for line := range strings.Lines(got) {
		_, rest, _ := strings.Cut(line, "read afterwards from its ")
		part, _, _ := strings.Cut(rest, ";")
		if want, known := holdable[part]; known && strings.Contains(line, held) != want {
			t.Errorf("its call could last: %v, told %s", want, line)
		}
	}
}

// holdable says of some of them whether a call could last until they are done.
var holdable = map[string]bool{
	"io.ReadCloser": true, "*http.Response": true, "iter.Seq[int]": true, "iter.Seq2[string, error]": true, "*lib.Output.Body": true,
	"io.Reader": false, "*sql.Rows": false, "<-chan int": false, "lib.Output.Body": false, "[]io.ReadCloser": false,
}

func TestFieldN03OneLineTellsOfAllMethodsOfAnInterface(t *testing.T) {
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
	Buy(ctx context.Context) error
%s}
`
	const at = "shop.go:%s: warning: resilience:timeout: the context"
	watch := func(names ...string) string {
		var lines string
		for _, name := range names {
			lines += "\t" + name + "(ctx context.Context) (<-chan int, error)\n"
		}
		return lines
	}
	for methods, want := range map[string]string{
		"": fmt.Sprintf(at, "9:1") + " of Listen ends when it returns, and with it what is read afterwards from its <-chan int; " +
			"put //resilience:none timeout on it, or read inside",
		watch("A"): fmt.Sprintf(at, "13:2") + "s of A and Listen end when they return, and with them what is read afterwards from their results, as from <-chan int; " +
			"put //resilience:none timeout on them, or read inside",
		watch("A", "B", "C"): fmt.Sprintf(at, "13:2") + "s of A, B, C and Listen end when they return, and with them what is read afterwards from their results, " +
			"as from <-chan int; put //resilience:none timeout on them, or read inside",
		watch("A", "B", "C", "D"): fmt.Sprintf(at, "13:2") + "s of A, B, C and 2 more (-list names them) end when they return, and with them what is read afterwards " +
			"from their results, as from <-chan int; put //resilience:none timeout on them, or read inside",
		"\t//resilience:timeout slow\n" + watch("A"): fmt.Sprintf(at, "13:2") + "s of A and Listen end when they return, and with them what is read afterwards " +
			"from their results, as from <-chan int; put //resilience:none timeout or no timeout on them, or read inside",
		"\t//resilience:timeout slow\n" + watch("A") + "\t//resilience:none timeout\n" + watch("Listen"): fmt.Sprintf(at, "13:2") +
			" of A ends when it returns, and with it what is read afterwards from its <-chan int; put no timeout on it, or read inside",
		"\t//resilience:none timeout\n" + watch("Listen"): "",
		"\t//resilience:none\n" + watch("Listen"):         "",
	} {
		t.Run(methods, func(t *testing.T) {
			if diff := cmp.Diff(want, warnings(t, module(t, fmt.Sprintf(source, methods)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFieldN03ListTellsWhatATimeoutCutsOff(t *testing.T) {
	const source = `
-- go.mod --
module example.test/shop

go 1.26
-- shop.go --
package shop

import (
	"context"
	"io"
)

//resilience:timeout
type Shop interface {
	Get(ctx context.Context) (*Object, error)
	//resilience:none timeout
	Open(ctx context.Context) (*Object, error)
}

type Object struct{ Body io.ReadCloser }
`
	result, err := generate(t, module(t, source))
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	if err := result.List(&list); err != nil {
		t.Fatal(err)
	}
	const want = "shop.go\n  Shop    ResilientShop\n" +
		"    Get   timeout shop; the timeout cuts off what is read from its *Object.Body\n" +
		"    Open  passes through: it is marked none timeout\n"
	if diff := cmp.Diff(want, list.String()); diff != "" {
		t.Error(diff)
	}
}

func TestFieldN03AReservationThatEndsBeforeAResultIsReadIsWorthAWarning(t *testing.T) {
	const source = `
-- go.mod --
module example.test/shop

go 1.26
-- shop.go --
package shop

import (
	"context"
	"iter"
)

type Shop interface {
	//resilience:breaker a
	//resilience:bulkhead b
	Pick(ctx context.Context) (iter.Seq[int], error)
	//resilience:anticipate check=a
	Look(ctx context.Context) (iter.Seq[int], error)
	//resilience:anticipate preload=b:1
	Buy(ctx context.Context) ([]int, error)
	//resilience:anticipate preload=b:1
	Stream(ctx context.Context) (iter.Seq[int], error)
	//resilience:anticipate lease=b:1
	Follow(ctx context.Context) (<-chan int, error)
}
`
	const text = "shop.go:%d:2: warning: resilience:anticipate: the reservation of %s ends when it returns, " +
		"so calls that are made while its %s is read have no part in it; read inside, or reserve nothing"
	want := fmt.Sprintf(text, 16, "Stream", "iter.Seq[int]") + "\n" + fmt.Sprintf(text, 18, "Follow", "<-chan int")
	if diff := cmp.Diff(want, warnings(t, module(t, source))); diff != "" {
		t.Error(diff)
	}
}

package behaviour_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/testdata/scenarios/streamed"
)

// files hand out what ends with the error.
type files struct{ err error }

type fileBody struct {
	io.Reader
	closed bool
}

func (b *fileBody) Close() error { b.closed = true; return nil }

func (f files) body() io.ReadCloser {
	return &fileBody{Reader: io.MultiReader(strings.NewReader("content"), failing(f))}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err == nil {
		return 0, io.EOF
	}
	return 0, f.err
}

func (f files) Open(context.Context, string) (io.ReadCloser, error) { return f.body(), nil }
func (f files) Find(context.Context, string) (io.ReadCloser, error) { return f.body(), nil }
func (f files) Size(context.Context, string) (int64, error)         { return 7, nil }
func (f files) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Request: r, Body: f.body()}, nil
}
func (f files) Get(context.Context, string) (*streamed.Object, error) {
	return &streamed.Object{Length: 7, Body: f.body()}, nil
}
func (f files) Watch(context.Context, string) (streamed.Changes, error) {
	return &changes{left: 2, err: f.err}, nil
}
func (f files) Receive(context.Context) (streamed.Receiver[string], error) {
	return &changes{left: 2, err: f.err}, nil
}
func (f files) Names(context.Context) (iter.Seq[string], error) {
	return func(yield func(string) bool) { _ = yield("a") && yield("b") }, nil
}
func (f files) Lines(context.Context, string) (iter.Seq2[string, error], error) {
	return func(yield func(string, error) bool) { _ = yield("a", nil) && f.err != nil && yield("", f.err) }, nil
}

type changes struct {
	left int
	err  error
}

func (c *changes) Next() bool     { c.left--; return c.left >= 0 }
func (c *changes) Change() string { return "change" }
func (c *changes) Err() error     { return c.err }
func (c *changes) Close() error   { return nil }
func (c *changes) Recv() (string, error) {
	if c.Next() {
		return "message", nil
	}
	return "", c.end()
}
func (c *changes) end() error {
	if c.err == nil {
		return io.EOF
	}
	return c.err
}
func (c *changes) RecvMsg(any) error { _, err := c.Recv(); return err }
func (c *changes) CloseSend() error  { return nil }

// readings open a stream and read it to its end.
var readings = map[string]func(context.Context, streamed.Files) error{
	"Open": func(ctx context.Context, f streamed.Files) error { return readAll(f.Open(ctx, "")) },
	"Find": func(ctx context.Context, f streamed.Files) error { return readAll(f.Find(ctx, "")) },
	"RoundTrip": func(ctx context.Context, f streamed.Files) error {
		request, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://files", nil)
		answer, err := f.RoundTrip(request)
		if err != nil {
			return err
		}
		return readAll(answer.Body, nil)
	},
	"Get": func(ctx context.Context, f streamed.Files) error {
		object, err := f.Get(ctx, "")
		if err != nil {
			return err
		}
		return readAll(object.Body, nil)
	},
	"Watch": func(ctx context.Context, f streamed.Files) error {
		changes, err := f.Watch(ctx, "")
		if err != nil {
			return err
		}
		for changes.Next() {
		}
		return changes.Err()
	},
	"Names": func(ctx context.Context, f streamed.Files) error {
		names, err := f.Names(ctx)
		if err != nil {
			return err
		}
		for range names {
		}
		return nil
	},
	"Lines": func(ctx context.Context, f streamed.Files) error {
		lines, err := f.Lines(ctx, "")
		if err != nil {
			return err
		}
		for _, last := range lines {
			err = last
		}
		return err
	},
}

func readAll(r io.Reader, err error) error {
	if err != nil {
		return err
	}
	_, err = io.ReadAll(r)
	return err
}

// A call of a stream holds its permit until the stream ends, and an error in it is one
// failure more.
func TestClientsC6ToC11StreamsEndAsTheyAreRead(t *testing.T) {
	reset := errors.New("connection reset")
	for name, read := range readings {
		for _, last := range []error{nil, reset} {
			r := registry(t, `{"bulkheads": {"files": {"maxConcurrentCalls": 1}}}`)
			w := wrap(t, streamed.NewResilientFiles, streamed.Files(files{last}), r)
			err := read(t.Context(), w)
			wantFailed := 0
			if last != nil && name != "Names" {
				wantFailed = 1
			}
			if wantFailed > 0 != errors.Is(err, reset) {
				t.Errorf("%s that ends with %v: %v", name, last, err)
			}
			if calls, failed := failures(t, r, "files"); calls != 1+wantFailed || failed != wantFailed {
				t.Errorf("%s that ends with %v: the breaker counted %d calls and %d failures", name, last, calls, failed)
			}
			if err := read(t.Context(), w); errors.Is(err, resilience.ErrFull) {
				t.Errorf("%s that ends with %v holds its permit after its end", name, last)
			}
		}
	}
}

func TestClientsC11AStreamOfMessagesHoldsItsPermit(t *testing.T) {
	status := errors.New("status")
	for _, last := range []error{nil, status} {
		for name, receive := range map[string]func(streamed.Receiver[string]) error{
			"Recv":    func(s streamed.Receiver[string]) error { _, err := s.Recv(); return err },
			"RecvMsg": func(s streamed.Receiver[string]) error { return s.RecvMsg(nil) },
		} {
			r := registry(t, `{"bulkheads": {"files": {"maxConcurrentCalls": 1}}}`)
			w := wrap(t, streamed.NewResilientFiles, streamed.Files(files{last}), r)
			stream, err := w.Receive(t.Context())
			for range 2 {
				if _, err := w.Size(t.Context(), ""); !errors.Is(err, resilience.ErrFull) {
					t.Errorf("%s: beside an open stream a call got %v", name, err)
				}
				if err != nil || receive(stream) != nil {
					t.Fatal("no message")
				}
			}
			for range 2 {
				receive(stream)
			}
			wantFailed := 0
			if last != nil {
				wantFailed = 1
			}
			if _, failed := failures(t, r, "files"); failed != wantFailed {
				t.Errorf("%s that ends with %v: %d failures", name, last, failed)
			}
			if _, err := w.Size(t.Context(), ""); err != nil {
				t.Errorf("%s: after its end a call got %v", name, err)
			}
		}
	}
}

func TestAStreamIsClosedThroughItsWrapper(t *testing.T) {
	r := registry(t, `{"bulkheads": {"files": {"maxConcurrentCalls": 1}}}`)
	w := wrap(t, streamed.NewResilientFiles, streamed.Files(files{}), r)
	for name, open := range map[string]func() (io.Closer, error){
		"Open":  func() (io.Closer, error) { return w.Open(t.Context(), "") },
		"Watch": func() (io.Closer, error) { return w.Watch(t.Context(), "") },
		"Get": func() (io.Closer, error) {
			object, err := w.Get(t.Context(), "")
			if err != nil {
				return nil, err
			}
			return object.Body, nil
		},
	} {
		for range 3 {
			opened, err := open()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			opened.Close()
			opened.Close()
		}
	}
}

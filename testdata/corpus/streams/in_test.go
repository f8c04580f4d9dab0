package streams

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

var errLost = errors.New("lost")

type rows struct {
	left   int
	err    error
	closed bool
}

func (r *rows) Next() bool {
	r.left--
	return r.left >= 0
}
func (r *rows) Scan(...any) error { return nil }
func (r *rows) Err() error        { return r.err }
func (r *rows) Close() error {
	r.closed = true
	return nil
}

type messages []string

func (m *messages) Recv() (string, error) {
	if len(*m) == 0 {
		return "", io.EOF
	}
	first := (*m)[0]
	*m = (*m)[1:]
	return first, nil
}
func (m *messages) Context() context.Context { return context.Background() }

type wrapped struct{}

func (wrapped) Close() error  { return nil }
func (wrapped) Unwrap() error { return errLost }

type store struct{ rows *rows }

func (s store) Open(context.Context, string) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("text")), nil
}
func (s store) Query(context.Context, string, ...any) (Rows, error) { return s.rows, nil }
func (s store) Watch(context.Context) (Messages[string], error)     { return &messages{"a", "b"}, nil }
func (s store) All(context.Context) (iter.Seq[string], error) {
	return slices.Values([]string{"a", "b"}), nil
}
func (s store) Wrap(context.Context) (Wrapped, error)    { return wrapped{}, nil }
func (s store) StreamOpen(context.Context) (Rows, error) { return s.rows, nil }
func (s store) Pairs(context.Context) (iter.Seq2[string, error], int, error) {
	return func(yield func(string, error) bool) { _ = yield("a", nil) && yield("", errLost) }, 2, nil
}

func inUse(t *testing.T, registry *resilience.Registry, want int) {
	t.Helper()
	if got := registry.Snapshot().Bulkheads[0].InUse; got != want {
		t.Errorf("%d permits are in use, want %d", got, want)
	}
}

func failures(t *testing.T, registry *resilience.Registry, want uint64) {
	t.Helper()
	if got := registry.Snapshot().Breakers[0].FailuresTotal; got != want {
		t.Errorf("%d failures, want %d", got, want)
	}
}

// Each stream holds its permit until its end, and its failure counts.
func TestClientsC8EveryStreamHoldsItsPermitUntilItsEnd(t *testing.T) {
	registry, err := resilience.New(resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	data := &rows{left: 2}
	s, err := NewResilientStore[string](store{data}, registry)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()

	body, _ := s.Open(ctx, "")
	inUse(t, registry, 1)
	io.ReadAll(body)
	inUse(t, registry, 0)

	for _, query := range []func() (Rows, error){
		func() (Rows, error) { return s.Query(ctx, "") },
		func() (Rows, error) { return s.StreamOpen(ctx) },
	} {
		*data = rows{left: 2}
		result, _ := query()
		if inner := result.(interface{ Unwrap() Rows }).Unwrap(); inner != Rows(data) {
			t.Errorf("unwrapped %v", inner)
		}
		for result.Next() {
			inUse(t, registry, 1)
		}
		inUse(t, registry, 0)
		result.Close()
		if !data.closed {
			t.Error("the rows are not closed")
		}
	}
	failures(t, registry, 0)
	*data = rows{left: 1, err: errLost}
	result, _ := s.Query(ctx, "")
	for result.Next() {
	}
	failures(t, registry, 1)

	watched, _ := s.Watch(ctx)
	for range 2 {
		if _, err := watched.Recv(); err != nil {
			t.Error(err)
		}
		inUse(t, registry, 1)
	}
	watched.Recv()
	inUse(t, registry, 0)

	all, _ := s.All(ctx)
	for range all {
		inUse(t, registry, 1)
	}
	inUse(t, registry, 0)

	pairs, n, _ := s.Pairs(ctx)
	for range pairs {
		n--
	}
	if n != 0 {
		t.Errorf("%d pairs are missing", n)
	}
	inUse(t, registry, 0)
	failures(t, registry, 2)

	around, _ := s.Wrap(ctx)
	if err := around.Unwrap(); err != errLost {
		t.Errorf("its own Unwrap is gone: %v", err)
	}
	inUse(t, registry, 1)
	around.Close()
	inUse(t, registry, 0)
}

func TestClientsC6TheBodyOfAnAnswerHoldsItsPermit(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	registry, err := resilience.New(resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	client, err := newResilientDoer(http.DefaultClient, registry)
	if err != nil {
		t.Fatal(err)
	}
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	inUse(t, registry, 1)
	answer.Body.Close()
	inUse(t, registry, 0)
}

package resilience_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// body is that of an answer, which takes its time to come and ends with the context
// of its call.
type body struct {
	ctx    context.Context
	left   int
	pause  time.Duration
	err    error // at the end, in place of io.EOF
	closed bool
}

func (b *body) Read(p []byte) (int, error) {
	select {
	case <-time.After(b.pause):
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
	switch {
	case b.ctx.Err() != nil:
		return 0, b.ctx.Err()
	case b.closed:
		return 0, errors.New("read of a closed body")
	case b.left == 0 && b.err != nil:
		return 0, b.err
	case b.left == 0:
		return 0, io.EOF
	}
	n := min(len(p), b.left)
	b.left -= n
	return n, nil
}

func (b *body) Close() error {
	b.closed = true
	return nil
}

// fetch is what a generated method does whose result is read later.
func fetch(ctx context.Context, guard *resilience.Guard, next func(context.Context) (io.ReadCloser, error)) (_ io.ReadCloser, err error) {
	stream := new(resilience.Stream)
	defer stream.Release()
	if err := stream.Begin(ctx, guard); err != nil {
		return nil, err
	}
	opened, err := next(stream.Context())
	if err = stream.Finish(err); err == nil && opened != nil {
		opened = stream.Body(opened)
	}
	return opened, err
}

func with(b *body) func(context.Context) (io.ReadCloser, error) {
	return func(ctx context.Context) (io.ReadCloser, error) {
		b.ctx = ctx
		return b, nil
	}
}

const streaming = `{
	"breakers": {"p": {"failureThreshold": 10}},
	"bulkheads": {"p": {"maxConcurrentCalls": 1}},
	"timeouts": {"p": {"duration": "200ms"}}
}`

func wantCounts(t *testing.T, registry *resilience.Registry, calls, failures uint64) {
	t.Helper()
	if got := breakerOf(t, registry, "p"); got.Calls != calls || got.Failures != failures {
		t.Errorf("the breaker counts %d calls and %d failures, want %d and %d", got.Calls, got.Failures, calls, failures)
	}
}

func wantInUse(t *testing.T, registry *resilience.Registry, want int) {
	t.Helper()
	if got := bulkheadOf(t, registry, "p").InUse; got != want {
		t.Errorf("%d permits in use, want %d", got, want)
	}
}

func TestClientsC6ABodyHoldsItsPermitUntilItIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, streaming)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p"})
		answer, err := fetch(t.Context(), guard, with(&body{left: 1 << 20, pause: time.Millisecond}))
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			answer.Read(make([]byte, 1000))
			if _, err := fetch(t.Context(), guard, with(&body{})); !errors.Is(err, resilience.ErrFull) {
				t.Errorf("a second call got %v", err)
			}
		}
		wantInUse(t, registry, 1)
		if err := answer.Close(); err != nil {
			t.Error(err)
		}
		wantInUse(t, registry, 0)
		answer.Close()
		wantInUse(t, registry, 0)
		wantCounts(t, registry, 1, 0)
	})
}

func TestClientsC7ATimeoutEndsABodyThatComesTooSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, streaming)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p", Timeout: "p"})
		start := time.Now()
		answer, err := fetch(t.Context(), guard, with(&body{left: 10 * 512, pause: 100 * time.Millisecond}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadAll(answer)
		if !errors.Is(err, resilience.ErrTimeout) || time.Since(start) != 200*time.Millisecond {
			t.Errorf("reading got %v after %v", err, time.Since(start))
		}
		synctest.Wait()
		wantInUse(t, registry, 0)
		wantCounts(t, registry, 2, 1)
		answer.Close()
		if got := registry.Snapshot().Timeouts[0].Ended; got != 1 {
			t.Errorf("the timeout has ended %d calls", got)
		}
	})
}

// The permit is free at the deadline even if nobody reads.
func TestATimeoutEndsABodyThatNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, streaming)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p", Timeout: "p"})
		answer, _ := fetch(t.Context(), guard, with(&body{left: 9}))
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		wantInUse(t, registry, 0)
		wantCounts(t, registry, 2, 1)
		if _, err := answer.Read(make([]byte, 1)); !errors.Is(err, resilience.ErrTimeout) {
			t.Errorf("reading got %v", err)
		}
		wantCounts(t, registry, 2, 1)
	})
}

func TestClientsC8ABodyThatIsReadToItsEndIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, read := range map[string]func(io.Reader) error{
			"read": func(r io.Reader) error { _, err := io.ReadAll(r); return err },
			"copy": func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err },
		} {
			registry := newRegistry(t, streaming)
			guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p"})
			for _, opened := range []io.ReadCloser{&body{ctx: t.Context(), left: 9}, io.NopCloser(strings.NewReader("nine byte"))} {
				answer, err := fetch(t.Context(), guard, func(context.Context) (io.ReadCloser, error) { return opened, nil })
				if err == nil {
					err = read(answer)
				}
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				wantInUse(t, registry, 0)
			}
			wantCounts(t, registry, 2, 0)
		}
	})
}

func TestClientsC9ABodyThatIsDroppedFreesItsPermitAndIsTold(t *testing.T) {
	told := make(chan resilience.Abandoned, 9)
	registry := newRegistry(t, streaming, resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
		if e, is := e.(resilience.Abandoned); is {
			told <- e
		}
	})))
	guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p", Timeout: "p"})
	if _, err := fetch(context.Background(), newGuard(t, registry, resilience.Guards{Bulkhead: "p"}), with(&body{left: 9})); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.GC()
	select {
	case e := <-told:
		if e.Method != "Client.Do" {
			t.Errorf("told %+v", e)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("nobody is told")
	}
	wantInUse(t, registry, 0)
	answer, err := fetch(context.Background(), guard, with(&body{left: 9}))
	if err != nil {
		t.Fatal(err)
	}
	answer.Close()
	answer = nil
	runtime.GC()
	runtime.GC()
	if len(told) > 0 {
		t.Errorf("a closed body is told of: %+v", <-told)
	}
}

func TestClientsC10ABodyThatIsClosedEarlyIsASuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, streaming)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p"})
		answer, _ := fetch(t.Context(), guard, with(&body{left: 9}))
		answer.Read(make([]byte, 1))
		answer.Close()
		answer.Read(make([]byte, 1))
		wantCounts(t, registry, 1, 0)
		wantInUse(t, registry, 0)
	})
}

// received is a stream of gRPC, as a generated wrapper hands it out.
type received struct {
	errs   []error
	stream *resilience.Stream
}

func (r *received) Recv() (int, error) {
	err := r.errs[0]
	if len(r.errs) > 1 {
		r.errs = r.errs[1:]
	}
	return 1, r.stream.Read(err)
}

func TestClientsC11AStreamOfMessagesEndsWithItsError(t *testing.T) {
	status := errors.New("rpc error: code = Unavailable")
	for last, failures := range map[error]uint64{io.EOF: 0, status: 1} {
		synctest.Test(t, func(t *testing.T) {
			registry := newRegistry(t, streaming)
			guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p"})
			stream := new(resilience.Stream)
			if err := stream.Begin(t.Context(), guard); err != nil {
				t.Fatal(err)
			}
			r := &received{[]error{nil, nil, last}, stream}
			stream.Finish(nil)
			resilience.Hold(stream, r)
			stream.Release()
			for range 2 {
				r.Recv()
				wantInUse(t, registry, 1)
			}
			for range 3 {
				if _, err := r.Recv(); err != last {
					t.Errorf("got %v, want %v", err, last)
				}
			}
			wantInUse(t, registry, 0)
			wantCounts(t, registry, 1+failures, failures)
		})
	}
}

func TestAnErrorWhileReadingIsOneFailureMore(t *testing.T) {
	reset := errors.New("connection reset")
	for name, c := range map[string]struct {
		err      error
		gone     bool
		failures uint64
	}{"reset": {reset, false, 1}, "caller has gone": {reset, true, 0}} {
		synctest.Test(t, func(t *testing.T) {
			registry := newRegistry(t, streaming)
			guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p", Timeout: "p"})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			answer, _ := fetch(ctx, guard, with(&body{left: 9, err: c.err}))
			if c.gone {
				cancel()
				synctest.Wait()
				wantInUse(t, registry, 0)
			}
			if _, err := io.ReadAll(answer); !c.gone && err != reset {
				t.Errorf("%s: %v", name, err)
			}
			wantCounts(t, registry, 1+c.failures, c.failures)
			wantInUse(t, registry, 0)
		})
	}
}

// A failure that comes late decides as any other, also in HALF_OPEN, and takes no
// trial away.
func TestALateFailureOpensABreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"p": {"failureThreshold": 1, "successThreshold": 2, "testDelay": "1s"}}, "bulkheads": {"p": {}}}`)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p"})
		for range 2 {
			answer, err := fetch(t.Context(), guard, with(&body{err: errFailing}))
			if err != nil {
				t.Fatal(err)
			}
			io.ReadAll(answer)
			if got := breakerOf(t, registry, "p"); got.State != resilience.Open || got.Trials != 0 {
				t.Errorf("%+v", got)
			}
			time.Sleep(time.Second)
		}
	})
}

func TestNothingHandedOutEndsTheCallAtItsReturn(t *testing.T) {
	registry := newRegistry(t, streaming)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p", Timeout: "p"})
	for name, c := range map[string]struct {
		next     func(context.Context) (io.ReadCloser, error)
		failures uint64
	}{
		"nil":   {func(context.Context) (io.ReadCloser, error) { return nil, nil }, 0},
		"error": {func(context.Context) (io.ReadCloser, error) { return &body{}, errFailing }, 1},
		"panic": {func(context.Context) (io.ReadCloser, error) { panic("of the client") }, 1},
	} {
		before := breakerOf(t, registry, "p")
		func() {
			defer func() { recover() }()
			fetch(t.Context(), guard, c.next)
		}()
		wantInUse(t, registry, 0)
		if after := breakerOf(t, registry, "p"); after.Calls != before.Calls+1 || after.Failures != before.Failures+c.failures {
			t.Errorf("%s: %+v", name, after)
		}
	}
}

// writing is the body of a connection that was taken over.
type writing struct {
	body
	bytes.Buffer
}

func (w *writing) Read(p []byte) (int, error)          { return w.body.Read(p) }
func (w *writing) WriteTo(to io.Writer) (int64, error) { return 0, errFailing }
func (w *writing) Write(p []byte) (int, error)         { return w.Buffer.Write(p) }

func TestABodyKeepsItsCapabilities(t *testing.T) {
	registry := newRegistry(t, streaming)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p"})
	opened := &writing{}
	answer, err := fetch(t.Context(), guard, func(context.Context) (io.ReadCloser, error) { return opened, nil })
	if err != nil {
		t.Fatal(err)
	}
	answer.(io.Writer).Write([]byte("hello"))
	if opened.String() != "hello" {
		t.Errorf("written: %q", opened.String())
	}
	if inside := answer.(interface{ Unwrap() io.ReadCloser }).Unwrap(); inside != opened {
		t.Errorf("unwrapped %v", inside)
	}
	if _, err := answer.(io.WriterTo).WriteTo(io.Discard); err != errFailing {
		t.Error(err)
	}
	wantInUse(t, registry, 0)
	wantCounts(t, registry, 2, 1)
	plain, _ := fetch(t.Context(), guard, with(&body{}))
	if _, writes := plain.(io.Writer); writes {
		t.Error("a body that can't be written to says that it can")
	}
	if _, writes := plain.(io.WriterTo); writes {
		t.Error("a body that is no WriterTo says that it is one")
	}
	plain.Close()
}

// full is a file on a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFailing }

// Where a copy fails to write, the dependency is well, and the body still open.
func TestClientsC10ADestinationThatFailsIsNoFailureOfTheBody(t *testing.T) {
	registry := newRegistry(t, streaming)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p"})
	for _, opened := range []io.ReadCloser{
		io.NopCloser(strings.NewReader("hello")), // an io.WriterTo, as a bytes.Reader and a bufio.Reader are
		io.NopCloser(struct{ io.Reader }{strings.NewReader("hello")}),
	} {
		answer, err := fetch(t.Context(), guard, func(context.Context) (io.ReadCloser, error) { return opened, nil })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(full{}, answer); err != errFailing {
			t.Errorf("copied: %v", err)
		}
		wantInUse(t, registry, 1)
		answer.Close()
		wantInUse(t, registry, 0)
	}
	wantCounts(t, registry, 2, 0)
}

// What is handed on of a body is what it wrote.
func TestABodyWritesToTheDestination(t *testing.T) {
	registry := newRegistry(t, streaming)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p"})
	answer, err := fetch(t.Context(), guard, func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("hello")), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var to strings.Builder
	if n, err := answer.(io.WriterTo).WriteTo(&to); n != 5 || err != nil || to.String() != "hello" {
		t.Errorf("written are %d, %q, %v", n, to.String(), err)
	}
	wantInUse(t, registry, 0)
}

// An iterator that panics has failed; where the loop's body panics, or its goroutine
// ends, nobody can tell that of the iterator.
func TestAPanicOfAnIteratorIsAFailureAndOneOfTheLoopIsNone(t *testing.T) {
	registry := newRegistry(t, streaming)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p"})
	breaks := func(yield func(int) bool) {
		yield(1)
		panic("of the iterator")
	}
	broken := func(yield func(int, error) bool) {
		yield(1, nil)
		panic("of the iterator")
	}
	one := func(run func()) {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer func() { recover() }()
			run()
		}()
		<-ended
		wantInUse(t, registry, 0)
	}
	hand := func(s *resilience.Stream) iter.Seq[int] { return resilience.Seq(s, breaks) }
	hand2 := func(s *resilience.Stream) iter.Seq2[int, error] { return resilience.Seq2(s, broken) }
	for i, run := range []func(){
		func() {
			for range loop(t, registry, guard, hand) {
				panic("of the loop")
			}
		},
		func() {
			for range loop(t, registry, guard, hand2) {
				runtime.Goexit()
			}
		},
	} {
		one(run)
		wantCounts(t, registry, uint64(i)+1, 0)
	}
	one(func() {
		for range loop(t, registry, guard, hand) {
		}
	})
	wantCounts(t, registry, 4, 1)
	one(func() {
		for range loop(t, registry, guard, hand2) {
		}
	})
	wantCounts(t, registry, 6, 2)
}

// numbers yields as many numbers, and an error in the end.
func loop[T any](t *testing.T, registry *resilience.Registry, guard *resilience.Guard, hand func(*resilience.Stream) T) T {
	t.Helper()
	stream := new(resilience.Stream)
	defer stream.Release()
	if err := stream.Begin(t.Context(), guard); err != nil {
		t.Fatal(err)
	}
	stream.Finish(nil)
	handed := hand(stream)
	wantInUse(t, registry, 1)
	return handed
}

func TestIteratorsLastUntilTheirLoopEnds(t *testing.T) {
	registry := newRegistry(t, streaming)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p"})
	seq := loop(t, registry, guard, func(s *resilience.Stream) iter.Seq[int] { return resilience.Seq(s, slices.Values([]int{1, 2, 3})) })
	if got := slices.Collect(seq); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("collected %v", got)
	}
	wantInUse(t, registry, 0)
	wantCounts(t, registry, 1, 0)
	early := loop(t, registry, guard, func(s *resilience.Stream) iter.Seq[int] { return resilience.Seq(s, slices.Values([]int{1, 2, 3})) })
	for range early {
		break
	}
	wantInUse(t, registry, 0)
	failing := func(yield func(int, error) bool) {
		_ = yield(1, nil) && yield(0, errFailing) && yield(0, errFailing)
	}
	pairs := loop(t, registry, guard, func(s *resilience.Stream) iter.Seq2[int, error] { return resilience.Seq2(s, failing) })
	n := 0
	for _, err := range pairs {
		if n++; n > 1 && err != errFailing {
			t.Error(err)
		}
	}
	wantInUse(t, registry, 0)
	wantCounts(t, registry, 4, 1)
	func() {
		defer func() { recover() }()
		for range loop(t, registry, guard, func(s *resilience.Stream) iter.Seq[int] { return resilience.Seq(s, slices.Values([]int{1})) }) {
			panic("of a loop")
		}
	}()
	wantInUse(t, registry, 0)
}

func TestAStreamMakesThreeAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	registry := newRegistry(t, streaming)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Bulkhead: "p"})
	b := &body{}
	open := func(context.Context) (io.ReadCloser, error) { return b, nil }
	got := testing.AllocsPerRun(1000, func() {
		answer, _ := fetch(context.Background(), guard, open)
		answer.Close()
	})
	if got > 3 {
		t.Errorf("%v allocations", got)
	}
}

type ownError struct{}

func (*ownError) Error() string { return "own" }

// A nil of a type of errors is no failure, and ErrTimeout can't be put in the place of such a value.
func TestPairsWithErrorsOfATypeOfTheirOwnPassUnchanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, streaming)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "p", Timeout: "p"})
		stream := new(resilience.Stream)
		if err := stream.Begin(t.Context(), guard); err != nil {
			t.Fatal(err)
		}
		stream.Finish(nil)
		var got []*ownError
		for _, err := range resilience.Seq2(stream, func(yield func(int, *ownError) bool) {
			if yield(1, nil) {
				wantCounts(t, registry, 1, 0)
				time.Sleep(time.Second)
				yield(2, new(ownError))
			}
		}) {
			got = append(got, err)
		}
		if len(got) != 2 || got[0] != nil || got[1] == nil {
			t.Errorf("the loop got %v", got)
		}
		wantCounts(t, registry, 2, 1) // of the timeout
	})
}

// Opening and closing a body makes few allocations: three more watch a context that
// can end, and the timeout's context and its watch make the rest.
func TestAStreamMakesFewAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	registry := newRegistry(t, `{"timeouts": {"p": {"duration": "10s"}}}`)
	type closer struct {
		io.Reader
		io.Closer
	}
	plain := closer{strings.NewReader(""), io.NopCloser(nil)}
	guards := resilience.Guards{Breaker: "p", Bulkhead: "p"}
	bounded := guards
	bounded.Timeout = "p"
	for name, c := range map[string]struct {
		guards resilience.Guards
		body   io.ReadCloser
		ctx    context.Context
		most   float64
	}{
		"a body":                      {guards, plain, context.Background(), 2},
		"an io.WriterTo":              {guards, io.NopCloser(strings.NewReader("")), context.Background(), 3},
		"a context that can end":      {guards, plain, t.Context(), 5},
		"a timeout":                   {bounded, plain, context.Background(), 15}, // a timer that ends late has one or two more
		"a timeout, and such context": {bounded, plain, t.Context(), 16},
	} {
		guard := newGuard(t, registry, c.guards)
		if got := testing.AllocsPerRun(1000, func() {
			body, err := fetch(c.ctx, guard, func(context.Context) (io.ReadCloser, error) { return c.body, nil })
			if err != nil {
				t.Fatal(err)
			}
			body.Close()
		}); got > c.most {
			t.Errorf("%s: %v allocations a call, want at most %v", name, got, c.most)
		}
	}
}

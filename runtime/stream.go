package resilience

import (
	"cmp"
	"context"
	"io"
	"iter"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
)

// Stream is a call that lasts until what it returned is closed, has been read to its
// end or has failed. The permits, the reservation and the context with the deadline are
// kept until then. It also ends with its timeout, with the caller's context, and when
// what it returned is collected without having been closed, which is the event
// [Abandoned].
//
// The return decides the outcome, as of any call. An error while reading is one
// failure more, unless it is the end or the caller has gone.
//
// Generated methods make one for each call with new, because it outlives them. What it
// hands out may be used as before: a Stream adds no rule about goroutines.
type Stream struct {
	Call
	opened bool // the method of the dependency has returned, without an error
	held   bool // something is handed out
	done   atomic.Bool
	stop   func() bool // of waiting for the context; nil: it never ends
}

// Finish ends the opening with the error that the dependency returned, as
// [Call.Finish] ends a call. Without an error the call goes on in what is handed out;
// if nothing is, it ends with Release.
func (s *Stream) Finish(err error) error {
	if err != nil || s.guard == nil {
		return s.Call.Finish(err)
	}
	outcome := Success
	if s.guard.classify != nil {
		outcome = s.judge(nil)
	}
	s.open(outcome)
	return nil
}

// FinishAs is Finish with the outcome that a judge of all results says.
func (s *Stream) FinishAs(outcome Outcome, err error) error {
	if err != nil || s.guard == nil {
		return s.Call.FinishAs(outcome, err)
	}
	s.open(outcome)
	return nil
}

// open records the outcome of the opening, which returned no error.
func (s *Stream) open(outcome Outcome) {
	outcome = s.concluded(outcome, nil)
	s.record(outcome, nil)
	s.tell(s.guard, outcome)
	s.opened = true
}

// Release ends a call that did not reach Finish, as [Call.Release] does, and one of
// which nothing was handed out.
func (s *Stream) Release() {
	switch {
	case !s.opened:
		s.Call.Release()
	case !s.held:
		s.end(nil)
	}
}

// hold ends the call when handed is collected. Nothing that s refers to may refer to
// handed.
func hold[T any](s *Stream, handed *T, dropped func(*T)) {
	s.held = true
	if s.ctx.Done() != nil {
		s.stop = context.AfterFunc(s.ctx, s.expired)
	}
	runtime.SetFinalizer(handed, dropped) // a cleanup would make two allocations more
}

// Hold lets the call go on in a value that a generated method hands out.
func Hold[T any](s *Stream, handed *T) *T {
	hold(s, handed, func(*T) { s.dropped() })
	return handed
}

// Body lets the call go on in the body of an answer. What it returns is an io.WriterTo
// or an io.Writer where the body is; by Unwrap it has the body for other capabilities.
func (s *Stream) Body(body io.ReadCloser) io.ReadCloser {
	if body == nil {
		return nil
	}
	b := &held{body, s}
	hold(s, b, (*held).dropped)
	from, writesTo := body.(io.WriterTo)
	to, writes := body.(io.Writer)
	switch {
	case writesTo && writes:
		return struct {
			*held
			io.Writer
			heldWriterTo
		}{b, heldWriter{to, b}, heldWriterTo{from, b}}
	case writesTo:
		return struct {
			*held
			heldWriterTo
		}{b, heldWriterTo{from, b}}
	case writes:
		return struct {
			*held
			io.Writer
		}{b, heldWriter{to, b}}
	}
	return b
}

// held is a body whose call lasts until its end.
type held struct {
	io.ReadCloser
	stream *Stream
}

func (h *held) Read(p []byte) (n int, err error) {
	n, err = h.ReadCloser.Read(p)
	return n, h.stream.Read(err)
}

func (h *held) Close() error { return h.stream.Closed(h.ReadCloser.Close()) }

func (h *held) dropped() { h.stream.dropped() }

// Unwrap returns the body as the client returned it. Reading it directly does not end
// the call; closing the held one does.
func (h *held) Unwrap() io.ReadCloser { return h.ReadCloser }

// heldWriter writes to a body. It keeps the call alive, because whoever has it may
// hold nothing else of the body.
type heldWriter struct {
	io.Writer
	of *held
}

type heldWriterTo struct {
	from io.WriterTo
	of   *held
}

// WriteTo reads the body to its end. Where w fails, that says nothing of the body, and
// the call goes on until the body is closed.
func (h heldWriterTo) WriteTo(w io.Writer) (n int64, err error) {
	to := destination{Writer: w}
	switch n, err = h.from.WriteTo(&to); {
	case err == nil:
		return n, h.of.stream.Closed(nil)
	case to.failed:
		return n, err
	}
	return n, h.of.stream.Read(err)
}

// destination notes whether a writer fails.
type destination struct {
	io.Writer
	failed bool
}

func (d *destination) Write(p []byte) (n int, err error) {
	n, err = d.Writer.Write(p)
	d.failed = d.failed || err != nil || n < len(p)
	return n, err
}

// Seq lets the call go on in an iterator, until its loop ends.
func Seq[T any](s *Stream, seq iter.Seq[T]) iter.Seq[T] {
	if seq == nil {
		return nil
	}
	l := &loop{s}
	hold(s, l, (*loop).dropped)
	return func(yield func(T) bool) {
		l.run(func(inBody *bool) {
			seq(func(t T) bool {
				*inBody = true
				more := yield(t)
				*inBody = false
				return more
			})
		})
	}
}

// Seq2 is Seq for an iterator over pairs. Where the second is an error, in that very
// type, it is one while reading.
func Seq2[T, U any](s *Stream, seq iter.Seq2[T, U]) iter.Seq2[T, U] {
	if seq == nil {
		return nil
	}
	l := &loop{s}
	hold(s, l, (*loop).dropped)
	return func(yield func(T, U) bool) {
		l.run(func(inBody *bool) {
			seq(func(t T, u U) bool {
				if err, is := any(&u).(*error); is { // of a type of errors, a nil would be an error too
					*err = s.Read(*err)
				}
				*inBody = true
				more := yield(t, u)
				*inBody = false
				return more
			})
		})
	}
}

// loop is what an iterator holds on to.
type loop struct{ stream *Stream }

func (l *loop) dropped() { l.stream.dropped() }

// run runs an iterator. A panic counts as a failure, unless it is the loop's body
// that panics.
func (l *loop) run(seq func(inBody *bool)) {
	inBody, ended := false, false
	defer func() {
		if inBody || ended {
			l.stream.end(nil)
		} else {
			l.stream.end(errBroken)
		}
	}()
	seq(&inBody)
	ended = true
}

// Read takes the result of reading: nil goes on, io.EOF is the end, and any other
// error ends the call as a failure, unless its caller has gone. It returns err, which
// also is [ErrTimeout] where the guard's timeout had passed.
func (s *Stream) Read(err error) error {
	switch {
	case err == nil:
	case err == io.EOF:
		s.end(nil)
	case s.caller().Err() != nil:
		s.end(nil)
	case s.expiredByUs():
		err = s.timeoutError(err)
		s.end(err)
	default:
		s.end(err)
	}
	return err
}

// Next takes the result of fetching the next of what may end: false ends the call, as
// a failure if err, the method that says why, returns an error. It may be nil.
func (s *Stream) Next(more bool, err func() error) bool {
	if !more {
		why := io.EOF
		if err != nil {
			why = cmp.Or(err(), io.EOF)
		}
		s.Read(why)
	}
	return more
}

// Closed takes the result of closing, which ends the call whatever it is.
func (s *Stream) Closed(err error) error {
	s.end(nil)
	return err
}

// expiredByUs reports whether the guard's timeout has passed.
func (s *Stream) expiredByUs() bool { return s.measured != nil && s.measured.passed(s.ctx) }

func (s *Stream) timeoutError(err error) error {
	return &timeoutError{s.guard.method, s.measured.limit, err}
}

// expired ends the call when its context is done.
func (s *Stream) expired() {
	if s.caller().Err() == nil && s.expiredByUs() {
		s.finish(s.timeoutError(s.ctx.Err()))
		return
	}
	s.finish(nil)
}

// dropped ends a call of which what was handed out is collected.
func (s *Stream) dropped() {
	if s.end(nil) {
		s.guard.tell(Abandoned{time.Now(), s.guard.method})
	}
}

// end ends the call once; an error counts as a failure. It reports whether the call
// went on until now.
func (s *Stream) end(failure error) (ended bool) {
	if ended = s.finish(failure); ended && s.stop != nil {
		s.stop()
	}
	return ended
}

// finish is end for the context itself, which may be done before hold has returned.
func (s *Stream) finish(failure error) (ended bool) {
	if s.done.Swap(true) {
		return false
	}
	if failure != nil && s.period != nil {
		s.period.FailedLater(s.guard.method, breaker.Describe(failure))
	}
	if _, late := failure.(*timeoutError); late {
		s.guard.timeout.count()
	}
	s.letGo(s.guard)
	return true
}

// Abandoned is a stream that nobody closed and nobody read to its end: it was
// collected. Until then it held its permit.
type Abandoned struct {
	At     time.Time `json:"at"`
	Method string    `json:"method"`
}

func (Abandoned) event() {}

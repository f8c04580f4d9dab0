package resilience

import (
	"context"
	"log/slog"

	"github.com/resgen-go/resgen/runtime/internal/config"
	"github.com/resgen-go/resgen/runtime/internal/sharing"
	"github.com/resgen-go/resgen/runtime/internal/watch"
)

// Option sets up a registry; see [New].
type Option func(*setup)

type setup struct {
	source    Source
	follow    bool
	strict    bool
	logger    *slog.Logger
	observers []Observer
	calls     bool
	count     bool
	times     bool
	trace     func(context.Context) (id string, ok bool)
	inCall    inCall
	record    func(tell func(Event)) callRecorder // nil: nobody records
	faults    bool
	fleet     sharing.Adapter
	fault     error // of an option
}

// Source delivers the settings: the text of a JSON file, wherever it lives.
// [File] and [Watch] are made of one that reads a file.
type Source interface {
	// Read returns the present text and a name for it in messages.
	Read() (name string, text []byte, err error)
	// Follow calls changed, from one goroutine, whenever Read may give something
	// new, until stop has returned.
	Follow(changed func()) (stop func(), err error)
}

// File reads the settings from the JSON file at path, once. A relative path
// begins in the working folder of when New is called. Only a regular file will
// do, and one that does not answer within 5 seconds is an error. If several options
// say where settings come from, the last one counts.
func File(path string) Option {
	return func(s *setup) { s.source, s.follow = newFile(path), false }
}

// Watch reads the settings from the JSON file at path, as [File] does, and
// again within a second after it has changed, in whatever way. A change with a
// fault in it leaves the old settings in force and shows as a [Reloaded] event;
// the file must be right at the start.
func Watch(path string) Option {
	return func(s *setup) { s.source, s.follow = newFile(path), true }
}

// Follow is [Watch] for settings that come from elsewhere. A nil source means the
// built-in settings.
func Follow(source Source) Option {
	return func(s *setup) { s.source, s.follow = source, true }
}

// Settings takes the settings from text, the content of a JSON file. Name
// stands for it in messages.
func Settings(name string, text []byte) Option {
	return func(s *setup) { s.source, s.follow = literal{name, text}, false }
}

// Strict makes a wrapper's constructor fail if it asks for a name that the settings
// lack, and makes a reload that lacks a name in use change nothing. It needs
// settings: without a source New fails.
func Strict() Option { return func(s *setup) { s.strict = true } }

// Logger says where the log goes; nil: nowhere. The default is slog.Default(). The
// log has the events that somebody may have to act on: changes of a breaker's
// state, with the last failure; failures of probes, each text once; bulkheads and
// rate limits that begin to refuse, and when that is over; settings that are
// rejected or doubtful, and names that they lack; the link to the processes that
// share breakers. A breaker that flaps has at most a line a second, with the number
// of changes that have none.
func Logger(logger *slog.Logger) Option { return func(s *setup) { s.logger = logger } }

// Observe adds an observer; nil adds none. It gets every event except [CallEnded].
func Observe(observer Observer) Option {
	return func(s *setup) {
		if f, ok := observer.(ObserverFunc); observer != nil && !(ok && f == nil) {
			s.observers = append(s.observers, observer)
		}
	}
}

// ObserveCalls makes observers get [CallEnded] too. Each call then costs three
// readings of the clock and two allocations. For durations alone [Time] is cheaper.
func ObserveCalls() Option { return func(s *setup) { s.calls = true } }

// Count makes breakers count their successes, for totals of all calls in snapshots
// and metrics. A success then costs one atomic addition. Without it failures, slow
// and ignored calls are counted, which costs nothing.
func Count() Option { return func(s *setup) { s.count = true } }

// Time makes a registry count how long the calls of each method take, by outcome,
// for snapshots and metrics. A call then reads the clock twice and makes two atomic
// additions, without a lock or an allocation. It includes [Count].
func Time() Option { return func(s *setup) { s.times, s.count = true, true } }

// Exemplars is [Time] that also keeps, for each range of durations and each second,
// the trace of one call, so that a slow one can be looked at. The function returns
// by which id tracing knows the call with this context; ok is false for a call that
// is not recorded. Several calls may ask it at the same time, each after its end. A
// nil function keeps none.
func Exemplars(trace func(ctx context.Context) (id string, ok bool)) Option {
	return func(s *setup) { s.times, s.count, s.trace = true, true, trace }
}

// file is the Source of one registry. It remembers what the registry has read.
type file struct {
	name string
	*watch.File
}

func newFile(path string) file { return file{path, watch.New(path, config.ReadFile)} }

func (f file) Read() (string, []byte, error) {
	text, err := f.File.Read()
	return f.name, text, err
}

func (f file) Follow(changed func()) (func(), error) { return f.File.Follow(changed), nil }

type literal struct {
	name string
	text []byte
}

func (l literal) Read() (string, []byte, error) { return l.name, l.text, nil }

func (l literal) Follow(func()) (func(), error) { return func() {}, nil }

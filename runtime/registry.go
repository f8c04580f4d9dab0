package resilience

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/resgen-go/resgen/internal/nearest"
	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/config"
	"github.com/resgen-go/resgen/runtime/internal/faults"
	"github.com/resgen-go/resgen/runtime/internal/ratelimit"
	"github.com/resgen-go/resgen/runtime/internal/redact"
	"github.com/resgen-go/resgen/runtime/internal/retry"
	"github.com/resgen-go/resgen/runtime/internal/sharing"
)

// Registry holds the breakers, bulkheads and timeouts of a service by their names,
// made when a wrapper first asks for them. A service usually has one. All its
// methods are safe for concurrent use.
type Registry struct {
	events   *events      // for the observers
	log      *events      // for the logger
	attached attached     // the queues of those who came later
	recorder callRecorder // nil: nobody records
	inCall   inCall       // nil: nobody
	strict   bool
	count    bool                                       // the successes of breakers, too
	injects  bool                                       // the section faults is allowed
	trace    func(context.Context) (id string, ok bool) // nil: nobody wants exemplars
	source   Source                                     // nil: built-in settings
	stop     func()                                     // of following the source
	fleet    sharing.Adapter                            // nil: nothing is shared
	link     atomic.Pointer[FleetLink]                  // the last news of it
	links    sync.Map                                   // of single breakers: the fault, by name
	hooks    breaker.Hooks

	reading  sync.Mutex       // held while settings are read and applied
	wiring   sync.Mutex       // one adds probes and defaults at a time
	keying   sync.Mutex       // one changes pools at a time; before mu
	pools    map[string]*pool // of instances that calls make by their keys, by the names they are of; guarded by keying
	defaults map[string]iface // which has a name by default, such as "breakers.client"
	version  version          // of the settings
	entered  atomic.Bool      // there is an entry, so that refusals look for the one around them
	closings atomic.Uint64    // transitions of breakers to CLOSED
	circles  circles
	ended    chan struct{} // closed when Close has done its work
	endErr   error

	mu                 sync.Mutex
	settings           *config.File
	accepted, rejected uint64       // readings of the settings
	reload             Reloaded     // the last one
	sections           []anySection // all of them, in the order of the settings file
	breakers           *section[*breaker.Breaker, breaker.Settings]
	bulkheads          *section[*bulkhead.Bulkhead, bulkhead.Sizing]
	timeouts           *section[*timeout, *config.Timeout]
	rateLimits         *section[*ratelimit.Limiter, *ratelimit.Settings]
	retries            *section[*retry.Policy, *retry.Settings]
	budgets            *section[*retry.Budget, *retry.BudgetSettings]
	fallbacks          *section[*fallback, *config.Fallback]
	faults             *section[*faults.Fault, *faults.Settings]
	reserves           map[string]reserve   // the largest of each name, such as "bulkheads.inventory"
	instances          map[string]*instance // by full names
	families           map[string]*family   // by the names that gates have
	entries            map[string]*entry    // by method
	timings            map[string]*timing   // by method; nil without the option Time
	usage              usage
	latest             struct {
		settings breaker.Settings
		strategy breaker.Strategy
	}
	suggested int // how many names were looked for that the settings lack
	closed    bool
}

// maxNames is the most names that a section takes. More are a mistake, such as
// names made from requests, and would use up the memory.
const maxNames = 100_000

// New makes a registry. Without [File], [Watch], [Follow] or [Settings] every
// name has the built-in settings. A fault in the settings is an error that
// lists all faults with their positions.
func New(options ...Option) (*Registry, error) {
	setup := setup{logger: slog.Default()}
	for i, option := range options {
		if option == nil {
			return nil, fmt.Errorf("resilience: option %d of New is nil; leave it out", i+1)
		}
		option(&setup)
	}
	if setup.fault != nil {
		return nil, setup.fault
	}
	r := &Registry{
		events:    newEvents(setup),
		log:       newLog(setup.logger),
		inCall:    setup.inCall,
		strict:    setup.strict,
		count:     setup.count,
		injects:   setup.faults,
		source:    setup.source,
		fleet:     setup.fleet,
		settings:  config.Default(),
		stop:      func() {},
		ended:     make(chan struct{}),
		reserves:  make(map[string]reserve),
		instances: make(map[string]*instance),
		pools:     make(map[string]*pool),
		families:  make(map[string]*family),
		entries:   make(map[string]*entry),
		usage:     usage{of: make(map[string][]config.Use), told: make(map[string]bool)},
		defaults:  make(map[string]iface),
	}
	if setup.times {
		r.timings, r.trace = make(map[string]*timing), setup.trace
	}
	if setup.record != nil {
		r.recorder = setup.record(r.log.emit)
		r.events.recordTo(r.recorder)
	}
	r.hooks = r.newHooks()
	r.addSections()
	if r.fleet != nil {
		r.fleet.Start(r.fleetHooks())
	}
	if err := r.start(setup); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// made returns an error if New did not make the registry.
func (r *Registry) made() error {
	if r == nil || r.ended == nil {
		return errUnmade
	}
	return nil
}

var errUnmade = errors.New("the registry is nil or not made by resilience.New; check the error that New returned")

func newEvents(setup setup) *events {
	observed := len(setup.observers) > 0
	calls := observed && setup.calls
	return &events{observers: setup.observers, observed: observed, calls: calls, ends: calls}
}

// start follows the source before it reads it, so that no change falls between.
func (r *Registry) start(setup setup) error {
	switch {
	case r.source == nil && r.strict:
		return errStrict
	case r.source == nil:
		return nil
	}
	if setup.follow {
		stop, err := r.source.Follow(func() { r.Reload() })
		if err != nil {
			return fmt.Errorf("resilience: can't watch the settings: %w", redact.Error(err))
		}
		if stop != nil {
			r.stop = stop
		}
	}
	r.reading.Lock()
	defer r.reading.Unlock()
	settings, name, err := r.read()
	if err != nil {
		return err
	}
	return r.begin(settings, name)
}

var errStrict = errors.New("resilience: Strict needs settings: add Watch, File, Follow or Settings")

// begin puts the first settings into force.
func (r *Registry) begin(settings *config.File, name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.share(settings); err != nil {
		return err
	}
	r.settings = settings
	r.reload = Reloaded{At: time.Now(), Source: name}
	r.accepted++
	r.warn()
	return nil
}

// Close stops the workers of probes, the sharing with other processes and the
// watching of the settings, and delivers the events that wait. Wrappers go on
// guarding with what they have. It waits five seconds each for the [Source], the
// log and the observers, and its error names those that did not end in time. It
// waits for an adapter as long as one exchange with the server may last. A further
// Close waits for the first and returns the same. An observer must not call it,
// because it would wait for itself.
func (r *Registry) Close() error {
	if err := r.made(); err != nil {
		return fmt.Errorf("resilience: %w", err)
	}
	if first := r.markClosed(); first {
		r.endErr = r.end()
		close(r.ended)
	}
	<-r.ended
	return r.endErr
}

// markClosed marks the registry as closed. It reports whether it was open.
func (r *Registry) markClosed() (first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first = !r.closed
	r.closed = true
	return first
}

func (r *Registry) end() error {
	r.warnOfUnprobed()
	r.closeSections()
	if r.fleet != nil {
		r.fleet.Close()
	}
	return errors.Join(r.unfollow(), r.endEvents(), r.endLog(), r.attached.drain())
}

// endEvents delivers the last events, and ends what is recorded.
func (r *Registry) endEvents() error {
	if r.recorder != nil {
		r.events.endRecord()
	}
	return r.events.drain(errUndelivered)
}

// endLog writes what the log holds back, and waits for its last lines.
func (r *Registry) endLog() error {
	r.log.emit(lastLines{})
	return r.log.drain(errUnlogged)
}

// unfollow stops following the source. It does not wait for a source that hangs.
func (r *Registry) unfollow() error {
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		r.stop()
	}()
	return within(closeWait, stopped, errFollowing)
}

// closeWait is how long Close waits for the source, the log and the observers.
const closeWait = 5 * time.Second

var errFollowing = errors.New("resilience: the source of the settings did not stop in time")

// within waits for done. It returns the error late if that takes too long.
func within(limit time.Duration, done <-chan struct{}, late error) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return nil
	case <-timer.C:
		return late
	}
}

func (r *Registry) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// closeSections closes everything that the sections made. They make nothing more.
func (r *Registry) closeSections() {
	for _, s := range r.sections {
		r.mu.Lock()
		closeAll := s.closing()
		r.mu.Unlock()
		closeAll()
	}
}

// admitName returns an error if a section takes no more names, or not this one.
func (r *Registry) admitName(s anySection, name string) error {
	switch {
	case r.closed:
		return ErrClosed
	case s.count() >= maxNames:
		return fmt.Errorf("resilience: %s.%s: there are %d names already", s.title(), name, maxNames)
	case r.source == nil || r.settings.Covers(s.title(), name) || s.has(config.Base(name)):
		return nil
	}
	unknown := r.unknown(r.settings, s, name)
	if r.strict {
		return unknown.fault(r.settings.Name())
	}
	r.tell(unknown)
	return nil
}

// maxSuggestions is for how many unknown names of one file the nearest known name
// is looked for. If there are more, it is the wrong file.
const maxSuggestions = 100

// unknown is the event for a name that the settings lack, with the nearest name
// that they have and nobody asked for yet.
func (r *Registry) unknown(settings *config.File, s anySection, name string) UnknownName {
	unknown := UnknownName{At: time.Now(), Section: s.title(), Name: name}
	if r.suggested < maxSuggestions {
		r.suggested++
		unused := slices.DeleteFunc(settings.Names(s.title()), s.has)
		unknown.Nearest, _ = nearest.Name(name, unused)
	}
	return unknown
}

func (u UnknownName) fault(source string) error {
	text := fmt.Sprintf("%s: %s has no %q", source, u.Section, u.Name)
	if u.Nearest != "" {
		text += fmt.Sprintf(", the nearest unused is %q", u.Nearest)
	}
	return errors.New(text)
}

package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/setting"
	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
	"github.com/resgen-go/resgen/runtime/internal/sharing"
	"github.com/resgen-go/resgen/runtime/internal/sharing/rule"
)

// Fleet is this process among those that share breakers: the adapter of one
// registry. Its worker lives from the first breaker that is shared until Close.
type Fleet struct {
	process string // name of this one, new with each start
	backend Backend
	hooks   sharing.Hooks
	wake    chan struct{} // something is to be done now

	posting sync.Mutex // taken under the locks of breakers, and for a moment only
	inbox   []letter
	shares  map[string]bool // breakers that were ever shared

	mu        sync.Mutex
	settings  *sharedstate.Settings
	members   map[string]enlist // that the registry shares
	stop      func()
	published []sharing.Breaker
}

// letter is an event for a member.
type letter struct {
	breaker string
	event   event
}

// enlist shares a breaker by its own settings of the rule.
type enlist struct {
	core            *breaker.Breaker
	own             breaker.Fleet
	calls, failures uint64 // that it counted before
}

// New returns the adapter for one registry.
func New(backend Backend) *Fleet {
	return &Fleet{process: NewProcess(), backend: backend, wake: make(chan struct{}, 1), members: map[string]enlist{}, shares: map[string]bool{}}
}

// NewProcess is a name for a process, new with each start.
func NewProcess() string {
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	host = strings.Map(func(r rune) rune {
		if r <= ' ' || strings.ContainsRune(",;:|", r) {
			return '_'
		}
		return r
	}, host)
	return fmt.Sprintf("%s-%d-%06x", host, os.Getpid(), rand.N(1<<24))
}

// usual are the defaults.
var usual = func() *sharedstate.Settings {
	s := new(sharedstate.Settings)
	setting.Defaults(s)
	return s
}()

// Start, Configure, Join, Leave, Transition, Snapshot, Order and Close are the
// seam to the registry; see package sharing.
func (f *Fleet) Start(hooks sharing.Hooks) { f.hooks = hooks }

func (f *Fleet) Configure(given *sharedstate.Settings, needed bool) error {
	s := new(sharedstate.Settings)
	*s = *given
	incomplete := f.backend.Complete(s)
	if incomplete != nil && needed && s.Enabled {
		return incomplete
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if incomplete != nil && f.settings != nil { // breakers that are shared no more still hand in what they owe
		*s = *f.settings
		s.Enabled = given.Enabled
	}
	f.settings = s
	if f.stop == nil && s.Enabled {
		for name, e := range f.members {
			f.share(name, e)
		}
	}
	f.ring()
	return nil
}

func (f *Fleet) Join(b *breaker.Breaker, own breaker.Fleet) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := enlist{core: b, own: own}
	f.members[b.Name()] = e
	if f.settings == nil || !f.settings.Enabled {
		return
	}
	f.share(b.Name(), e)
}

// share hands a breaker to the worker, which lives from the first on.
func (f *Fleet) share(name string, e enlist) {
	e.core.KeepTotals(true)
	e.calls, e.failures = e.core.Totals()
	f.posting.Lock()
	f.shares[name] = true
	f.posting.Unlock()
	f.post(name, e)
	if f.stop == nil {
		f.begin()
	}
}

func (f *Fleet) Leave(b *breaker.Breaker) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, shares := f.members[b.Name()]; shares {
		delete(f.members, b.Name())
		b.KeepTotals(false)
		f.post(b.Name(), leave{})
	}
}

// rejoin hands all members over again, because settings have changed.
func (f *Fleet) rejoin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, e := range f.members {
		e.core.KeepTotals(f.settings.Enabled)
		if f.settings.Enabled {
			e.calls, e.failures = e.core.Totals()
			f.post(name, e)
		} else {
			f.post(name, leave{})
		}
	}
}

// Transition is told every change of a breaker's state, under its lock.
func (f *Fleet) Transition(t breaker.Transition) {
	switch {
	case t.To == breaker.HalfOpen:
	case t.To == breaker.Open && t.By == "" && !t.Held && (t.From == breaker.Closed || t.From == breaker.HalfOpen):
		f.post(t.Breaker, voted{true})
	default:
		f.post(t.Breaker, voted{false})
	}
}

// Event is told what happens in breakers that are held, under their locks.
func (f *Fleet) Event(e breaker.FleetEvent) {
	switch outage := int64(e.Outage); e.What {
	case breaker.CallWaits:
		f.post(e.Breaker, waits{outage})
	case breaker.TrialBegan:
		f.post(e.Breaker, begun{outage})
	case breaker.TrialGood:
		f.post(e.Breaker, trialOver{outage, rule.Good})
	case breaker.TrialBad:
		f.post(e.Breaker, trialOver{outage, rule.Bad})
	case breaker.TrialIgnored:
		f.post(e.Breaker, trialOver{outage, rule.Unused})
	}
}

func (f *Fleet) Close() {
	f.mu.Lock()
	stop := f.stop
	f.mu.Unlock()
	if stop != nil {
		stop()
	}
}

var errNotShared = errors.New("is not shared by this process")

// Order gives an order for all processes, and waits until the store has it.
func (f *Fleet) Order(ctx context.Context, name string, order sharing.Order) error {
	f.mu.Lock()
	_, shares := f.members[name]
	working := shares && f.stop != nil
	f.mu.Unlock()
	if !working {
		return fmt.Errorf("breaker %q %w", name, errNotShared)
	}
	done := make(chan error, 1)
	f.post(name, ordered{rule.Hand{Word: order.Word, For: order.For.Milliseconds(), By: order.By}, done})
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("breaker %q: the server has not answered yet; the order stays until it does: %w", name, context.Cause(ctx))
	}
}

// Snapshot is what this process knows of its shared breakers, by name.
func (f *Fleet) Snapshot() []sharing.Breaker {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.published)
}

// post hands an event of a breaker that is or was shared to the worker.
func (f *Fleet) post(name string, e event) {
	f.posting.Lock()
	shared := f.shares[name]
	if shared {
		f.inbox = append(f.inbox, letter{name, e})
	}
	f.posting.Unlock()
	if shared {
		f.ring()
	}
}

// forget ends the posting of a breaker that is shared no more.
func (f *Fleet) forget(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, shares := f.members[name]; !shares {
		f.posting.Lock()
		delete(f.shares, name)
		f.posting.Unlock()
	}
}

// letters takes the events that came.
func (f *Fleet) letters() (all []letter) {
	f.posting.Lock()
	defer f.posting.Unlock()
	all, f.inbox = f.inbox, nil
	return all
}

// ring wakes the worker.
func (f *Fleet) ring() {
	select {
	case f.wake <- struct{}{}:
	default: // it is about to wake up
	}
}

// begin starts the worker. Stopping it lets it hand in what it has, for one
// exchange at most.
func (f *Fleet) begin() {
	ctx, cancel := context.WithCancel(context.Background())
	w := &worker{
		fleet: f, settings: f.settings, ctx: ctx, all: map[string]*shared{},
		closing: make(chan struct{}), done: make(chan struct{}),
	}
	go w.work()
	f.stop = sync.OnceFunc(func() {
		close(w.closing)
		limit := time.NewTimer(f.inForce().Timeout)
		defer limit.Stop()
		select {
		case <-w.done:
		case <-limit.C:
		}
		cancel()
		<-w.done
	})
}

// inForce are the settings of now.
func (f *Fleet) inForce() *sharedstate.Settings {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.settings
}

// listen hears of changes. Whenever it has to give up, some may have passed
// unheard.
func (f *Fleet) listen(ctx context.Context, store Store) {
	for ctx.Err() == nil {
		store.Changes(ctx, func(name string, number int64) {
			if name != "" {
				f.post(name, changed{number})
				return
			}
			f.everyone(changed{})
		})
		f.everyone(changed{})
		select {
		case <-ctx.Done():
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

func (f *Fleet) everyone(e event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name := range f.members {
		f.post(name, e)
	}
}

// ruleOf are the settings of the rule for a breaker.
func ruleOf(s *sharedstate.Settings, own breaker.Fleet, trials breaker.Budget) rule.Settings {
	return rule.Settings{
		Threshold: *cmp.Or(own.OutageThreshold, &s.OutageThreshold),
		Errors:    int64(*cmp.Or(own.MinimumErrors, &s.MinimumErrors)),
		Window:    s.OutageWindow.Milliseconds(),
		Votes:     int64(*cmp.Or(own.MinimumVotes, &s.MinimumVotes)),
		Share:     *cmp.Or(own.VoteShare, &s.VoteShare),
		Retry:     cmp.Or(own.SecondsBeforeRetry, &s.SecondsBeforeRetry).Milliseconds(),
		Trial:     s.TrialTimeout.Milliseconds(),
		Ramp:      s.RampInterval.Milliseconds(),
		Good:      int64(max(trials.Good, 1)),
		Of:        int64(max(trials.Of, trials.Good, 1)),
	}
}

// samePlace reports whether the fleet meets where it does with other settings.
func samePlace(a, b *sharedstate.Settings) bool {
	tuned := *b
	tuned.Enabled, tuned.Recording, tuned.SuccessSampleRate = a.Enabled, a.Recording, a.SuccessSampleRate
	tuned.FlushInterval, tuned.OutageCheckInterval = a.FlushInterval, a.OutageCheckInterval
	tuned.OutageThreshold, tuned.OutageWindow, tuned.MinimumErrors = a.OutageThreshold, a.OutageWindow, a.MinimumErrors
	tuned.MinimumVotes, tuned.VoteShare, tuned.RampInterval = a.MinimumVotes, a.VoteShare, a.RampInterval
	tuned.SecondsBeforeRetry, tuned.TrialTimeout = a.SecondsBeforeRetry, a.TrialTimeout
	return reflect.DeepEqual(&tuned, a)
}

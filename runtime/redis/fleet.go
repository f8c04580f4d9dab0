package redis

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
	"github.com/resgen-go/resgen/runtime/internal/sharing"
)

// Share makes breakers with "shared": true in the settings one for all
// processes that meet at the same server under the same keyPrefix. The section
// sharedState of the settings says where that is; if breakers are shared and it
// does not, that is an error of [resilience.New]. The server may be away, then
// and at any time: calls go on.
func Share() resilience.Option {
	return resilience.Share(func() resilience.Adapter { return newFleet() })
}

// fleet is this process among those that share breakers. One goroutine
// exchanges counts for views; it lives from the first breaker that is shared
// until Close.
type fleet struct {
	process string // name of this one, new with each start
	hooks   sharing.Hooks
	members sync.Map      // of the breakers that are shared or were, by name
	wake    chan struct{} // something is to be done now

	mu       sync.Mutex
	settings *settings
	stop     func()
}

func newFleet() *fleet {
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	return &fleet{
		process: fmt.Sprintf("%s-%d-%06x", strings.ReplaceAll(host, " ", "_"), os.Getpid(), rand.N(1<<24)),
		wake:    make(chan struct{}, 1),
	}
}

// Start, Configure, Join, Leave, Transition and Close are the seam to
// the registry; see package sharing.
func (f *fleet) Start(hooks sharing.Hooks) { f.hooks = hooks }

func (f *fleet) Configure(given *sharedstate.Settings, needed bool) error {
	s := &settings{*given}
	_, incomplete := s.option()
	if incomplete != nil && needed && s.Enabled {
		return incomplete
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if incomplete != nil && f.settings != nil { // breakers that are shared no more still hand in what they owe
		s = &settings{f.settings.Settings}
		s.Enabled = given.Enabled
	}
	f.settings = s
	f.ring()
	return nil
}

func (f *fleet) Join(b *breaker.Breaker, own breaker.Fleet) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m, _ := f.members.LoadOrStore(b.Name(), &member{core: b, fleet: f})
	if !m.(*member).join(own) {
		return
	}
	if f.stop == nil {
		f.employ()
	}
	f.ring()
}

func (f *fleet) Leave(b *breaker.Breaker) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m, known := f.members.Load(b.Name()); known {
		m.(*member).leave(time.Now(), f.settings)
		f.ring()
	}
}

func (f *fleet) Transition(t breaker.Transition) {
	if m, known := f.members.Load(t.Breaker); known && m.(*member).observe(t) {
		f.ring()
	}
}

func (f *fleet) Close() {
	f.mu.Lock()
	stop := f.stop
	f.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// ring wakes the worker.
func (f *fleet) ring() {
	select {
	case f.wake <- struct{}{}:
	default: // it is about to wake up
	}
}

// employ starts the worker. Stopping it lets it hand in what it has, for one
// exchange at most.
func (f *fleet) employ() {
	ctx, cancel := context.WithCancel(context.Background())
	w := &worker{fleet: f, settings: f.settings, ctx: ctx, closing: make(chan struct{}), done: make(chan struct{})}
	go w.work()
	f.stop = sync.OnceFunc(func() {
		close(w.closing)
		patience := time.NewTimer(f.inForce().Timeout)
		defer patience.Stop()
		select {
		case <-w.done:
		case <-patience.C:
		}
		cancel()
		<-w.done
	})
}

// inForce are the settings of now.
func (f *fleet) inForce() *settings {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.settings
}

// all are the members, by name.
func (f *fleet) all() (all []*member) {
	f.members.Range(func(_, m any) bool {
		all = append(all, m.(*member))
		return true
	})
	slices.SortFunc(all, func(a, b *member) int { return strings.Compare(a.core.Name(), b.core.Name()) })
	return all
}

// channel is where changes are announced.
func (s *settings) channel() string { return *s.KeyPrefix + "changes" }

package resilience

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/config"
	"github.com/resgen-go/resgen/runtime/internal/faults"
	"github.com/resgen-go/resgen/runtime/internal/ratelimit"
	"github.com/resgen-go/resgen/runtime/internal/retry"
)

// addSections says once for each section of the settings with names in it what a
// registry makes of a name. All else loops over r.sections.
func (r *Registry) addSections() {
	r.breakers = addSection(r, section[*breaker.Breaker, breaker.Settings]{
		name:   config.Breakers,
		create: r.newBreaker,
		retune: r.retuneBreaker,
		show: func(s *Snapshot, all []*breaker.Breaker) {
			s.Breakers = each(all, func(b *breaker.Breaker) BreakerSnapshot {
				s := newBreakerSnapshot(b.Snapshot(), r.shares(b.Name()))
				s.Shadow = newShadowSnapshot(b.Shadow())
				return s
			})
		},
		close: (*breaker.Breaker).Close,
	})
	r.bulkheads = addSection(r, section[*bulkhead.Bulkhead, bulkhead.Sizing]{
		name:   config.Bulkheads,
		create: r.newBulkhead,
		retune: func(b *bulkhead.Bulkhead, s bulkhead.Sizing) func() {
			return func() {
				b.Retune(s, r.calls(b.Name()))
				b.DryRun(s.Dry())
			}
		},
		show: func(s *Snapshot, all []*bulkhead.Bulkhead) {
			s.Bulkheads = each(all, func(b *bulkhead.Bulkhead) BulkheadSnapshot { return newBulkheadSnapshot(b.Snapshot()) })
		},
		close: (*bulkhead.Bulkhead).EndWatch,
		room:  func(s bulkhead.Sizing) (string, int) { return "maxConcurrentCalls", bulkhead.Most(s) },
	})
	r.timeouts = addSection(r, section[*timeout, *config.Timeout]{
		name:   config.Timeouts,
		create: newTimeout,
		retune: func(t *timeout, s *config.Timeout) func() { return func() { t.set(s) } },
		show:   func(s *Snapshot, all []*timeout) { s.Timeouts = each(all, (*timeout).snapshot) },
	})
	r.rateLimits = addSection(r, section[*ratelimit.Limiter, *ratelimit.Settings]{
		name:   config.RateLimits,
		create: r.newRateLimit,
		retune: func(l *ratelimit.Limiter, s *ratelimit.Settings) func() { return func() { l.Retune(*s) } },
		show: func(s *Snapshot, all []*ratelimit.Limiter) {
			s.RateLimits = each(all, func(l *ratelimit.Limiter) RateLimitSnapshot { return newRateLimitSnapshot(l.Snapshot()) })
		},
		close: (*ratelimit.Limiter).EndWatch,
		room:  func(s *ratelimit.Settings) (string, int) { return "burst", s.Most() },
	})
	r.retries = addSection(r, section[*retry.Policy, *retry.Settings]{
		name: config.Retries,
		create: func(name string, s *retry.Settings) *retry.Policy {
			return retry.NewPolicy(name, s, r.budget(s.BudgetOf(name)), r.count)
		},
		retune: func(p *retry.Policy, s *retry.Settings) func() {
			return func() { p.Retune(s, r.budget(s.BudgetOf(p.Name()))) }
		},
		show: func(s *Snapshot, all []*retry.Policy) {
			s.Retries = each(all, func(p *retry.Policy) RetrySnapshot { return RetrySnapshot(p.Snapshot()) })
		},
	})
	r.budgets = addSection(r, section[*retry.Budget, *retry.BudgetSettings]{
		name: config.Budgets,
		create: func(name string, s *retry.BudgetSettings) *retry.Budget {
			return retry.NewBudget(name, s, func() { r.tell(BudgetSpent{time.Now(), name}) })
		},
		retune: func(b *retry.Budget, s *retry.BudgetSettings) func() { return func() { b.Retune(s) } },
		show: func(s *Snapshot, all []*retry.Budget) {
			s.Budgets = each(all, func(b *retry.Budget) BudgetSnapshot { return BudgetSnapshot(b.Snapshot()) })
		},
	})
	r.fallbacks = addSection(r, section[*fallback, *config.Fallback]{
		name:   config.Fallbacks,
		create: newFallback,
		retune: func(f *fallback, s *config.Fallback) func() { return func() { f.settings.Store(s) } },
		show:   func(s *Snapshot, all []*fallback) { s.Fallbacks = each(all, (*fallback).snapshot) },
	})
	r.faults = addSection(r, section[*faults.Fault, *faults.Settings]{
		name:     config.Injected,
		optional: true,
		create:   r.newFault,
		retune:   func(f *faults.Fault, s *faults.Settings) func() { return func() { f.Retune(s) } },
		show: func(s *Snapshot, all []*faults.Fault) {
			for _, f := range all {
				if one := newFaultSnapshot(f.Snapshot()); one.Active || one.Failed+one.Delayed > 0 {
					s.Faults = append(s.Faults, one)
				}
			}
		},
		close: (*faults.Fault).End,
	})
}

// section is a section of the settings and what a registry made for the names in
// it. T is what it makes for a name, S are the settings of one.
type section[T, S any] struct {
	name   string
	create func(name string, settings S) T
	retune func(t T, settings S) (apply func())     // prepares changed settings; calls wait only for apply
	show   func(*Snapshot, []T)                     // takes those of the section, sorted by name
	close  func(T)                                  // nil: nothing is to be closed
	room   func(settings S) (setting string, n int) // that an entry can reserve, and what says so; nil: entries reserve nothing

	optional bool // the settings need not have the names

	made map[string]T // for the names that somebody asked for; guarded by Registry.mu
}

// anySection is a section whatever it makes. The lock of the registry must be held.
type anySection interface {
	title() string
	needsNames() bool // in use, of the settings
	names() []string  // in use, sorted
	count() int
	has(name string) bool
	drop(name string) (end func())
	changes(old, now *config.File) []change
	snapshot(*Snapshot)
	closing() (closeAll func())
	most(file *config.File, name string) (setting string, n int)
}

func addSection[T, S any](r *Registry, s section[T, S]) *section[T, S] {
	s.made = make(map[string]T)
	r.sections = append(r.sections, &s)
	return &s
}

// find returns what is made for a name. It makes it for the first who asks.
func (s *section[T, S]) find(r *Registry, name string) (found T, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, ok := s.made[name]
	if ok {
		return found, nil
	}
	if err := r.admitName(s, name); err != nil {
		return found, err
	}
	found = s.create(name, s.settings(r.settings, name))
	s.made[name] = found
	return found, nil
}

func (s *section[T, S]) settings(file *config.File, name string) S {
	return file.InForce(s.name, name).(S)
}

func (s *section[T, S]) title() string { return s.name }

func (s *section[T, S]) needsNames() bool { return !s.optional }

func (s *section[T, S]) names() []string { return slices.Sorted(maps.Keys(s.made)) }

func (s *section[T, S]) count() int { return len(s.made) }

func (s *section[T, S]) has(name string) bool {
	_, ok := s.made[name]
	return ok
}

// drop takes a name away and returns a function that ends what is made for it, to be
// called without the lock.
func (s *section[T, S]) drop(name string) (end func()) {
	t, made := s.made[name]
	if delete(s.made, name); !made || s.close == nil {
		return func() {}
	}
	return func() { s.close(t) }
}

// all is everything that is made, sorted by name.
func (s *section[T, S]) all() []T {
	return each(s.names(), func(name string) T { return s.made[name] })
}

func (s *section[T, S]) changes(old, now *config.File) (all []change) {
	for name, t := range s.made {
		settings := s.settings(now, name)
		if !reflect.DeepEqual(s.settings(old, name), settings) {
			all = append(all, change{s.name + "." + s.object(name, old, now), s.retune(t, settings)})
		}
	}
	return all
}

// object is the name whose object says what is in force for a name: its own, or of an
// instance without one in either file, its base.
func (s *section[T, S]) object(name string, old, now *config.File) string {
	if old.Has(s.name, name) || now.Has(s.name, name) {
		return name
	}
	return config.Base(name)
}

func (s *section[T, S]) snapshot(to *Snapshot) { s.show(to, s.all()) }

func (s *section[T, S]) most(file *config.File, name string) (setting string, n int) {
	return s.room(s.settings(file, name))
}

// closing returns what closes everything that is made now. It must be called
// without the lock.
func (s *section[T, S]) closing() (closeAll func()) {
	all := s.all()
	return func() {
		for _, t := range all {
			if s.close != nil {
				s.close(t)
			}
		}
	}
}

// each is f of each element. It is not nil, so that JSON has an empty list.
func each[T, U any](all []T, f func(T) U) []U {
	mapped := make([]U, len(all))
	for i, one := range all {
		mapped[i] = f(one)
	}
	return mapped
}

func (r *Registry) newBreaker(name string, settings breaker.Settings) *breaker.Breaker {
	b := breaker.New(name, r.strategy(settings), r.hooks)
	b.DryRun(settings.Dry())
	r.try(b, settings)()
	if r.count {
		b.CountAll()
	}
	r.enlist(b, settings)
	return b
}

func (r *Registry) retuneBreaker(b *breaker.Breaker, settings breaker.Settings) (apply func()) {
	strategy, try := r.strategy(settings), r.try(b, settings)
	return func() {
		b.Reconfigure(strategy)
		try()
		b.DryRun(settings.Dry())
		r.enlist(b, settings)
	}
}

// strategy is the strategy with these settings. Names in a row with equal
// settings, as those that have the defaults, share one.
func (r *Registry) strategy(settings breaker.Settings) breaker.Strategy {
	if r.latest.strategy == nil || !reflect.DeepEqual(r.latest.settings, settings) {
		r.latest.settings, r.latest.strategy = settings, settings.Strategy()
	}
	return r.latest.strategy
}

func (r *Registry) newBulkhead(name string, settings bulkhead.Sizing) *bulkhead.Bulkhead {
	b := bulkhead.Sized(name, settings, func(l bulkhead.Limited) { r.tell(newLimited(l)) })
	b.DryRun(settings.Dry())
	if len(r.log.observers) > 0 {
		b.Watch(func(e bulkhead.Refusing) { r.log.emit(bulkheadRefuses{e}) })
	}
	return b
}

func (r *Registry) newRateLimit(name string, settings *ratelimit.Settings) *ratelimit.Limiter {
	l := ratelimit.New(name, *settings)
	if len(r.log.observers) > 0 {
		l.Watch(func(e ratelimit.Refusing) { r.log.emit(rateRefuses{e}) })
	}
	return l
}

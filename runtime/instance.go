package resilience

import (
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/resgen-go/resgen/internal/glyph"
	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/config"
)

// A WrapperOption is an option of a generated constructor.
type WrapperOption func(*Wiring)

// Instance gives a wrapper guards of its own for one of many dependencies of the
// same kind, such as each server of a pool: with Instance("8.8.8.8") the guards
// called solver are solver/8.8.8.8. An instance has the settings of that full name
// if the file has them, else those of solver. Events, snapshots and refusals show
// the full name. An entry whose gate is solver begins if any instance would admit
// its call, one whose gate is solver/8.8.8.8 asks that instance alone.
//
// The name is printable ASCII without spaces; an empty one is no instance. Wrappers
// of one instance share its guards. These end when no wrapper of the instance is
// held any more, or by [Registry.Forget].
func Instance(name string) WrapperOption {
	return func(w *Wiring) {
		if name != "" && !config.IsInstance(name) {
			w.fault(fmt.Errorf("no instance %s; allowed is printable ASCII without spaces", glyph.Quoted(name)))
			return
		}
		w.instance = name
	}
}

// Forget ends an instance, such as solver/8.8.8.8: its guards are no longer
// probed, tuned or shown, and a wrapper that is made later gets new ones, and so does
// the next call with its key. A wrapper that is still held goes on with the guards it
// has. A name that is no instance in use is an error.
func (r *Registry) Forget(name string) error {
	if err := r.made(); err != nil {
		return fmt.Errorf("resilience: %w", err)
	}
	r.keying.Lock()
	r.mu.Lock()
	end, gone := func() {}, r.instances[name]
	if gone != nil {
		end = r.unlist(gone)
	}
	r.mu.Unlock()
	if gone != nil && gone.slot != nil {
		gone.slot.leave()
	}
	r.keying.Unlock()
	if gone == nil {
		return fmt.Errorf("resilience: no instance %s is in use", glyph.Quoted(name))
	}
	end()
	return nil
}

// instance is the guards of one full name, such as "solver/8.8.8.8".
type instance struct {
	name    string
	holders int   // wrappers, and the slot; guarded by Registry.mu
	slot    *slot // nil: no call made it by its key
}

// holder stands for a wrapper of instances: its guards point there and nothing else
// does, so it is collected when they are.
type holder struct{ registry *Registry }

// hold makes the wrapper one of those that hold an instance.
func (w *Wiring) hold(name string) {
	r := w.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.ContainsFunc(w.held, func(of *instance) bool { return of.name == name }) {
		return
	}
	w.held = append(w.held, r.hold(name))
	if w.holder == nil {
		w.holder = &holder{r}
	}
}

// hold is one more who holds an instance. The lock must be held.
func (r *Registry) hold(name string) *instance {
	of := r.instances[name]
	if of == nil {
		of = &instance{name: name}
		r.instances[name] = of
	}
	of.holders++
	return of
}

// keep ends the wiring. The wrapper holds its instances until no guard of it is
// left, and not at all if it is not made.
func (w *Wiring) keep(made bool) {
	r, held := w.registry, w.held
	if len(held) == 0 {
		return
	}
	if !made {
		r.release(held)
		return
	}
	r.mu.Lock()
	r.regroup(held)
	r.mu.Unlock()
	runtime.AddCleanup(w.holder, r.release, held)
}

// release ends the instances that nobody else holds. Closing waits for a probe that
// is out, so nobody waits for that.
func (r *Registry) release(held []*instance) {
	for _, of := range held {
		r.mu.Lock()
		of.holders--
		last := of.holders == 0
		r.mu.Unlock()
		if last {
			go r.drop(of)
		}
	}
}

// drop ends an instance, unless it has ended before or somebody holds it again.
func (r *Registry) drop(of *instance) {
	r.mu.Lock()
	end := func() {}
	if r.instances[of.name] == of && of.holders == 0 {
		end = r.unlist(of)
	}
	r.mu.Unlock()
	end()
}

// unlist takes an instance out of all that is shown, tuned and asked, and returns what
// ends it, which must be called without the lock. The lock must be held.
func (r *Registry) unlist(of *instance) (end func()) {
	delete(r.instances, of.name)
	if b, made := r.breakers.made[of.name]; made && r.fleet != nil && !r.closed {
		r.fleet.Leave(b)
	}
	var closing []func()
	for _, s := range r.sections {
		closing = append(closing, s.drop(of.name))
	}
	r.links.Delete(of.name)
	r.regroup([]*instance{of})
	return func() {
		r.circles.disown(of.name)
		for _, end := range closing {
			end()
		}
	}
}

// A family is a gate: the breaker of a name, or in its place those of all instances
// of the name, of which one has to admit the call. The gate of one instance is a
// family too.
type family struct {
	name      string
	base      *breaker.Breaker                   // nil: of an instance
	instances atomic.Pointer[[]*breaker.Breaker] // nil: none is made
}

// family returns the gate of a name.
func (w *Wiring) family(name string) (*family, error) {
	r := w.registry
	base, err := (*breaker.Breaker)(nil), error(nil)
	if name == config.Base(name) {
		if base, err = r.breakers.find(r, name); err != nil {
			return nil, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.families[name] == nil {
		if base == nil {
			if err := r.admitName(r.breakers, name); err != nil {
				return nil, err
			}
		}
		r.families[name] = &family{name: name, base: base}
		r.families[name].know(r.breakersOfFamily(name))
	}
	return r.families[name], nil
}

// regroup lets the gates of instances know their breakers. The lock must be held.
func (r *Registry) regroup(changed []*instance) {
	for _, of := range changed {
		b := r.breakers.made[of.name]
		for _, name := range []string{of.name, config.Base(of.name)} {
			if f := r.families[name]; f != nil {
				f.change(of.name, b)
			}
		}
	}
}

func (r *Registry) breakersOfFamily(name string) (all []*breaker.Breaker) {
	for _, full := range slices.Sorted(maps.Keys(r.instances)) {
		b, made := r.breakers.made[full]
		if made && (full == name || config.Base(full) == name) {
			all = append(all, b)
		}
	}
	return all
}

// change puts the breaker of an instance in the place of the one of its name; nil if it
// has none any more.
func (f *family) change(name string, b *breaker.Breaker) {
	var all []*breaker.Breaker
	if known := f.instances.Load(); known != nil {
		all = slices.Clone(*known)
	}
	at, is := slices.BinarySearchFunc(all, name, func(b *breaker.Breaker, name string) int { return strings.Compare(b.Name(), name) })
	switch {
	case is && b != nil:
		all[at] = b
	case is:
		all = slices.Delete(all, at, at+1)
	case b != nil:
		all = slices.Insert(all, at, b)
	}
	f.know(all)
}

func (f *family) know(instances []*breaker.Breaker) {
	if len(instances) == 0 {
		f.instances.Store(nil)
	} else {
		f.instances.Store(&instances)
	}
}

// gateOf is the gate of one breaker, whatever its name.
func gateOf(b *breaker.Breaker) gate { return gate{family: &family{name: b.Name(), base: b}, n: 1} }

// members are the breakers that are asked now.
func (f *family) members() []*breaker.Breaker {
	switch instances := f.instances.Load(); {
	case instances != nil:
		return *instances
	case f.base != nil:
		return []*breaker.Breaker{f.base}
	}
	return nil
}

// ask reports whether the gate admits n calls, or which breaker says best why not.
func (f *family) ask(n int) (b *breaker.Breaker, period *breaker.Period, admits bool) {
	if instances := f.instances.Load(); instances != nil {
		return soonest(*instances, n)
	}
	if f.base == nil {
		return nil, nil, true
	}
	period, admits = gateFor(f.base, n)
	return f.base, period, admits
}

func gateFor(b *breaker.Breaker, n int) (period *breaker.Period, admits bool) {
	if n <= 1 {
		return b.Gate()
	}
	return b.GateFor(n)
}

// soonest asks breakers until one admits n calls. If none does it returns the one
// that most likely will first: in HALF_OPEN, or with the shortest wait.
func soonest(all []*breaker.Breaker, n int) (b *breaker.Breaker, period *breaker.Period, admits bool) {
	first := breaker.Instant(math.MaxInt64)
	for _, one := range all {
		now, admits := gateFor(one, n)
		if admits {
			return one, now, true
		}
		at, known := now.RetryAt()
		switch {
		case now.State() == HalfOpen:
			at = 0
		case !known:
			at = math.MaxInt64
		}
		if b == nil || at < first {
			b, period, first = one, now, at
		}
	}
	return b, period, false
}

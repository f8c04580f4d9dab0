package resilience

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/config"
	"github.com/resgen-go/resgen/runtime/internal/redact"
)

// version counts the settings that were in force. It is a sequence lock: odd while
// a reload is applied. A call that reads several settings waits while it is odd and
// begins again if it has changed, so that it never mixes two files.
type version struct {
	number   atomic.Uint64
	applying sync.Mutex
}

func (v *version) now() uint64 {
	number := v.number.Load()
	if number%2 == 0 {
		return number
	}
	return v.wait()
}

func (v *version) wait() uint64 {
	v.applying.Lock()
	defer v.applying.Unlock()
	return v.number.Load()
}

func (v *version) is(number uint64) bool { return v.number.Load() == number }

// next applies new settings.
func (v *version) next(apply func()) {
	v.applying.Lock()
	defer v.applying.Unlock()
	v.number.Add(1)
	defer v.number.Add(1)
	apply()
}

// Reload reads the settings again and puts them into force. What did not change
// keeps its state and counts. A changed breaker keeps its state, and its outcomes
// as far as the new window holds them; a changed bulkhead is resized.
//
// It is one step: no call begins under a part of the new settings. A call in
// flight keeps the timeout, the permits and the threshold for slow calls that it
// began with; its outcome is judged by the rules in force when it ends. A file
// with a fault changes nothing, and with [Strict] neither does a file that lacks a
// name in use. [Watch] and [Follow] do this on every change.
func (r *Registry) Reload() error {
	if err := r.made(); err != nil {
		return fmt.Errorf("resilience: %w", err)
	}
	if r.source == nil {
		return nil
	}
	r.reading.Lock()
	defer r.reading.Unlock()
	settings, name, err := r.read()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	name = cmp.Or(name, r.reload.Source)
	if err == nil {
		err = r.check(settings, name)
	}
	reload := Reloaded{At: time.Now(), Source: name, Err: err}
	if err == nil {
		reload.Changed = r.apply(settings)
	}
	r.reload = reload
	if err == nil {
		r.accepted++
	} else {
		r.rejected++
	}
	r.tell(reload)
	if err == nil {
		r.warn()
	}
	return err
}

// check returns an error for settings that must not be put into force. It reports
// the names in use that they no longer have.
func (r *Registry) check(settings *config.File, source string) error {
	lost := r.lost(settings)
	if r.strict && len(lost) > 0 {
		var faults []error
		for _, unknown := range lost {
			faults = append(faults, unknown.fault(source))
		}
		return errors.Join(faults...)
	}
	if err := r.checkTargets(settings, r.allUses()); err != nil {
		return err
	}
	if err := r.share(settings); err != nil {
		return err
	}
	for _, unknown := range lost {
		r.tell(unknown)
	}
	return nil
}

// lost are the names in use that are in the present settings and not in the new ones.
func (r *Registry) lost(settings *config.File) []UnknownName {
	r.suggested = 0
	var all []UnknownName
	for _, s := range r.sections {
		for _, name := range s.names() {
			if s.needsNames() && r.settings.Covers(s.title(), name) && !settings.Covers(s.title(), name) {
				all = append(all, r.unknown(settings, s, name))
			}
		}
	}
	return all
}

// warn warns of settings that don't mean what they say, of those that are too small
// for an entry, and of settings that don't fit how methods use them.
func (r *Registry) warn() {
	for _, warning := range r.settings.Warnings() {
		r.tell(SettingWarning{At: time.Now(), Text: warning.String()})
	}
	for _, key := range slices.Sorted(maps.Keys(r.reserves)) {
		r.warnOfReserve(r.reserves[key])
	}
	clear(r.usage.told)
	all := r.allUses()
	r.warnOnce(r.settings.Misfits(all))
	r.warnOnce(r.settings.Unprobed(all))
}

// builtIn names settings that come from no file.
const builtIn = "built-in settings"

// reserve is what an entry method takes of a name before its body runs.
type reserve struct {
	of     anySection
	name   string
	n      int
	unit   string
	method string
}

func (r reserve) key() string { return r.of.title() + "." + r.name }

// note remembers the largest reservation of each name, and warns of those that can
// never be had.
func (r *Registry) note(reserves []reserve) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, wanted := range reserves {
		if wanted.n > r.reserves[wanted.key()].n {
			r.reserves[wanted.key()] = wanted
			r.adapt(config.Base(wanted.name))
			r.warnOfReserve(wanted)
		}
	}
}

func (r *Registry) warnOfReserve(wanted reserve) {
	setting, most := wanted.of.most(r.settings, wanted.name)
	if wanted.n <= most {
		return
	}
	r.tell(SettingWarning{At: time.Now(), Text: fmt.Sprintf(
		"%s: %s.%s: %d is below the %d %s that %s reserves: all its calls are refused",
		cmp.Or(r.settings.Name(), builtIn), wanted.key(), setting, most, wanted.n, wanted.unit, wanted.method)})
}

func (r *Registry) read() (settings *config.File, name string, err error) {
	name, text, err := r.source.Read()
	name = redact.Text(name) // which may be a URL
	if err != nil {
		return nil, name, fmt.Errorf("resilience: can't read the settings: %w", redact.Error(err))
	}
	settings, err = config.Parse(name, text, config.Process{Shares: r.fleet != nil, Injects: r.injects})
	if err != nil {
		return nil, name, err
	}
	return settings, name, nil
}

// change puts new settings into force for one name in use.
type change struct {
	name  string // such as "breakers.payments"
	apply func()
}

// apply puts settings into force for every name in use and returns the names that
// changed. Calls wait only while changes are applied, not while they are prepared.
func (r *Registry) apply(settings *config.File) (changed []string) {
	changes := r.changes(settings)
	r.settings = settings
	defer r.adaptAll()
	if len(changes) == 0 {
		return nil
	}
	r.version.next(func() {
		for _, c := range changes {
			c.apply()
		}
	})
	for _, c := range changes {
		changed = append(changed, c.name)
	}
	slices.Sort(changed)
	return slices.Compact(changed)
}

func (r *Registry) changes(settings *config.File) (all []change) {
	for _, s := range r.sections {
		all = append(all, s.changes(r.settings, settings)...)
	}
	if r.fleet != nil && !reflect.DeepEqual(r.settings.SharedState(), settings.SharedState()) {
		all = append(all, change{config.SharedState, func() {}}) // the fleet has them already
	}
	return all
}

package resilience

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/config"
)

// Reload reads the settings again and puts them in force. What did not change
// keeps its state and counts; a changed breaker keeps its state, and its
// outcomes as far as the new window holds them; a changed bulkhead is resized.
// Calls in flight end under the settings they began with. A fault changes
// nothing. [Watch] and [Follow] do this on every change.
func (r *Registry) Reload() error {
	if r.source == nil {
		return nil
	}
	settings, name, err := r.read()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		err = r.share(settings)
	}
	reload := Reloaded{At: time.Now(), Source: name, Err: err}
	if err == nil {
		reload.Changed = r.apply(settings)
	}
	r.reload = reload
	r.events.emit(reload)
	if err == nil {
		r.warn()
	}
	return err
}

// warn tells observers what the settings in force don't mean word by word.
func (r *Registry) warn() {
	for _, warning := range r.settings.Warnings() {
		r.events.emit(SettingWarning{At: time.Now(), Text: warning.String()})
	}
}

func (r *Registry) read() (settings *config.File, name string, err error) {
	name, text, err := r.source.Read()
	if err != nil {
		return nil, name, fmt.Errorf("resilience: can't read the settings: %w", err)
	}
	settings, err = config.Parse(name, text, sections(r.fleet)...)
	if err != nil {
		return nil, name, err
	}
	return settings, name, nil
}

// apply puts settings in force for every name in use and says what changed.
func (r *Registry) apply(settings *config.File) (changed []string) {
	old := r.settings
	r.settings = settings
	for name, b := range r.breakers {
		if strategy, differs := newStrategy(old, settings, name); differs {
			b.Reconfigure(strategy)
			_, now, _ := settings.Breaker(name)
			r.enlist(b, now)
			changed = append(changed, config.Breakers+"."+name)
		}
	}
	for name, b := range r.bulkheads {
		before, _ := old.Bulkhead(name)
		if now, _ := settings.Bulkhead(name); !reflect.DeepEqual(before, now) {
			b.Resize(now)
			changed = append(changed, config.Bulkheads+"."+name)
		}
	}
	for name, t := range r.timeouts {
		limit, _ := settings.Timeout(name)
		if t.limit.Swap(int64(limit)) != int64(limit) {
			changed = append(changed, config.Timeouts+"."+name)
		}
	}
	if r.fleet != nil {
		before, _ := old.Single(config.SharedState)
		if now, _ := settings.Single(config.SharedState); !reflect.DeepEqual(before, now) {
			changed = append(changed, config.SharedState)
		}
	}
	slices.Sort(changed)
	return changed
}

func newStrategy(old, settings *config.File, name string) (strategy breaker.Strategy, differs bool) {
	oldKind, before, _ := old.Breaker(name)
	kind, now, _ := settings.Breaker(name)
	if kind == oldKind && reflect.DeepEqual(before, now) {
		return nil, false
	}
	return now.Strategy(), true
}

package resilience

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/errtree"
)

// circles finds probes that ask through guards which only a good probe would
// open: such a breaker stays OPEN whatever the dependency does. Each is told once.
type circles struct {
	mu        sync.Mutex
	owners    map[string]owner    // of the probe of a breaker
	refusedBy map[string][]string // breakers that refused the last probe of a breaker
	told      map[string]bool
}

// owner is the wrapper that has the probe of a breaker.
type owner struct {
	iface     string
	bulkheads []string // before its methods
}

// own notes whose probe a breaker has.
func (c *circles) own(breaker string, by owner) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owners == nil {
		c.owners, c.refusedBy, c.told = map[string]owner{}, map[string][]string{}, map[string]bool{}
	}
	c.owners[breaker] = by
}

// look returns what is to be told of the error that the probe of a breaker
// returned, empty if there is nothing. It calls the error's own methods, so no
// lock may be held.
func (c *circles) look(name string, err error, registry *version) (warning string) {
	defer func() { recover() }() // of an error that can't be looked into
	refusals := refusalsIn(err, registry)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owners == nil {
		return ""
	}
	delete(c.refusedBy, name)
	for _, refusal := range refusals {
		c.refusedBy[name] = append(c.refusedBy[name], refusal.breakers()...)
	}
	if c.told[name] {
		return ""
	}
	if warning = c.ofOwn(name, refusals); warning == "" {
		warning = c.ofOthers(name)
	}
	c.told[name] = warning != ""
	return warning
}

const cure = "let the probe call the client itself, not one with guards"

// ofOwn is about a probe that the guards of its own calls refuse.
func (c *circles) ofOwn(name string, refusals []*RefusalError) string {
	for _, refusal := range refusals {
		switch {
		case slices.Contains(refusal.breakers(), name):
			return fmt.Sprintf("breaker %s: its probe calls %s, which the breaker itself refuses: no probe can close it; %s",
				name, refusal.Method, cure)
		case c.owners[name].guards(refusal):
			return fmt.Sprintf("breaker %s: its probe calls %s, which bulkhead %s refuses: no probe can close it while calls that hang have the permits; %s",
				name, refusal.Method, refusal.Name, cure)
		}
	}
	return ""
}

// ofOthers is about probes that are refused by one another's breakers.
func (c *circles) ofOthers(name string) string {
	path := c.path(name, []string{name})
	if path == nil {
		return ""
	}
	text := "breaker " + name + ": its probe is refused by breaker " + path[1]
	for i, next := range path[1:] {
		c.told[next] = true
		text += ", whose probe is refused by breaker " + path[(i+2)%len(path)]
	}
	return text + ": no probe can close any of them; " + cure
}

// path is a way from the last breaker of a path to its first, along refusals of
// probes; nil if there is none.
func (c *circles) path(to string, path []string) []string {
	for _, next := range c.refusedBy[path[len(path)-1]] {
		if next == to {
			return path
		}
		if !slices.Contains(path, next) {
			if found := c.path(to, append(path, next)); found != nil {
				return found
			}
		}
	}
	return nil
}

// guards reports whether a refusal is by a bulkhead of the wrapper.
func (o owner) guards(refusal *RefusalError) bool {
	full := refusal.Kind == KindFull || refusal.Kind == KindTooLarge
	return full && (o.iface != "" && strings.HasPrefix(refusal.Method, o.iface+".") || slices.Contains(o.bulkheads, refusal.Name))
}

// breakers are those that refused.
func (e *RefusalError) breakers() []string {
	switch e.Kind {
	case KindOpen, KindNoTrial, KindForcedOpen:
		return []string{e.Name}
	}
	return e.Gates
}

// refusalsIn are the refusals by guards of a registry that err is made of.
func refusalsIn(err error, registry *version) (found []*RefusalError) {
	for chain := range errtree.Chains(err) {
		for _, one := range chain {
			if refusal, is := one.(*RefusalError); is && refusal != nil && refusal.registry == registry {
				found = append(found, refusal)
				break
			}
		}
	}
	return found
}

// lookedAt is a probe whose errors are looked at.
func (r *Registry) lookedAt(name string, probe func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		err := probe(ctx)
		r.lookForCircle(name, err)
		return err
	}
}

func (r *Registry) lookForCircle(name string, err error) {
	if warning := r.circles.look(name, err, &r.version); warning != "" {
		r.tell(SettingWarning{At: time.Now(), Text: warning})
	}
}

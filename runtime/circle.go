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

// circles finds probes that call the dependency through a guard which stays shut
// until the probe succeeds. Such a breaker stays OPEN whatever the dependency
// does. It warns of each once.
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

// own notes which wrapper has the probe of a breaker.
func (c *circles) own(breaker string, by owner) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owners == nil {
		c.owners, c.refusedBy, c.told = map[string]owner{}, map[string][]string{}, map[string]bool{}
	}
	c.owners[breaker] = by
}

// disown forgets the probe of a breaker.
func (c *circles) disown(breaker string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.owners, breaker)
	delete(c.refusedBy, breaker)
	delete(c.told, breaker)
}

// look returns a warning about the error that the probe of a breaker returned,
// empty if there is none. It calls methods of the error, so no lock may be held.
func (c *circles) look(name string, err error, registry *version) (warning string) {
	defer func() { recover() }() // an error's methods may panic
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

// ofOwn warns of a probe whose calls are refused by guards that wait for it.
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

// ofOthers warns of probes that are refused by each other's breakers.
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

// path completes a path of breakers, each of which refused the probe of the one
// before it, until the last one's probe is refused by the breaker to. It returns
// nil if there is no such path.
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

// guards reports whether a bulkhead of the wrapper refused.
func (o owner) guards(refusal *RefusalError) bool {
	full := refusal.Kind == KindFull || refusal.Kind == KindTooLarge
	return full && (o.iface != "" && strings.HasPrefix(refusal.Method, o.iface+".") || slices.Contains(o.bulkheads, refusal.Name))
}

// breakers are the breakers that refused.
func (e *RefusalError) breakers() []string {
	switch e.Kind {
	case KindOpen, KindNoTrial, KindForcedOpen:
		return []string{e.Name}
	}
	return e.Gates
}

// refusalsIn are the refusals in err by guards of a registry.
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

// lookedAt is probe with a look at its errors for circles.
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

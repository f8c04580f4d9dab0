package redis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

// process is one of a fleet, with a registry of its own. Most tests have
// several in one; see also program.
type process struct {
	t        testing.TB
	registry *resilience.Registry
	guards   map[string]*resilience.Guard

	mu     sync.Mutex
	events []resilience.Event
}

// quick are settings under which a fleet shows in seconds what takes minutes.
var quick = map[string]string{
	"flushInterval": "20ms", "outageWindow": "2s", "minimumErrors": "10", "secondsBeforeRetry": "200ms",
	"trialTimeout": "600ms", "rampInterval": "20ms", "timeout": "2s", "outageCheckInterval": "1s", "keyPrefix": "shop:",
}

// shared is a settings file with a shared breaker b. Pairs change the settings
// of sharedState; an empty value drops one.
func shared(address string, pairs ...string) string {
	section := maps.Clone(quick)
	section["address"] = address
	for i := 0; i < len(pairs); i += 2 {
		section[pairs[i]] = pairs[i+1]
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(section)) {
		switch value := section[name]; {
		case value == "":
		case strings.Trim(value, "0123456789.") == "" || value == "true" || value == "false":
			lines = append(lines, fmt.Sprintf("%q: %s", name, value))
		default:
			lines = append(lines, fmt.Sprintf("%q: %q", name, value))
		}
	}
	return fmt.Sprintf(`{
		"breakers": {"default": {"shared": true, "failureThreshold": 100, "failureThresholdCapacity": 100, "successThreshold": 3, "testDelay": "100ms"}},
		"sharedState": {%s}
	}`, strings.Join(lines, ", "))
}

func startProcess(t testing.TB, settings string) *process {
	t.Helper()
	return followProcess(t, resilience.Settings("r.json", []byte(settings)))
}

func followProcess(t testing.TB, source resilience.Option) *process {
	t.Helper()
	return newProcess(t, source, Share())
}

func shareProcess(t testing.TB, settings string, share resilience.Option) *process {
	t.Helper()
	return newProcess(t, resilience.Settings("r.json", []byte(settings)), share)
}

func newProcess(t testing.TB, source, share resilience.Option) *process {
	t.Helper()
	p := &process{t: t, guards: map[string]*resilience.Guard{}}
	registry, err := resilience.New(source, share, resilience.Logger(nil),
		resilience.Observe(resilience.ObserverFunc(p.observe)))
	if err != nil {
		t.Fatal(err)
	}
	p.registry = registry
	t.Cleanup(func() { registry.Close() })
	p.guard("b")
	return p
}

func startProcesses(t testing.TB, n int, settings string) (all []*process) {
	t.Helper()
	for range n {
		all = append(all, startProcess(t, settings))
	}
	return all
}

func (p *process) observe(e resilience.Event) {
	if _, frequent := e.(resilience.Refused); frequent {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events = append(p.events, e)
}

func (p *process) guard(name string) *resilience.Guard {
	if g := p.guards[name]; g != nil {
		return g
	}
	wiring, err := resilience.Wire(p.registry, "example.test/test", "Test", p)
	if err != nil {
		p.t.Fatal(err)
	}
	g := wiring.Guard(name, resilience.Guards{Breaker: name})
	if err := wiring.Done(); err != nil {
		p.t.Fatal(err)
	}
	p.guards[name] = g
	return g
}

var errDown = errors.New("down")

// call makes one call of breaker b and returns what its caller gets.
func (p *process) call(result error) error {
	var call resilience.Call
	if err := call.Begin(context.Background(), p.guards["b"]); err != nil {
		return err
	}
	defer call.Release()
	return call.Finish(result)
}

func (p *process) calls(n int, result error) {
	for range n {
		p.call(result)
	}
}

func (p *process) state() resilience.State { return p.breaker("b").State() }

func (p *process) breaker(name string) *resilience.Breaker {
	b, err := p.registry.Breaker(name)
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}

func (p *process) held() bool { return p.registry.Snapshot().Breakers[0].Held }

// outages are the changes that this process made for the fleet, such as "b
// BEGAN".
func (p *process) outages() (all []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.events {
		if o, ok := e.(resilience.Outage); ok {
			all = append(all, o.Breaker+" "+o.Change.String())
		}
	}
	return all
}

// links are what the process was told of its link, such as "up down up".
func (p *process) links() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, e := range p.events {
		if l, ok := e.(resilience.FleetLink); ok && l.Err == nil {
			all = append(all, "up")
		} else if ok {
			all = append(all, "down")
		}
	}
	return strings.Join(all, " ")
}

// complaint is why the link was lost, each time.
func (p *process) complaint() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, e := range p.events {
		if link, ok := e.(resilience.FleetLink); ok && link.Err != nil {
			all = append(all, link.Err.Error())
		}
	}
	return strings.Join(all, "; ")
}

// said is all that observers were told, as they may log it.
func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all strings.Builder
	for _, e := range p.events {
		text, err := json.Marshal(e)
		fmt.Fprintf(&all, "%+v %s %v\n", e, text, err)
	}
	return all.String()
}

// inAll waits until something holds for every process.
func inAll(t testing.TB, all []*process, what string, holds func(*process) bool) {
	t.Helper()
	for i, p := range all {
		eventually(t, fmt.Sprintf("%s in process %d", what, i), func() bool { return holds(p) })
	}
}

func is(state resilience.State) func(*process) bool {
	return func(p *process) bool { return p.state() == state }
}

// fleetOutages are the changes of all processes, in no order.
func fleetOutages(all []*process) (changes []string) {
	for _, p := range all {
		changes = append(changes, p.outages()...)
	}
	return changes
}

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/resgen-go/resgen/examples/isolation/internal/stand"
	"github.com/resgen-go/resgen/internal/nearest"
	"github.com/resgen-go/resgen/runtime/settingsfile"
)

// own says which endpoints of the user take the places of A and B.
type own struct {
	config  string // settings file; empty: the pools of the demonstration
	pools   string // two of the bulkheads of the file, A's and B's; empty: a,b
	a, b    string // URLs
	rate    int    // requests per second to each
	seconds int    // that the load lasts, in all
	remote  bool   // they may be on other machines
	given   bool   // the user said anything of this

	adaptive bool // there is one more policy; it goes with the demonstration, too
}

// The bounds of the load on somebody's endpoints.
const (
	mostRate     = 500
	leastSeconds = 3
	mostSeconds  = 600
)

// patience is how long callers wait where the settings have no timeout.
const patience = time.Second

func (o own) check() error {
	var faults []error
	if o.a == "" || o.b == "" {
		faults = append(faults, errors.New("-a and -b must both name the URL of an endpoint; -config, -pools, -rate, -seconds and -allow-remote go with them"))
	}
	if o.rate < 1 || o.rate > mostRate {
		faults = append(faults, fmt.Errorf("-rate %d is outside 1 to %d requests per second", o.rate, mostRate))
	}
	if o.seconds < leastSeconds || o.seconds > mostSeconds {
		faults = append(faults, fmt.Errorf("-seconds %d is outside %d to %d", o.seconds, leastSeconds, mostSeconds))
	}
	if o.pools != "" && o.config == "" {
		faults = append(faults, errors.New("-pools chooses among the bulkheads of a settings file: name it with -config"))
	}
	return errors.Join(faults...)
}

// prepare makes the experiment with the user's endpoints and settings.
func (o own) prepare(ctx context.Context) (e experiment, d *stand.Dependencies, err error) {
	if err := o.check(); err != nil {
		return e, nil, err
	}
	if e, err = o.experiment(); err != nil {
		return e, nil, err
	}
	if d, err = stand.TheirDependencies(ctx, o.a, o.b, o.remote); err != nil {
		return e, nil, err
	}
	aTakes, err := d.Try(ctx)
	if err != nil {
		d.Close()
		return e, nil, err
	}
	e.states = []state{
		{role: reference, title: "Reference: A as it is"},
		{role: slow, title: "A is made slow", delay: max(0, e.timeout*9/10-aTakes)},
		{role: failing, title: "A is cut off", dead: true},
	}
	return e, d, nil
}

// experiment is all but the states. The two ways to divide the permits come one
// after the other, so that no endpoint gets more than the rate.
func (o own) experiment() (experiment, error) {
	e, err := o.guards()
	if err != nil {
		return e, err
	}
	if e.timeout == 0 {
		e.timeout, e.unbounded = patience, true
		for i := range e.policies {
			e.policies[i].deadline = patience
		}
	}
	piece := time.Duration(o.seconds) * time.Second / time.Duration(6*len(e.policies)) // three states, twice
	e.rate = o.rate
	e.strikes, e.warmUp, e.over = piece/6, piece/3, piece*2/3
	// Slices of a timeout, but no more than a picture shows and with a few requests in each.
	few := 10 * time.Second / time.Duration(o.rate)
	e.slice = min(max(e.timeout, few, piece/40), piece/6)
	return e, nil
}

// guards are the pools, the timeout and the policy of the experiment.
func (o own) guards() (experiment, error) {
	if o.config == "" {
		e := experiment{timeout: inAMinute.timeout, pools: inAMinute.pools, policies: inAMinute.policies[:1]}
		if o.adaptive {
			e = e.withAdaptive()
		}
		return e, nil
	}
	text, err := os.ReadFile(o.config)
	if err != nil {
		return experiment{}, err
	}
	file, err := settingsfile.Parse(o.config, text)
	if err != nil {
		return experiment{}, err
	}
	a, b, err := choosePools(file, cmp.Or(o.pools, "a,b"))
	if err != nil {
		return experiment{}, fmt.Errorf("%s: %w", o.config, err)
	}
	return guardsOf(file, a, b, o.adaptive), nil
}

// choosePools finds the bulkheads of A and of B in a settings file.
func choosePools(file *settingsfile.File, chosen string) (a, b string, err error) {
	names := strings.Split(chosen, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	if len(names) != 2 || names[0] == names[1] {
		return "", "", fmt.Errorf("-pools %s: name two bulkheads with a comma between, that of A and that of B", chosen)
	}
	has := file.Names("bulkheads")
	for _, name := range names {
		if slices.Contains(has, name) {
			continue
		}
		fault := fmt.Sprintf("it has no bulkhead %q", name)
		if near, ok := nearest.Name(name, has); ok {
			fault += fmt.Sprintf("; did you mean %s?", near)
		}
		if len(has) == 0 {
			return "", "", errors.New(fault + ", and no other")
		}
		return "", "", fmt.Errorf("%s; choose two with -pools A,B among %s", fault, strings.Join(has, ", "))
	}
	return names[0], names[1], nil
}

// settings are those of a bulkhead or a timeout, by their names.
type settings map[string]any

// guardsOf puts the user's bulkheads and timeouts in the places of ours. The one
// pool is the bulkhead shared, or else both in one.
func guardsOf(file *settingsfile.File, a, b string, adaptive bool) experiment {
	pools := map[string]settings{"a": settingsOf(file, "bulkheads", a), "b": settingsOf(file, "bulkheads", b)}
	var notes []string
	if one := "shared"; slices.Contains(file.Names("bulkheads"), one) && a != one && b != one {
		pools["shared"] = settingsOf(file, "bulkheads", one)
	} else {
		pools["shared"] = bothOf(pools["a"], pools["b"])
		notes = append(notes, fmt.Sprintf("The one pool has the permits of %s and %s together, and the longer wait of the two", a, b))
	}
	timeouts := map[string]settings{"a": timeoutOf(file, a), "b": timeoutOf(file, b)}
	e := experiment{
		timeout: timeouts["a"].duration("duration"),
		notes:   notes,
	}
	e.pools.shared = pool{"shared", pools["shared"].number("maxConcurrentCalls")}
	e.pools.a = pool{a, pools["a"].number("maxConcurrentCalls")}
	e.pools.b = pool{b, pools["b"].number("maxConcurrentCalls")}
	policyOf := func(title string) policy {
		return policy{
			title:    title,
			settings: settingsText(pools, timeouts, "shared", "a", "b"),
			shown:    settingsText(pools, timeouts, "shared", a, b),
		}
	}
	e.policies = []policy{policyOf("as the settings say")}
	if adaptive {
		ofA, ofB := e.timeout, timeouts["b"].duration("duration")
		pools["a"].adapt(ofA)
		pools["b"].adapt(ofB)
		pools["shared"].adapt(max(ofA, ofB))
		e.policies = append(e.policies, policyOf("the same, adaptive sizes"))
	}
	return e
}

// settingsText is a settings file with these names for the pools.
func settingsText(pools, timeouts map[string]settings, shared, a, b string) []byte {
	text, err := json.MarshalIndent(map[string]map[string]settings{
		"bulkheads": {shared: pools["shared"], a: pools["a"], b: pools["b"]},
		"timeouts":  {a: timeouts["a"], b: timeouts["b"]},
	}, "", "  ")
	if err != nil { // can't be: the values came from JSON
		panic(err)
	}
	return append(text, '\n')
}

// timeoutOf is the timeout with the name of a pool, else the one named call.
func timeoutOf(file *settingsfile.File, pool string) settings {
	name := pool
	if has := file.Names("timeouts"); !slices.Contains(has, pool) && slices.Contains(has, "call") {
		name = "call"
	}
	return settingsOf(file, "timeouts", name)
}

// settingsOf are those in force; one that is off is left out.
func settingsOf(file *settingsfile.File, section, name string) settings {
	all := make(settings)
	for _, v := range file.Effective(section, name) {
		if v.Value != nil {
			all[v.Setting] = v.Value
		}
	}
	return all
}

// bothOf is a bulkhead that has what two have.
func bothOf(a, b settings) settings {
	one := settings{
		"maxConcurrentCalls": a.number("maxConcurrentCalls") + b.number("maxConcurrentCalls"),
		"maxWaitDuration":    max(a.duration("maxWaitDuration"), b.duration("maxWaitDuration")).String(),
	}
	if a["queueCapacity"] != nil && b["queueCapacity"] != nil {
		one["queueCapacity"] = a.number("queueCapacity") + b.number("queueCapacity")
	}
	return one
}

// adapt lets the size follow what the dependency can bear. Without a timeout, calls
// should take no longer than the callers' patience allows.
func (s settings) adapt(timeout time.Duration) {
	s["limit"] = "ADAPTIVE"
	if timeout == 0 && s["targetLatency"] == nil {
		s["targetLatency"] = (patience * 7 / 10).String()
	}
}

func (s settings) number(name string) int {
	n, _ := s[name].(int)
	return n
}

func (s settings) duration(name string) time.Duration {
	text, _ := s[name].(string)
	d, _ := time.ParseDuration(text) // what has no fault can be parsed
	return d
}

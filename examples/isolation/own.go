package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/resgen-go/resgen/examples/isolation/internal/stand"
	resilience "github.com/resgen-go/resgen/runtime"
)

// own says which endpoints of the user take the places of A and B.
type own struct {
	config  string // settings file; empty: the pools of the demonstration
	a, b    string // URLs
	rate    int    // requests per second to each
	seconds int    // that the load lasts, in all
	remote  bool   // they may be on other machines
	given   bool   // the user said anything of this
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
		faults = append(faults, errors.New("-a and -b must both name the URL of an endpoint; -config, -rate, -seconds and -allow-remote go with them"))
	}
	if o.rate < 1 || o.rate > mostRate {
		faults = append(faults, fmt.Errorf("-rate %d is outside 1 to %d requests per second", o.rate, mostRate))
	}
	if o.seconds < leastSeconds || o.seconds > mostSeconds {
		faults = append(faults, fmt.Errorf("-seconds %d is outside %d to %d", o.seconds, leastSeconds, mostSeconds))
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
		{role: slow, title: "A is made slow", delay: max(0, e.timeout*9/10-aTakes)},
		{role: failing, title: "A is cut off", dead: true},
		{role: well, title: "A as it is"},
	}
	return e, d, nil
}

// experiment is all but the states. The two ways to divide the permits come one
// after the other, so that no endpoint gets more than the rate.
func (o own) experiment() (experiment, error) {
	text, title := inAMinute.settings(0), "refuse at once"
	if o.config != "" {
		var err error
		if text, err = os.ReadFile(o.config); err != nil {
			return experiment{}, err
		}
		title = "as the settings say"
	}
	file, err := resilience.ParseSettings(o.config, text)
	if err != nil {
		return experiment{}, err
	}
	piece := time.Duration(o.seconds) * time.Second / 6 // three states, twice
	e := experiment{
		rate:    o.rate,
		timeout: timeoutOf(file),
		pools:   sizes{permitsOf(file, "shared"), permitsOf(file, "a"), permitsOf(file, "b")},
		notes:   file.Compare(map[string][]string{"bulkheads": {"shared", "a", "b"}, "timeouts": {"call"}}),
		warmUp:  piece / 6,
		over:    piece * 5 / 6,
		slice:   piece / 12,
	}
	p := policy{title: title, settings: text}
	if e.timeout == 0 {
		e.timeout, e.unbounded, p.deadline = patience, true, patience
	}
	e.policies = []policy{p}
	return e, nil
}

// permitsOf is the size of a bulkhead.
func permitsOf(file *resilience.SettingsFile, name string) int {
	permits, _ := valueOf(file, "bulkheads", name, "maxConcurrentCalls").(int)
	return permits
}

// timeoutOf is the timeout of a call; 0: none.
func timeoutOf(file *resilience.SettingsFile) time.Duration {
	text, _ := valueOf(file, "timeouts", "call", "duration").(string)
	timeout, _ := time.ParseDuration(text) // what has no fault can be parsed
	return timeout
}

func valueOf(file *resilience.SettingsFile, section, name, setting string) any {
	for _, v := range file.Effective(section, name) {
		if v.Setting == setting {
			return v.Value
		}
	}
	return nil
}

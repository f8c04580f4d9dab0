package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"

	"github.com/resgen-go/resgen/internal/column"
)

// The dependency of the second experiment is down at the beginning of each cycle. The
// breaker opens then, and later finds by trials that it is back.
const (
	cycle      = 3 * time.Second
	outage     = 700 * time.Millisecond
	recovering = `"strategy": "PACED_RATE_THRESHOLD", "failureRateThreshold": 10, "minimumNumberOfCalls": 5, "slidingWindowDuration": "1s", "testDelay": "100ms"`

	recoveryRate = 30.0 // entries per second
)

// outcome is what became of an entry.
type outcome int

const (
	finished outcome = iota
	refused          // before any call was made
	failed           // the dependency answered 503
	cutOff           // the breaker refused a call after others had been made
	outcomes
)

// ends counts entries by what became of them, and the calls made for those that were
// cut off.
type ends struct {
	of     [outcomes]int
	wasted int
}

func (e ends) entries() (n int) {
	for _, of := range e.of {
		n += of
	}
	return n
}

// recovery is what became of the entries of the two sides.
type recovery struct{ plain, reserved ends }

// named is a side as table and chart call it.
type named struct {
	name string
	ends
}

func (r recovery) sides() []named { return []named{{"plain", r.plain}, {"reserved", r.reserved}} }

// recoverBoth offers entries to two sides while their dependencies go down and come
// back, both at the same moments.
func recoverBoth(ctx context.Context, over time.Duration) (r recovery, err error) {
	sides := make([]*side, 2)
	for i, k := range []kind{unchecked, checked} {
		if sides[i], err = startSide(k); err != nil {
			return r, err
		}
		defer sides[i].stop()
	}
	began := time.Now()
	for _, s := range sides {
		s.dependency.mu.Lock()
		s.dependency.down = func() bool { return time.Since(began)%cycle < outage }
		s.dependency.mu.Unlock()
	}
	offer(ctx, recoveryRate, over, sides...)
	return recovery{sides[0].ends(began), sides[1].ends(began)}, nil
}

// up reports whether the dependency was up for as long as an entry takes that goes
// well. Outages began then.
func (e ended) up(then time.Time) bool {
	phase := e.came.Sub(then) % cycle
	return phase >= outage && phase < cycle-callsPerEntry*longest-slack
}

// slack is for the time of calls that the dependency does not take.
const slack = 100 * time.Millisecond

// ends counts the entries that came while the dependency was up.
func (s *side) ends(began time.Time) (e ends) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for entry, ended := range s.ended {
		if !ended.up(began) {
			continue
		}
		calls := s.dependency.callsFor(entry)
		end := endOf(ended.err, calls)
		e.of[end]++
		if end == cutOff {
			e.wasted += calls
		}
	}
	return e
}

// endOf is what became of an entry that ended with an error after some calls.
func endOf(err error, calls int) outcome {
	switch {
	case err == nil:
		return finished
	case calls == 0:
		return refused
	case !onlyRefused(err):
		return failed
	}
	return cutOff
}

// onlyRefused reports whether all errors of an entry are refusals.
func onlyRefused(err error) bool {
	joined, is := err.(interface{ Unwrap() []error })
	if !is {
		return errors.As(err, new(*resilience.RefusalError))
	}
	for _, one := range joined.Unwrap() {
		if !errors.As(one, new(*resilience.RefusalError)) {
			return false
		}
	}
	return true
}

func writeRecovery(out io.Writer, over time.Duration, r recovery) {
	about := fmt.Sprintf("The same dependency, down for %v of every %v, behind a breaker that lets one trial through each "+
		"100 ms and closes after seven good ones of ten. The calls of an entry come one after the other, %g entries/s for %v to both sides: plain, and with "+
		"check=items preload=items:%d, which holds trials for an entry that begins while the breaker recovers. Counted are entries "+
		"that come while the dependency is up.", outage, cycle, recoveryRate, over, callsPerEntry)
	fmt.Fprintf(out, "\n%s\n\n", column.Wrap(about, ""))
	fmt.Fprintln(out, "|          | entries | refused | finished | failed | cut off | wasted |")
	fmt.Fprintln(out, "|:---------|--------:|--------:|---------:|-------:|--------:|-------:|")
	for _, side := range r.sides() {
		of := side.of
		fmt.Fprintf(out, "| %-8s | %7d | %7d | %8d | %6d | %7d | %6d |\n",
			side.name, side.entries(), of[refused], of[finished], of[failed], of[cutOff], side.wasted)
	}
	fmt.Fprintln(out, "\nrefused: before the first call, so nothing was lost. cut off: the breaker\nrefused a call after others had been made. wasted: the calls made for these.")
}

package main

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// strategies are compared as they come, with their built-in settings. The last
// is the baseline: it never refuses.
var strategies = []string{
	"STATIC_THRESHOLD",
	"CONSECUTIVE_FAILURES",
	"CANARY_RATE_THRESHOLD",
	"PACED_RATE_THRESHOLD",
	"NONE",
}

const settings = `{
	"breakers": {"quotes": {"strategy": %q}},
	"timeouts": {"quotes": {"duration": "100ms"}},
}`

// play is one situation under each of the strategies.
type play struct {
	title   string
	answers []answer
	tracks  []track
}

// track is what a strategy made of a situation.
type track struct {
	strategy string
	calls    []seen
}

// seen is what came of one call.
type seen struct {
	found   resilience.State // of the breaker, before the call
	lost    bool             // the call was made and failed
	wronged bool             // the call was refused and would have gone well
}

func playAll() ([]play, error) {
	var plays []play
	for _, s := range situations {
		p := play{title: s.title, answers: s.answers()}
		for _, strategy := range strategies {
			calls, err := playOne(p.answers, strategy)
			if err != nil {
				return nil, err
			}
			p.tracks = append(p.tracks, track{strategy, calls})
		}
		plays = append(plays, p)
	}
	return plays, nil
}

func playOne(answers []answer, strategy string) (calls []seen, err error) {
	inFakeTime(func() { calls, err = makeCalls(answers, strategy) })
	return calls, err
}

// inFakeTime runs f in a bubble of testing/synctest, where time passes only
// while everything waits, and then at once. A bubble wants a *testing.T to
// report failures to. A program has none, and nothing here fails through it, so
// an empty one will do.
func inFakeTime(f func()) {
	synctest.Test(new(testing.T), func(*testing.T) { f() })
}

// makeCalls makes all calls through the generated wrapper.
func makeCalls(answers []answer, strategy string) ([]seen, error) {
	began := time.Now()
	text := fmt.Appendf(nil, settings, strategy)
	registry, err := resilience.New(resilience.Settings("strategies", text), resilience.Logger(nil))
	if err != nil {
		return nil, err
	}
	defer registry.Close()
	quotes, err := NewResilientQuotes(dependency{began, answers}, registry)
	if err != nil {
		return nil, err
	}
	breaker, err := registry.Breaker("quotes")
	if err != nil {
		return nil, err
	}
	calls := make([]seen, len(answers))
	for call := range calls {
		waitForTurn(began, call/callsPerTurn)
		found := breaker.State()
		calls[call] = judge(found, quotes.Latest(context.Background(), call), answers[call])
	}
	return calls, nil
}

// waitForTurn returns when the turn has begun and a probe that is sent at that
// moment, as by a new breaker, has ended.
func waitForTurn(began time.Time, turn int) {
	time.Sleep(time.Until(began.Add(time.Duration(turn) * turnLasts)))
	synctest.Wait()
}

// judge says what came of a call that ended with err, where the dependency's
// answer was or would have been a.
func judge(found resilience.State, err error, a answer) seen {
	refused := errors.Is(err, resilience.ErrOpen)
	return seen{found: found, lost: err != nil && !refused, wronged: refused && a == well}
}

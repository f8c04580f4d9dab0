package main

import (
	"math/rand/v2"
	"time"
)

// Time goes by in turns: some calls, one right after the other, and a pause.
const (
	turns        = 384
	callsPerTurn = 10
	// turnLasts is longer than the pause between two probes, which is 1 s and up
	// to a tenth more or less, at random. So an OPEN breaker is probed in every
	// turn, and when in the turn changes no result.
	turnLasts = 1250 * time.Millisecond
)

// due is a call that is due.
type due struct {
	at   time.Duration // since the beginning, when its turn begins
	nth  int           // of its turn
	luck float64       // in [0, 1), at random
}

// situation is what happens to a dependency: how it answers each call.
type situation struct {
	title  string
	answer func(due) answer
}

var situations = []situation{
	{"Dead for 250 seconds", func(c due) answer {
		return failsIf(c.at >= 2*time.Minute && c.at < 370*time.Second)
	}},
	{"Not up yet for the first 110 seconds", func(c due) answer {
		return failsIf(c.at < 110*time.Second)
	}},
	{"Stable, but for three isolated timeouts among ten calls", func(c due) answer {
		if c.at == 2*time.Minute && (c.nth == 1 || c.nth == 4 || c.nth == 7) {
			return hangs
		}
		return well
	}},
	{"Flapping: dead for the last 25 seconds of every minute", func(c due) answer {
		return failsIf(c.at%time.Minute >= 35*time.Second)
	}},
	{"Dead for a minute, then recovering slowly over four", func(c due) answer {
		failing := float64(6*time.Minute-c.at) / float64(4*time.Minute)
		return failsIf(c.at >= time.Minute && c.luck < failing)
	}},
	{"Never quite well: one call in ten fails, at random", func(c due) answer {
		return failsIf(c.luck < 0.1)
	}},
}

func failsIf(failing bool) answer {
	if failing {
		return fails
	}
	return well
}

// answers are those to all calls of a situation. The seed makes them the same
// at every run.
func (s situation) answers() []answer {
	dice := rand.New(rand.NewPCG(1, 2))
	all := make([]answer, turns*callsPerTurn)
	for call := range all {
		turn, nth := call/callsPerTurn, call%callsPerTurn
		all[call] = s.answer(due{time.Duration(turn) * turnLasts, nth, dice.Float64()})
	}
	return all
}

package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// turnsPerMark is how many turns a character of a timeline stands for.
const turnsPerMark = 8

func writeTable(out io.Writer, plays []play) {
	fmt.Fprintf(out, "%d calls over %v, %d every %v. Each character of a timeline is %v:\n",
		turns*callsPerTurn, turns*turnLasts, callsPerTurn, time.Duration(turnLasts), turnsPerMark*turnLasts)
	fmt.Fprintln(out, "of a strategy, the state that the last call found: · CLOSED, ▒ HALF_OPEN, █ OPEN;")
	fmt.Fprintln(out, "of the dependency, whether calls would fail: · none, ▒ some, █ all.")
	for _, p := range plays {
		writePlay(out, p)
	}
	fmt.Fprintln(out, "\nlost: calls made to the dependency that failed.")
	fmt.Fprintln(out, "in trials: those of the lost that were let through by a breaker that was not CLOSED.")
	fmt.Fprintln(out, "wrongly refused: calls refused though the dependency would have answered them well.")
	fmt.Fprintln(out, "The probes of CANARY_RATE_THRESHOLD are no calls and count nowhere.")
}

func writePlay(out io.Writer, p play) {
	fmt.Fprintf(out, "\n%s\n", p.title)
	fmt.Fprintf(out, "%-*s  %5s  %9s  %15s\n", 22+turns/turnsPerMark, "", "lost", "in trials", "wrongly refused")
	fmt.Fprintf(out, "%-22s%s  %5d would fail\n", "the dependency", healthMarks(p.answers), countBad(p.answers))
	for _, t := range p.tracks {
		sum := count(t.calls)
		fmt.Fprintf(out, "%-22s%s  %5d  %9d  %15d\n", t.strategy, stateMarks(t.calls), sum.Lost, sum.InTrials, sum.Wronged)
	}
}

func stateMarks(calls []seen) string {
	var marks strings.Builder
	for i := turnsPerMark - 1; i < turns; i += turnsPerMark {
		marks.WriteString(stateMark(ofTurn(calls, i)[callsPerTurn-1].found))
	}
	return marks.String()
}

func stateMark(s resilience.State) string {
	switch s {
	case resilience.Open:
		return "█"
	case resilience.HalfOpen:
		return "▒"
	}
	return "·"
}

func healthMarks(answers []answer) string {
	const calls = turnsPerMark * callsPerTurn
	var marks strings.Builder
	for i := 0; i < len(answers); i += calls {
		switch countBad(answers[i : i+calls]) {
		case 0:
			marks.WriteString("·")
		case calls:
			marks.WriteString("█")
		default:
			marks.WriteString("▒")
		}
	}
	return marks.String()
}

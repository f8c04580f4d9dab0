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
	fmt.Fprintln(out, "of a strategy, the state that the last call met: · CLOSED, ▒ HALF_OPEN, █ OPEN;")
	fmt.Fprintln(out, "of the dependency, whether calls would fail: · none, ▒ some, █ all.")
	for _, p := range plays {
		writePlay(out, p)
	}
	fmt.Fprintln(out, "\nSTATIC is STATIC_THRESHOLD, and so on: each name up to its first underscore.")
	fmt.Fprintln(out, "lost: calls made to the dependency that failed.")
	fmt.Fprintln(out, "trials: those of the lost that a breaker let through that was not CLOSED.")
	fmt.Fprintln(out, "wronged: calls refused though the dependency would have answered them well.")
	fmt.Fprintln(out, "The probes of CANARY_RATE_THRESHOLD are no calls and count nowhere.")
}

func writePlay(out io.Writer, p play) {
	fmt.Fprintf(out, "\n%s\n", p.title)
	fmt.Fprintf(out, "%-*s %4s %6s %7s\n", 12+turns/turnsPerMark, "", "lost", "trials", "wronged")
	fmt.Fprintf(out, "%-12s%s %4d would fail\n", "dependency", healthMarks(p.answers), countBad(p.answers))
	for _, t := range p.tracks {
		sum := count(t.calls)
		name, _, _ := strings.Cut(t.strategy, "_")
		fmt.Fprintf(out, "%-12s%s %4d %6d %7d\n", name, stateMarks(t.calls), sum.Lost, sum.InTrials, sum.Wronged)
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

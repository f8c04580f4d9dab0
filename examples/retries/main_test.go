package main

import (
	"strings"
	"testing"
	"time"
)

// played is a side whose calls were good to these percentages, second by second.
func played(name string, perCall float64, shares ...int) *side {
	s := &side{policy: policy{name: name}, server: new(server), seconds: make([]second, len(shares))}
	for i, share := range shares {
		s.seconds[i].calls.Store(100)
		s.seconds[i].good.Store(uint64(share))
	}
	s.server.asked.Store(uint64(perCall * 100 * float64(len(shares))))
	return s
}

var plan = schedule{2 * time.Second, 3 * time.Second, 3 * time.Second}

func TestASideIsWellAgainWhenItStaysWell(t *testing.T) {
	for want, shares := range map[int][]int{0: {100, 100, 0, 0, 0, 95, 100, 100}, 2: {100, 100, 0, 0, 0, 99, 94, 100}} {
		if after, ever := played("", 1, shares...).recovered(plan); after != want || !ever {
			t.Errorf("%v: well after %d s, %t, want %d", shares, after, ever, want)
		}
	}
	if _, ever := played("", 1, 100, 100, 0, 0, 0, 100, 100, 50).recovered(plan); ever {
		t.Error("one that is ill at the end is well again")
	}
}

func TestTheReportFitsATerminalAndShowsTheRun(t *testing.T) {
	var out strings.Builder
	report(&out, plan, []*side{played("no retries", 1, 100, 100, 0, 0, 50, 100, 100, 100), played("naive retries", 2.5, 100, 100, 0, 0, 0, 0, 0, 0)})
	for _, want := range []string{
		"no retries              100.0      16.7     100.0       1.00  0 s\n",
		"naive retries           100.0       0.0       0.0       2.50  never\n",
		"no retries           ██|  ▄|███\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	for line := range strings.Lines(out.String()) {
		if len([]rune(line)) > 81 {
			t.Errorf("longer than 80 columns: %q", line)
		}
	}
}

func TestTheClaimIsAboutLoadAndRecovery(t *testing.T) {
	good := []int{100, 100, 0, 0, 0, 100, 100, 100}
	bad := []int{100, 100, 0, 0, 0, 0, 0, 0}
	none, naive, budget := played("", 1, good...), played("", 2.5, bad...), played("", 1.1, good...)
	if err := claim(plan, []*side{none, naive, budget}); err != nil {
		t.Error(err)
	}
	for name, sides := range map[string][]*side{
		"a budget that does not bound": {none, naive, played("", 2, good...)},
		"naive retries that do":        {none, played("", 1.1, bad...), budget},
		"a budget that does not help":  {none, played("", 2.5, good...), played("", 1.1, bad...)},
	} {
		if claim(plan, sides) == nil {
			t.Errorf("%s pass", name)
		}
	}
}

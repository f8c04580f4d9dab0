package redis

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/sharing/fleet"
	"github.com/resgen-go/resgen/runtime/internal/sharing/rule"
)

// usage is what a server has done.
type usage struct{ cpu, scripts float64 }

func (s *server) usage() (u usage) {
	for line := range strings.SplitSeq(s.do("INFO", "cpu"), "\n") {
		var seconds float64
		for _, name := range []string{"used_cpu_sys:%g", "used_cpu_user:%g"} {
			if n, _ := fmt.Sscanf(line, name, &seconds); n == 1 {
				u.cpu += seconds
			}
		}
	}
	for line := range strings.SplitSeq(s.do("INFO", "commandstats"), "\n") {
		var n float64
		if some, _ := fmt.Sscanf(line, "cmdstat_evalsha:calls=%g,", &n); some == 1 {
			u.scripts += n
		}
	}
	return u
}

// costRow is one row of the table of the page.
type costRow struct {
	about               string
	processes, breakers int
	failing             bool
	report              bool          // else processes only ask for changes
	every               time.Duration // as each process does
}

var costs = []costRow{
	{"reports while calls fail, each second", 10, 1, true, true, time.Second},
	{"the same", 100, 1, true, true, time.Second},
	{"the same", 1000, 1, true, true, time.Second},
	{"the same", 100, 100, true, true, time.Second},
	{"the same, well: twice in the window", 1000, 1, false, true, time.Minute},
	{"the same, well: twice in the window", 100, 100, false, true, time.Minute},
	{"looks for changes, each 5 s", 1000, 100, false, false, 5 * time.Second},
}

// Measured are exchanges as processes make them, as fast as they go, over a
// handful of connections; what a core would have to spend for them follows.
func TestFleetS17CostOfAServer(t *testing.T) {
	long := os.Getenv("COST") != ""
	if testing.Short() {
		t.Skip("measures")
	}
	for _, row := range costs {
		if row.processes > 100 && !long {
			continue
		}
		s := startServer(t)
		each := measureCost(t, s, row, long)
		share := float64(row.processes) / row.every.Seconds() * each
		t.Logf("| %s | %d × %d | %.1f µs | %.2f µs | %.2f %% |", row.about, row.processes, row.breakers, 1e6*each, 1e6*each/float64(max(row.breakers, 1)), 100*share)
		if share > .5 {
			t.Errorf("%s by %d × %d takes %.1f %% of a core", row.about, row.processes, row.breakers, 100*share)
		}
	}
}

// measureCost is the server's time for one exchange of one process.
func measureCost(t *testing.T, s *server, row costRow, long bool) (seconds float64) {
	place := spot{s}
	const lines = 8
	rounds := 3
	if long {
		rounds = 5
	}
	var before usage
	var stores []fleet.Store
	for range lines {
		store := place.Open(t)
		defer store.Close()
		stores = append(stores, store)
	}
	for round := range rounds {
		if round == 1 {
			before = s.usage() // all processes are known by now
		}
		done := make(chan error, lines)
		for line := range lines {
			go func() {
				store := stores[line]
				for p := line; p < row.processes; p += lines {
					_, err := store.Exchange(context.Background(), exchangeOf(row, p, round))
					if err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
		}
		for range lines {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
	}
	after := s.usage()
	return (after.cpu - before.cpu) / float64((rounds-1)*row.processes)
}

var usualRule = rule.Settings{Threshold: 50, Errors: 20, Window: 120_000, Votes: 3, Share: 50, Retry: 20_000, Trial: 10_000, Ramp: 1000, Good: 5, Of: 5}

func exchangeOf(row costRow, process, round int) fleet.Request {
	name := fmt.Sprint("host-", process)
	r := fleet.Request{Process: name, Alive: time.Minute}
	if !row.report && round > 0 {
		return r
	}
	for b := range row.breakers {
		in := rule.Input{Process: name, Rule: usualRule, Told: 1, Calls: int64(1000 + round)}
		if row.failing {
			in.Failures = 7
		}
		r.Inputs = append(r.Inputs, fleet.Input{Breaker: fmt.Sprint("b", b), Input: in})
	}
	return r
}

// Command retries shows what retries do to a server in a brownout: none, naive ones,
// ones with a budget, and ones with a budget behind a breaker.
//
//	go run ./examples/retries [-quick]
//
// Everything is real and on loopback. Four servers get the same load, three quarters of
// what each can do. After a while they need four times as long for a request, then they
// are well again. They work on requests whose clients have gone. The table says how many
// calls were answered and how many requests the server got; the chart shows the answers
// second by second.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// schedule is how long the servers are well, slow, and well again.
type schedule struct{ before, slow, after time.Duration }

var (
	full  = schedule{8 * time.Second, 30 * time.Second, 20 * time.Second}
	quick = schedule{3 * time.Second, 6 * time.Second, 5 * time.Second}
)

// policy is one way to make calls again.
type policy struct{ name, settings string }

const noBreaker = `"breakers": {"shop": {"strategy": "NONE"}}, "timeouts": {"shop": {"duration": "400ms"}}`

// naive is what people write by hand: three attempts, one after the other.
const naive = `"retries": {"shop": {"maxAttempts": 3, "initialDelay": "0s"}}, "budgets": {"shop": {"percent": 100, "burst": 1000000}}`

// sparing is the default with three attempts.
const sparing = `"retries": {"shop": {"maxAttempts": 3}}`

var policies = []policy{
	{"no retries", `{` + noBreaker + `, "retries": {"shop": {"maxAttempts": 1}}}`},
	{"naive retries", `{` + noBreaker + `, ` + naive + `}`},
	{"with a budget", `{` + noBreaker + `, ` + sparing + `}`},
	{"budget and breaker", `{"breakers": {"shop": {"strategy": "PACED_RATE_THRESHOLD", "testDelay": "500ms"}}, ` +
		`"timeouts": {"shop": {"duration": "400ms"}}, ` + sparing + `}`},
}

func main() {
	short := flag.Bool("quick", false, "a quarter of a minute, with rough figures; fails where the claim does not hold")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "retries: there are no arguments")
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	plan := full
	if *short {
		plan = quick
	}
	sides, err := run(ctx, plan)
	if err == nil {
		report(os.Stdout, plan, sides)
		if *short {
			err = claim(plan, sides)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "retries:", err)
		os.Exit(1)
	}
}

// side is one server with its client, and what came of the calls, second by second.
type side struct {
	policy
	server   *server
	registry *resilience.Registry
	shop     Shop
	seconds  []second
}

type second struct{ good, calls atomic.Uint64 }

func start(p policy, seconds int) (*side, error) {
	registry, err := resilience.New(resilience.Settings(p.name, []byte(p.settings)), resilience.Logger(nil))
	if err != nil {
		return nil, err
	}
	s := &side{policy: p, registry: registry, seconds: make([]second, seconds)}
	if s.server, err = serve(); err != nil {
		return nil, err
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}
	s.shop, err = NewResilientShop(shop{s.server.url, client}, registry)
	return s, err
}

func (s *side) stop() {
	s.server.close()
	s.registry.Close()
}

// run plays the plan on all sides at the same moments.
func run(ctx context.Context, plan schedule) ([]*side, error) {
	var sides []*side
	whole := plan.before + plan.slow + plan.after
	for _, p := range policies {
		s, err := start(p, int(whole/time.Second))
		if err != nil {
			return nil, err
		}
		defer s.stop()
		sides = append(sides, s)
	}
	began := time.Now()
	var calls sync.WaitGroup
	tick := time.NewTicker(time.Second / rate)
	defer tick.Stop()
	for now := time.Duration(0); now < whole; now = time.Since(began) {
		at := int(now / time.Second)
		for _, s := range sides {
			s.server.slow.Store(plan.before <= now && now < plan.before+plan.slow)
			calls.Go(func() { s.call(ctx, at) })
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	calls.Wait()
	return sides, nil
}

// call makes one call of a user, who waits for two seconds at most.
func (s *side) call(ctx context.Context, at int) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	err := s.shop.Price(ctx)
	now := &s.seconds[at]
	now.calls.Add(1)
	if err == nil {
		now.good.Add(1)
	}
}

// share is the percentage of good calls between two seconds.
func (s *side) share(from, to int) float64 {
	good, calls := uint64(0), uint64(0)
	for i := from; i < to; i++ {
		good, calls = good+s.seconds[i].good.Load(), calls+s.seconds[i].calls.Load()
	}
	return 100 * float64(good) / float64(max(calls, 1))
}

// recovered is after how many seconds 95 of 100 calls are good for good; false: not by
// the end.
func (s *side) recovered(plan schedule) (after int, ever bool) {
	end := int((plan.before + plan.slow) / time.Second)
	for i := len(s.seconds); i > end; i-- {
		if s.share(i-1, i) < 95 {
			return i - end, i < len(s.seconds)
		}
	}
	return 0, true
}

// perCall is how many requests the server got for a call.
func (s *side) perCall() float64 {
	calls := uint64(0)
	for i := range s.seconds {
		calls += s.seconds[i].calls.Load()
	}
	return float64(s.server.asked.Load()) / float64(calls)
}

func report(out io.Writer, plan schedule, sides []*side) {
	slow, after := int(plan.before/time.Second), int((plan.before+plan.slow)/time.Second)
	fmt.Fprintf(out, "%d calls a second. The server can do %d, a quarter of that in the brownout.\n\n", rate, int(time.Second/works)*workers)
	fmt.Fprintf(out, "%-20s %28s  %9s  %s\n", "", "good calls, in percent", "requests", "well again")
	fmt.Fprintf(out, "%-20s %8s %9s %9s  %9s  %s\n", "", "before", "brownout", "after", "a call", "after")
	for _, s := range sides {
		again := "never"
		if seconds, ever := s.recovered(plan); ever {
			again = fmt.Sprintf("%d s", seconds)
		}
		fmt.Fprintf(out, "%-20s %8.1f %9.1f %9.1f  %9.2f  %s\n",
			s.name, s.share(0, slow), s.share(slow, after), s.share(after, len(s.seconds)), s.perCall(), again)
	}
	fmt.Fprintf(out, "\nGood calls, second by second; the brownout is between the bars.\n\n")
	for _, s := range sides {
		fmt.Fprintf(out, "%-20s %s\n", s.name, s.chart(slow, after))
	}
}

// chart is a character for each second.
func (s *side) chart(slow, after int) string {
	const levels = " ▁▂▃▄▅▆▇█"
	var text strings.Builder
	for i := range s.seconds {
		if i == slow || i == after {
			text.WriteRune('|')
		}
		text.WriteRune([]rune(levels)[int(s.share(i, i+1)*8/100+.5)])
	}
	return text.String()
}

// claim is an error where the run does not show what retries with a budget are for.
func claim(plan schedule, sides []*side) error {
	none, naive, budget := sides[0], sides[1], sides[2]
	after := int((plan.before + plan.slow) / time.Second)
	switch {
	case budget.perCall() > none.perCall()*1.25:
		return fmt.Errorf("with a budget the server gets %.2f requests a call, without retries %.2f", budget.perCall(), none.perCall())
	case naive.perCall() < budget.perCall()*1.2:
		return fmt.Errorf("naive retries make %.2f requests a call, with a budget %.2f", naive.perCall(), budget.perCall())
	case budget.share(after, len(budget.seconds)) < naive.share(after, len(naive.seconds)):
		return fmt.Errorf("after the brownout fewer calls are good with a budget than with naive retries")
	}
	return nil
}

package redis

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// The test binary is also a small service that calls a dependency through
// breaker b. A test starts it many times over.
const programVariable = "RESGEN_TEST_SETTINGS"

func TestMain(m *testing.M) {
	if settings := os.Getenv(programVariable); settings != "" {
		runProgram(settings)
		return
	}
	flag.Parse()
	flag.Set("test.parallel", "4") // they wait most of their time
	os.Exit(m.Run())
}

// status is what a program says of itself, a line of JSON twenty times a second.
type status struct {
	State    string
	Held     bool
	Admitted uint64 // calls that were made
	Failed   uint64 // of these
	Outages  []string
	Links    string
}

// runProgram makes calls until its input ends. A line of input says how many a
// second, and how many percent of them fail.
func runProgram(settings string) {
	p := &process{guards: map[string]*resilience.Guard{}}
	registry, err := resilience.New(resilience.Settings("r.json", []byte(settings)), Share(), resilience.Logger(nil),
		resilience.Observe(resilience.ObserverFunc(p.observe)))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	p.registry = registry
	p.guard("b")
	var rate, percent atomic.Int64
	var now status
	go func() {
		ticks := 0
		for range time.Tick(10 * time.Millisecond) {
			for range rate.Load() / 100 {
				var result error
				if rand.Int64N(100) < percent.Load() {
					result = errDown
				}
				if err := p.call(result); !errors.As(err, new(*resilience.RefusalError)) {
					now.Admitted++
					if err != nil {
						now.Failed++
					}
				}
			}
			if ticks++; ticks%5 == 0 {
				now.State, now.Held, now.Outages, now.Links = p.state().String(), p.held(), p.outages(), p.links()
				json.NewEncoder(os.Stdout).Encode(now)
			}
		}
	}()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var r, f int64
		fmt.Sscan(lines.Text(), &r, &f)
		percent.Store(f)
		rate.Store(r)
	}
	registry.Close()
}

// program is a running one.
type program struct {
	command *exec.Cmd
	input   io.WriteCloser
	ended   chan struct{}

	mu   sync.Mutex
	last status
}

func startPrograms(t *testing.T, n int, settings string) (all []*program) {
	t.Helper()
	for range n {
		p := &program{command: exec.Command(os.Args[0]), ended: make(chan struct{})}
		p.command.Env = append(os.Environ(), programVariable+"="+settings, "GOMAXPROCS=1")
		p.command.Stderr = os.Stderr
		p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		p.input, _ = p.command.StdinPipe()
		output, _ := p.command.StdoutPipe()
		if err := p.command.Start(); err != nil {
			t.Fatal(err)
		}
		go p.listen(output)
		t.Cleanup(p.kill)
		all = append(all, p)
	}
	return all
}

func (p *program) listen(output io.Reader) {
	defer close(p.ended)
	for decoder := json.NewDecoder(output); ; {
		var s status
		if decoder.Decode(&s) != nil {
			return
		}
		p.mu.Lock()
		p.last = s
		p.mu.Unlock()
	}
}

func (p *program) now() status {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// calls sets how many calls a second the program makes, and how many percent of
// them fail.
func (p *program) calls(perSecond, percent int) { fmt.Fprintln(p.input, perSecond, percent) }

// kill ends the program without warning.
func (p *program) kill() {
	p.command.Process.Kill()
	<-p.ended
	p.command.Wait()
}

// inPrograms waits until something holds for every program.
func inPrograms(t *testing.T, all []*program, what string, holds func(status) bool) {
	t.Helper()
	for i, p := range all {
		eventually(t, fmt.Sprintf("%s in program %d", what, i), func() bool { return holds(p.now()) })
	}
}

func callsOf(all []*program, perSecond, percent int) {
	for _, p := range all {
		p.calls(perSecond, percent)
	}
}

func isState(name string) func(status) bool { return func(s status) bool { return s.State == name } }

const fleetSize = 20

// TestAFleetOfProcesses plays the life of twenty processes against one server:
// an outage, the death of the process that has the trials, the death of the
// server in an outage and its return without memory.
func TestAFleetOfProcesses(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	all := startPrograms(t, fleetSize, shared(s.address, "flushInterval", "100ms", "outageWindow", "5s", "minimumErrors", "100",
		"secondsBeforeRetry", "500ms", "trialTimeout", "1s", "timeout", "1s"))
	inPrograms(t, all, "the link is there", func(s status) bool { return strings.HasSuffix(s.Links, "up") })

	callsOf(all, 100, 30)
	time.Sleep(1500 * time.Millisecond)
	inPrograms(t, all, "30 percent of failures are below the threshold", isState("CLOSED"))

	callsOf(all, 100, 80)
	inPrograms(t, all, "the breaker is held", func(s status) bool { return s.Held })

	victim := all[0] // if it has a trial, that is given anew
	gone := victim.now()
	victim.kill()
	all = all[1:]
	callsOf(all, 100, 0)
	inPrograms(t, all, "another process ended the outage", isState("CLOSED"))
	told := func() []string {
		changes := slices.Clone(gone.Outages)
		for _, p := range all {
			changes = append(changes, p.now().Outages...)
		}
		return changes
	}
	eventually(t, "the end is told", func() bool { return slices.Contains(told(), "b ENDED") }) // a moment after it is seen
	for _, change := range []string{"b BEGAN", "b ENDED"} {
		if n := count(told(), change); n != 1 {
			t.Errorf("%q was told %d times in %q, want once", change, n, told())
		}
	}

	callsOf(all, 100, 80)
	inPrograms(t, all, "the breaker is held", func(s status) bool { return s.Held })
	s.stop()
	inPrograms(t, all, "the link is lost", func(s status) bool { return strings.HasSuffix(s.Links, "down") })
	callsOf(all, 100, 0)
	inPrograms(t, all, "the breaker closed by itself", isState("CLOSED"))
	s.start()
	inPrograms(t, all, "the link is back", func(s status) bool { return strings.HasSuffix(s.Links, "up") })
	callsOf(all, 100, 80)
	inPrograms(t, all, "the breaker is held", func(s status) bool { return s.Held })
	callsOf(all, 100, 0)
	inPrograms(t, all, "the outage ended", isState("CLOSED"))
}

func count(all []string, one string) (n int) {
	for _, text := range all {
		if text == one {
			n++
		}
	}
	return n
}

// TestAKilledProcessLosesOneFlushAtMost compares what twenty processes counted
// with what the server has.
func TestAKilledProcessLosesOneFlushAtMost(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	const flush, perSecond = 200 * time.Millisecond, 500
	all := startPrograms(t, fleetSize, shared(s.address, "flushInterval", flush.String(), "outageWindow", "1m", "minimumErrors", "1000000", "timeout", "1s"))
	callsOf(all, perSecond, 20)
	inPrograms(t, all, "calls are made", func(s status) bool { return s.Admitted > perSecond })
	all[0].kill()
	callsOf(all[1:], 0, 0)
	d := newDesk(t, s)
	var made, failed uint64
	eventually(t, "the server has all but what the killed process had", func() bool {
		made, failed = 0, 0
		for _, p := range all {
			made, failed = made+p.now().Admitted, failed+p.now().Failed
		}
		calls, failures := d.counted()
		// The killed process said some time before its end what it had made, so
		// the server may have more, too.
		lost := float64(perSecond) * (flush + 50*time.Millisecond).Seconds()
		return calls >= float64(made)-lost && calls <= float64(made)+perSecond && failures >= float64(failed)-lost
	})
	for _, p := range all[1:] {
		p.input.Close() // it hands in the rest
	}
	for _, p := range all[1:] {
		<-p.ended
	}
	calls, _ := d.counted()
	t.Logf("%d calls made, %v counted", made, calls)
}

// TestNoProcessWaitsForAFrozenServer holds the call path against one that
// shares nothing. The machine may stall once.
func TestNoProcessWaitsForAFrozenServer(t *testing.T) {
	s, all := startFleet(t, 1, "outageWindow", "1m", "minimumErrors", "1000000", "timeout", longTimeout.String())
	local := startProcess(t, strings.Replace(shared(s.address), `"shared": true`, `"shared": false`, 1))
	phases := []struct {
		name  string
		spoil func()
	}{
		{"the server is well", func() {}},
		{"the server is frozen", s.freeze},
	}
	for _, phase := range phases {
		phase.spoil()
		alone, fleet, waits := callTimes(local, all[0])
		t.Logf("%s: p99.9 is %v local and %v shared, and %d of these waited", phase.name, alone, fleet, waits)
		if fleet > 10*alone+time.Millisecond || waits > 1 {
			t.Errorf("while %s a call took %v, %d waited, and one took %v where nothing is shared", phase.name, fleet, waits, alone)
		}
	}
	s.thaw()
}

// longTimeout is of an exchange. Whoever waits for the server waits about that
// long.
const longTimeout = 3 * time.Second

// callTimes are what 99.9 percent of calls stay below in a process that shares
// nothing and in one of a fleet, and how many of the latter waited, over some
// exchanges with the server. The two take turns, so that both meet the same
// load. After a call that waited, it makes calls until a further one would meet
// the next exchange.
func callTimes(local, shares *process) (alone, fleet time.Duration, waits int) {
	var times [2][]time.Duration
	for i, end := 0, time.Now().Add(1400*time.Millisecond); waits < 2 && time.Now().Before(end); i++ {
		var result error
		if i%10 == 0 {
			result = errDown
		}
		for of, p := range []*process{local, shares} {
			at := time.Now()
			p.call(result)
			times[of] = append(times[of], time.Since(at))
		}
		if times[1][i] > longTimeout/2 {
			waits++
			end = time.Now().Add(2 * longTimeout)
		}
	}
	most := func(took []time.Duration) time.Duration {
		slices.Sort(took)
		return took[len(took)*999/1000]
	}
	return most(times[0]), most(times[1]), waits
}

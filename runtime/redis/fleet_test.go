package redis

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/setting"
	"github.com/resgen-go/resgen/runtime/settingsfile"
)

func linked(p *process) bool { return strings.HasSuffix(p.links(), "up") }

func startFleet(t *testing.T, n int, pairs ...string) (*server, []*process) {
	t.Helper()
	s := startServer(t)
	all := startProcesses(t, n, shared(s.address, pairs...))
	inAll(t, all, "the link is there", linked)
	return s, all
}

func breakDown(t *testing.T, all []*process) {
	t.Helper()
	eventually(t, "an outage in every process", func() bool {
		for _, p := range all {
			p.call(errDown)
		}
		return !slices.ContainsFunc(all, func(p *process) bool { return !p.held() })
	})
}

func recovers(t *testing.T, all []*process) {
	t.Helper()
	eventually(t, "every breaker is CLOSED", func() bool {
		for _, p := range all {
			p.call(nil)
		}
		return !slices.ContainsFunc(all, func(p *process) bool { return p.state() != resilience.Closed })
	})
}

func TestAnOutageOpensAndItsEndClosesEveryBreaker(t *testing.T) {
	t.Parallel()
	_, all := startFleet(t, 5)
	breakDown(t, all)
	recovers(t, all)
	eventually(t, "the begin and the end are told once each", func() bool {
		got := fleetOutages(all)
		return count(got, "b BEGAN") == 1 && count(got, "b ENDED") == 1 && count(got, "b TRIAL") > 0
	})
}

func TestAggregatedCountsAreExact(t *testing.T) {
	t.Parallel()
	s, all := startFleet(t, 4, "outageWindow", "1m", "minimumErrors", "1000000")
	var group sync.WaitGroup
	for i, p := range all {
		group.Go(func() {
			for j := range 5000 {
				var err error
				if j%10 < i {
					err = errDown
				}
				p.call(err)
			}
		})
	}
	group.Wait()
	d := newDesk(t, s)
	eventually(t, "20000 calls and 3000 failures", func() bool {
		calls, failures := d.counted()
		return calls == 20000 && failures == 3000
	})
}

func TestSampledCountsEachTakenSuccessForManyAndEveryFailure(t *testing.T) {
	t.Parallel()
	s, all := startFleet(t, 1, "recording", "SAMPLED", "successSampleRate", "0.1", "outageWindow", "1m", "minimumErrors", "1000000")
	d := newDesk(t, s)
	for range 100 {
		all[0].calls(100, nil)
		all[0].calls(5, errDown)
	}
	all[0].registry.Close() // hands in the rest
	calls, failures := d.counted()
	if failures != 500 {
		t.Errorf("%v failures are counted, want all 500", failures)
	}
	if n := calls - 500; n < 8500 || n > 11500 || int(n+.5)%10 != 0 {
		t.Errorf("%v successes are counted, want tens that make about 10000", n)
	}
}

func TestChangesArePushedToProcessesThatDoNothing(t *testing.T) {
	_, all := startFleet(t, 5, "outageCheckInterval", "0s", "flushInterval", "10ms")
	all[0].calls(50, errDown)
	inAll(t, all, "the breaker is OPEN", is(resilience.Open))
}

func TestEveryStrategyCanBeShared(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	var breakers []string
	for _, kind := range breaker.Strategies {
		settings := `"strategy": "` + kind.Name + `", "shared": true`
		switch kind.Name {
		case "CANARY_RATE_THRESHOLD":
			settings += `, "initialState": "CLOSED", "minimumNumberOfCalls": 100, "permittedNumberOfCallsInHalfOpenState": 3`
		case "PACED_RATE_THRESHOLD":
			settings += `, "minimumNumberOfCalls": 1000, "testDelay": "1ms", "permittedNumberOfCallsInHalfOpenState": 3`
		case "STATIC_THRESHOLD":
			settings += `, "failureThreshold": 100, "failureThresholdCapacity": 100`
		case "CONSECUTIVE_FAILURES":
			settings += `, "failureThreshold": 100`
		}
		breakers = append(breakers, fmt.Sprintf("%q: {%s}", kind.Name, settings))
	}
	text := shared(s.address)
	text = `{"breakers": {` + strings.Join(breakers, ", ") + `}, ` + text[strings.Index(text, `"sharedState"`):]
	all := startProcesses(t, 2, strings.Replace(text, `"breakers": {`, `"breakers": {"b": {}, `, 1))
	for _, kind := range breaker.Strategies {
		t.Run(kind.Name, func(t *testing.T) {
			call := func(p *process, result error) {
				var call resilience.Call
				if call.Begin(t.Context(), p.guard(kind.Name)) == nil {
					call.Finish(result)
					call.Release()
				}
			}
			until := func(state resilience.State, result error) {
				t.Helper()
				eventually(t, state.String(), func() bool {
					open := 0
					for _, p := range all {
						call(p, result)
						if p.breaker(kind.Name).State() == state {
							open++
						}
					}
					return open == len(all)
				})
			}
			until(resilience.Open, errDown)
			until(resilience.Closed, nil)
		})
	}
}

func TestStatesSetByHandComeBeforeTheFleet(t *testing.T) {
	t.Parallel()
	_, all := startFleet(t, 4)
	forced, disabled, reset, rest := all[0], all[1], all[2], all[3]
	forced.breaker("b").ForceOpen("test")
	disabled.breaker("b").Disable("test")
	breakDown(t, all[2:])
	reset.breaker("b").Reset("test")
	time.Sleep(100 * time.Millisecond) // several exchanges
	got := []resilience.State{forced.state(), disabled.state(), reset.state()}
	want := []resilience.State{resilience.ForcedOpen, resilience.Disabled, resilience.Closed}
	if !slices.Equal(got, want) {
		t.Errorf("states are %v, want %v", got, want)
	}
	recovers(t, []*process{rest})
	if forced.state() != resilience.ForcedOpen || disabled.state() != resilience.Disabled {
		t.Error("the end of an outage ended a state set by hand")
	}
}

func TestCloseEndsEveryGoroutine(t *testing.T) {
	s, all := startFleet(t, 3, "timeout", "500ms")
	breakDown(t, all)
	all[0].registry.Close()
	s.freeze()
	began := time.Now()
	all[1].registry.Close()
	if took := time.Since(began); took > patience {
		t.Errorf("closing took %v while the server is frozen", took)
	}
	s.stop()
	all[2].registry.Close()
	eventually(t, "all goroutines end", func() bool {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		return strings.Count(string(stacks), "fleet.(*worker)")+strings.Count(string(stacks), "fleet.(*Fleet)") == 0
	})
}

type changing struct {
	mu      sync.Mutex
	text    string
	changed func()
}

func (c *changing) Read() (string, []byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return "r.json", []byte(c.text), nil
}

func (c *changing) Follow(changed func()) (stop func(), err error) {
	c.changed = changed
	return func() {}, nil
}

func (c *changing) set(text string) {
	c.mu.Lock()
	c.text = text
	c.mu.Unlock()
	c.changed()
}

func TestSharingIsTurnedOffAndOnWhileAnOutageLasts(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	on := shared(s.address, "secondsBeforeRetry", "1h")
	tests := map[string]string{
		"for one breaker":  strings.Replace(on, `"shared": true`, `"shared": false`, 1),
		"for all breakers": shared(s.address, "secondsBeforeRetry", "1h", "enabled", "false"),
	}
	for about, off := range tests {
		t.Run(about, func(t *testing.T) {
			s.do("FLUSHALL")
			source := &changing{text: on}
			p := followProcess(t, resilience.Follow(source))
			breakDown(t, []*process{p})
			connected := func() bool { link := p.registry.Snapshot().Fleet; return link != nil && link.Connected }
			eventually(t, "the snapshot knows the link", connected) // told behind the outage
			source.set(off)
			recovers(t, []*process{p})
			eventually(t, "the snapshot knows no link", func() bool { return !connected() })
			source.set(on)
			inAll(t, []*process{p}, "held again", (*process).held)
			eventually(t, "the snapshot knows the link again", connected)
		})
	}
}

func TestOneOptionServesManyRegistries(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	option := Share()
	first, second := shareProcess(t, shared(s.address), option), shareProcess(t, shared(s.address), option)
	breakDown(t, []*process{first})
	inAll(t, []*process{second}, "it is held", (*process).held)
	eventually(t, "the begin is told by the one that found it", func() bool { return count(first.outages(), "b BEGAN") == 1 })
	if got := second.outages(); count(got, "b BEGAN") != 0 {
		t.Errorf("the other tells %q", got)
	}
	first.registry.Close()
	third := shareProcess(t, shared(s.address), option)
	inAll(t, []*process{third}, "it is held", (*process).held)
}

func TestNamesMayHaveBlanksAndBraces(t *testing.T) {
	t.Parallel()
	_, all := startFleet(t, 2, "outageCheckInterval", "0s")
	for _, name := range []string{"a b", "a 5", "}a", "{}", "a}b", "%7D"} {
		all[1].guard(name)
		for range 30 {
			var call resilience.Call
			if call.Begin(t.Context(), all[0].guard(name)) == nil {
				call.Finish(errDown)
				call.Release()
			}
		}
		eventually(t, name+" is OPEN in the other process", func() bool {
			return all[1].breaker(name).State() == resilience.Open
		})
	}
	if got := all[0].links(); got != "up" {
		t.Errorf("the process was told %q of its link: %s", got, all[0].complaint())
	}
}

func TestFieldN02ServicesOnOneServerShareNoBreakerOfOneName(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	shop := startProcess(t, shared(s.address, "secondsBeforeRetry", "1h"))
	stock := startProcess(t, shared(s.address, "secondsBeforeRetry", "1h", "keyPrefix", "stock:"))
	breakDown(t, []*process{shop})
	stock.calls(5, nil)
	eventually(t, "stock counts", func() bool { return strings.Contains(s.do("KEYS", "stock:*"), "reports:b") })
	if stock.held() || stock.state() != resilience.Closed {
		t.Errorf("an outage of another service makes the breaker %v", stock.state())
	}
	_, err := resilience.New(resilience.Settings("r.json", []byte(shared(s.address, "keyPrefix", ""))), Share())
	if err == nil || !strings.Contains(err.Error(), "sharedState.keyPrefix: missing: two services on one server") {
		t.Errorf("a service without a name: error %v", err)
	}
}

func TestANewAddressIsUsedAtOnce(t *testing.T) {
	t.Parallel()
	first, second := startServer(t), startServer(t)
	source := &changing{text: shared(first.address, "outageWindow", "4s")}
	p := followProcess(t, resilience.Follow(source))
	p.calls(5, nil)
	eventually(t, "the first server counts", func() bool {
		calls, _ := newDesk(t, first).counted()
		return calls == 5
	})
	source.set(shared(second.address, "outageWindow", "4s"))
	p.calls(7, nil)
	eventually(t, "the second server counts what the process saw in the window", func() bool {
		calls, _ := newDesk(t, second).counted()
		return calls == 12
	})
}

func TestTuningLetsNoBreakerGo(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	source := &changing{text: shared(s.address, "secondsBeforeRetry", "1h")}
	p := followProcess(t, resilience.Follow(source))
	breakDown(t, []*process{p})
	connections := func() string {
		stats := strings.Fields(s.do("INFO", "stats"))
		return stats[slices.IndexFunc(stats, func(stat string) bool { return strings.HasPrefix(stat, "total_connections_received:") })]
	}
	before := connections()
	for i := range 20 {
		source.set(shared(s.address, "secondsBeforeRetry", "1h", "flushInterval", fmt.Sprint(20+i, "ms")))
		if !p.held() {
			t.Fatal("the breaker was let go")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if after := connections(); after != before {
		t.Errorf("the process connected anew: %s, then %s", before, after)
	}
}

func TestWhatIsWrongWithTheSettingsIsSaid(t *testing.T) {
	t.Setenv("REDIS_URL", "")
	tests := []struct{ about, settings, want string }{
		{"no address", shared(""), "sharedState.address is missing, and $REDIS_URL is not set"},
		{"an address without a port", shared("redis.internal"), "address: is no address such as"},
		{"a password in the file", shared("redis://me:hush@127.0.0.1:1"), "address: has a password in it"},
		{"a password without a scheme", shared("hush@127.0.0.1:1"), "address: is no address such as"},
		{"an address for its variable", shared("", "addressEnv", "redis://me:hush@h:1"), "addressEnv: is not a name of an environment variable"},
		{"a password for its variable", shared("127.0.0.1:1", "passwordEnv", "hush@"), "passwordEnv: is not a name of an environment variable"},
		{"a brace in the prefix", shared("127.0.0.1:1", "keyPrefix", "a{b}:"), "keyPrefix: has a brace or a blank"},
		{"a rate that is not used", shared("127.0.0.1:1", "successSampleRate", "0.5"), "0.5 needs recording SAMPLED"},
		{"a certificate without its key", shared("127.0.0.1:1", "tlsCertFile", "x"), "needs tlsKeyFile"},
		{"a flush that is longer than the window", shared("127.0.0.1:1", "flushInterval", "1m"), "1m is above outageWindow (2s)"},
		{"a file that is not there", shared("127.0.0.1:1", "tls", "true", "tlsCAFile", "/nowhere"), "sharedState.tlsCAFile: can't read the file: no such file or directory"},
		{"a password for a file of authorities", shared("127.0.0.1:1", "tls", "true", "tlsCAFile", "hush"), "sharedState.tlsCAFile: can't read the file"},
		{"a password for a certificate", shared("127.0.0.1:1", "tls", "true", "tlsCertFile", "hush", "tlsKeyFile", "hush"), "sharedState.tlsCertFile: can't read the file"},
		{"a password for the name of a variable", shared("", "addressEnv", "hush"), "sharedState.address is missing, and the variable that addressEnv names is not set"},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			_, err := resilience.New(resilience.Settings("r.json", []byte(test.settings)), Share())
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hush") {
				t.Errorf("error %v, want …%s…", err, test.want)
			}
		})
	}
}

func TestTheAddressMayComeFromTheEnvironment(t *testing.T) {
	s := startServer(t)
	for database, format := range []string{"redis://%s/", "redis://%s/1", "redis://%s/?db=2"} {
		t.Setenv("REDIS_URL", fmt.Sprintf(format, s.address))
		p := startProcess(t, shared(""))
		p.calls(5, nil)
		s.do("SELECT", fmt.Sprint(database))
		eventually(t, fmt.Sprintf("database %d counts", database), func() bool { return strings.Contains(s.do("KEYS", "*"), "reports:b") })
	}
}

func TestPasswordsComeFromTheEnvironmentOrAFileAndAreNeverShown(t *testing.T) {
	s := startServer(t)
	s.do(append([]string{"ACL", "SETUSER", "me", "on", ">hush"}, rightsInPage(t)...)...)
	s.do("ACL", "SETUSER", "default", "off")
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("hush\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		about, variable, value string
		settings               string
		links                  string
	}{
		{"in a variable", "SECRET", "hush", shared(s.address, "username", "me", "passwordEnv", "SECRET"), "up"},
		{"in a file", "SECRET", "", shared(s.address, "username", "me", "passwordFile", file), "up"},
		{"in REDIS_URL", "REDIS_URL", "redis://me:hush@" + s.address, shared(""), "up"},
		{"wrong", "SECRET", "hushhush", shared(s.address, "username", "me", "passwordEnv", "SECRET"), "down"},
		{"missing", "SECRET", "", shared(s.address), "down"},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			t.Setenv(test.variable, test.value)
			p := startProcess(t, test.settings)
			inAll(t, []*process{p}, "it is "+test.links, func(p *process) bool { return p.links() == test.links })
			if test.links == "up" {
				breakDown(t, []*process{p})
				recovers(t, []*process{p})
			}
			if text := p.said(); strings.Contains(text, "hush") {
				t.Errorf("the password is shown: %s", text)
			}
		})
	}
}

func TestTheStartingFileStartsAFleet(t *testing.T) {
	t.Parallel()
	start := settingsfile.Starter(map[string][]string{"breakers": {"b"}})
	if _, err := resilience.New(resilience.Settings("r.json", start), Share()); err != nil || !strings.Contains(string(start), `"keyPrefix": // `) {
		t.Errorf("error %v of the starting file\n%s", err, start)
	}
}

var update = flag.Bool("update", false, "write the table of settings in the page for operators anew")

const pagePath = "../../docs/shared-state.md"

func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(pagePath)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func rightsInPage(t *testing.T) []string {
	t.Helper()
	_, rights, found := strings.Cut(page(t), "ACL SETUSER resgen on '>…' ")
	rights, _, ended := strings.Cut(rights, "```")
	if !found || !ended {
		t.Fatal("the page has no rights in it")
	}
	return strings.Fields(strings.NewReplacer("'", "", "\\", "").Replace(rights))
}

func table() string {
	var rows strings.Builder
	rows.WriteString("\n| setting | default | allowed | meaning |\n|---|---|---|---|\n")
	for _, f := range setting.Describe(new(settings)) {
		value := "–"
		if f.Default != nil {
			value = setting.Format(f.Default)
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s | %s |\n", f.Name, value, f.Allowed(), f.Doc)
	}
	return rows.String() + "\n"
}

func TestTheTableForOperatorsIsThatOfTheSettings(t *testing.T) {
	const begin, end = "<!-- settings -->\n", "<!-- end -->\n"
	text := page(t)
	before, rest, opened := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("%s has no %q … %q", pagePath, begin, end)
	}
	want := before + begin + table() + end + after
	if *update {
		if err := os.WriteFile(pagePath, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != want {
		t.Errorf("refresh %s with go test -run Table -update .; its table should be\n%s", pagePath, table())
	}
}

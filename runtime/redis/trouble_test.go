package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/setting"
	"github.com/resgen-go/resgen/runtime/internal/sharing"
)

// rig is a fleet whose line to the server, and the server, can be spoilt.
type rig struct {
	server *server
	proxy  *proxy
	all    []*process
}

// troubles are what can happen to a server, and what mends it. Empty: the
// server has lost what it knew.
var troubles = []struct {
	name       string
	spoil      func(*rig)
	mend       func(*rig)
	empty      bool
	unnoticed  bool // the link is never lost
	brief      bool // the link is back at once
	complaint  string
	newClients bool // it is found out on connecting only
	retry      string
}{
	{
		name:  "stopped and restarted empty",
		spoil: func(r *rig) { r.server.stop() }, mend: func(r *rig) { r.server.start() }, empty: true,
	},
	{
		name:  "frozen",
		spoil: func(r *rig) { r.server.freeze() }, mend: func(r *rig) { r.server.thaw() },
	},
	{
		name:  "slow",
		spoil: func(r *rig) { r.proxy.set(proxyMode{delay: time.Second}) }, mend: func(r *rig) { r.proxy.set(proxyMode{}) },
	},
	{
		name:  "a little slow",
		spoil: func(r *rig) { r.proxy.set(proxyMode{delay: 30 * time.Millisecond}) }, mend: func(r *rig) { r.proxy.set(proxyMode{}) },
		unnoticed: true,
	},
	{
		name:  "cut off",
		spoil: func(r *rig) { r.proxy.set(proxyMode{refuse: true}) }, mend: func(r *rig) { r.proxy.set(proxyMode{}) },
	},
	{
		name:  "mute",
		spoil: func(r *rig) { r.proxy.set(proxyMode{mute: true}) }, mend: func(r *rig) { r.proxy.set(proxyMode{}) },
	},
	{
		name:  "flushed",
		spoil: func(r *rig) { r.server.do("FLUSHALL") }, mend: func(*rig) {}, empty: true, brief: true,
	},
	{
		name:  "without its scripts",
		spoil: func(r *rig) { r.server.do("SCRIPT", "FLUSH") }, mend: func(*rig) {}, unnoticed: true,
	},
	{
		name:  "read-only",
		spoil: func(r *rig) { r.server.do("REPLICAOF", "127.0.0.1", "1") }, mend: func(r *rig) { r.server.do("REPLICAOF", "NO", "ONE") },
		complaint: "READONLY", retry: "200ms", // reading goes on; the first trial finds out
	},
	{
		name: "full",
		spoil: func(r *rig) {
			r.server.do("CONFIG", "SET", "maxmemory", "1")
		},
		mend: func(r *rig) { r.server.do("CONFIG", "SET", "maxmemory", "0") }, complaint: "OOM", retry: "200ms",
	},
	{
		name: "of a wrong version",
		spoil: func(r *rig) {
			r.proxy.set(proxyMode{refuse: true})
			r.proxy.set(proxyMode{forge: oldVersion})
		},
		mend: func(r *rig) { r.proxy.set(proxyMode{}) }, newClients: true,
	},
}

// TestTroubleWithTheServerInAnOutage spoils the server while the fleet is in an
// outage: calls go on, on what each breaker judges by itself, one event says
// so, and the fleet's view is taken up again when the server is well.
func TestTroubleWithTheServerInAnOutage(t *testing.T) {
	t.Parallel()
	for _, trouble := range troubles {
		t.Run(trouble.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 3, "secondsBeforeRetry", cmp.Or(trouble.retry, "1h"), "minimumErrors", "15", "timeout", "500ms")
			breakDown(t, r.all)
			trouble.spoil(r)
			switch {
			case trouble.brief:
				recovers(t, r.all)
			case trouble.unnoticed:
				time.Sleep(300 * time.Millisecond)
				inAll(t, r.all, "the breaker is held", (*process).held)
			case trouble.newClients:
				newcomer := startProcess(t, shared(r.proxy.address()))
				isTooOld(t, newcomer)
				newcomer.registry.Close()
			default:
				r.isLost(t, trouble.complaint)
				recovers(t, r.all) // by the delay and the trials of the strategy
			}
			trouble.mend(r)
			inAll(t, r.all, "the link is there", linked)
			if !trouble.empty {
				inAll(t, r.all, "the breaker is held again", (*process).held)
				r.server.do("DEL", "shop:{b}:state", "shop:{b}:counts")
			}
			recovers(t, r.all)
			breakDown(t, r.all)
			if trouble.unnoticed || trouble.newClients {
				r.wantLosses(t, 0)
			} else {
				r.wantLosses(t, 1)
			}
		})
	}
}

func newRig(t *testing.T, n int, pairs ...string) *rig {
	t.Helper()
	r := &rig{server: startServer(t)}
	r.proxy = startProxy(t, r.server.address)
	r.all = startProcesses(t, n, shared(r.proxy.address(), pairs...))
	inAll(t, r.all, "the link is there", linked)
	return r
}

// isLost waits until every process has lost its link, with a complaint.
func (r *rig) isLost(t *testing.T, complaint string) {
	t.Helper()
	inAll(t, r.all, "the link is lost", func(p *process) bool { return strings.HasSuffix(p.links(), "down") })
	for _, p := range r.all {
		if p.held() {
			t.Error("a breaker is held although its process lost touch")
		}
		if text := p.complaint(); !strings.Contains(text, complaint) {
			t.Errorf("the event says %q, want …%s…", text, complaint)
		}
	}
}

// wantLosses allows a further one, as an exchange can take too long on a slow
// machine at any time.
func (r *rig) wantLosses(t *testing.T, n int) {
	t.Helper()
	for _, p := range r.all {
		if told := strings.Count(p.links(), "down"); told != n && told != n+1 {
			t.Errorf("the process was told %q of its link, want %d losses: %s", p.links(), n, p.complaint())
		}
	}
}

func TestTheServerMayBeAwayAtTheStart(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.stop()
	all := startProcesses(t, 2, shared(s.address))
	inAll(t, all, "the link is lost", func(p *process) bool { return p.links() == "down" })
	for _, p := range all {
		if err := p.call(errDown); err != errDown {
			t.Errorf("a call is refused: %v", err)
		}
	}
	s.start()
	inAll(t, all, "the link is there", linked)
	breakDown(t, all)
	recovers(t, all)
}

// The client alone would wait as long as its timeout.
func TestAConnectionToASilentServerIsGivenUpAtOnce(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		if conn, err := silent.Accept(); err == nil {
			defer conn.Close()
			conn.Read(make([]byte, 1)) // the client has begun to talk
			cancel()
			<-t.Context().Done()
		}
	}()
	s := new(settings)
	setting.Defaults(s)
	s.Address, s.KeyPrefix, s.Timeout = new(silent.Addr().String()), new("shop:"), time.Minute
	connected := make(chan error, 1)
	go func() {
		_, err := connect(ctx, s)
		connected <- err
	}()
	select {
	case err := <-connected:
		if err == nil {
			t.Error("it is connected")
		}
	case <-time.After(patience):
		t.Error("it goes on waiting")
	}
}

func TestAServerOfAWrongVersionIsRefusedWithAReason(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	proxy := startProxy(t, s.address)
	proxy.set(proxyMode{forge: oldVersion})
	isTooOld(t, startProcess(t, shared(proxy.address())))
}

// isTooOld waits until a process has refused the server of oldVersion.
func isTooOld(t *testing.T, p *process) {
	t.Helper()
	eventually(t, "the link is lost", func() bool { return p.links() == "down" })
	if text := p.complaint(); !strings.Contains(text, "is Redis 5.") || !strings.Contains(text, "6.0 or newer is needed") {
		t.Errorf("the event says %q", text)
	}
}

// What was counted while the server is away is not lost: it comes late, with
// its time.
func TestCountsOutliveAnAbsence(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2, "outageWindow", "1m", "minimumErrors", "1000000")
	r.proxy.set(proxyMode{refuse: true})
	for i := range 10 {
		for _, p := range r.all {
			p.calls(10, nil)
			p.calls(3, errDown)
		}
		if i%3 == 0 {
			time.Sleep(100 * time.Millisecond)
		}
	}
	inAll(t, r.all, "the link is lost", func(p *process) bool { return strings.HasSuffix(p.links(), "down") })
	r.proxy.set(proxyMode{})
	d := &desk{t: t, server: r.server}
	eventually(t, "260 calls and 60 failures", func() bool {
		calls, failures := d.counted()
		return calls == 260 && failures == 60
	})
}

// An answer that got lost is no second count: the server has the report, and
// the process sends it again.
func TestCountsAreExactOverALineThatDropsAnswers(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2, "outageWindow", "1m", "minimumErrors", "1000000", "flushInterval", "10ms", "timeout", "50ms")
	const rounds = 6
	for range rounds {
		for _, p := range r.all {
			p.calls(100, nil)
		}
		r.proxy.set(proxyMode{delay: 40 * time.Millisecond}) // the question arrives, the answer comes too late
		time.Sleep(60 * time.Millisecond)
		r.proxy.set(proxyMode{refuse: true})
		r.proxy.set(proxyMode{})
		inAll(t, r.all, "the link is there", linked)
	}
	d := &desk{t: t, server: r.server}
	eventually(t, "all calls are counted, each once", func() bool {
		calls, _ := d.counted()
		return calls == 2*rounds*100
	})
	time.Sleep(50 * time.Millisecond)
	if calls, _ := d.counted(); calls != 2*rounds*100 {
		t.Errorf("%v calls are counted", calls)
	}
}

// An event is told once by the process that made the change, even if it did not
// get the answer.
func TestEventsAreExactOverALineThatDropsAnswers(t *testing.T) {
	t.Parallel()
	r := newRig(t, 3)
	for range 3 {
		breakDownAndSpoil(t, r)
		inAll(t, r.all, "the link is there", linked)
		recovers(t, r.all)
		eventually(t, "every change of the history is told once", func() bool {
			return slices.Equal(sorted(fleetOutages(r.all)), sorted(r.history()))
		})
	}
}

func breakDownAndSpoil(t *testing.T, r *rig) {
	t.Helper()
	r.proxy.set(proxyMode{delay: 100 * time.Millisecond}) // so that the answers are on their way when the line is cut
	eventually(t, "an outage on the server", func() bool {
		for _, p := range r.all {
			p.calls(3, errDown)
		}
		return r.server.do("HGET", "shop:{b}:state", "outage") != ""
	})
	r.proxy.set(proxyMode{refuse: true})
	r.proxy.set(proxyMode{})
}

// history are the changes that the server keeps, as fleetOutages has them.
func (r *rig) history() (changes []string) {
	for line := range strings.SplitSeq(r.server.do("LRANGE", "shop:{b}:history", "0", "-1"), "\n") {
		if c, ok := readChange(line); ok {
			changes = append(changes, "b "+c.what)
		}
	}
	return changes
}

func sorted(texts []string) []string { return slices.Sorted(slices.Values(texts)) }

func TestTrialsDecidedWhileTheServerIsAwayEndTheOutage(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, "trialTimeout", "1m", "secondsBeforeRetry", "10ms")
	p := r.all[0]
	breakDown(t, r.all)
	eventually(t, "trials", func() bool {
		err := p.call(nil)
		return !errors.As(err, new(*resilience.RefusalError))
	})
	r.proxy.set(proxyMode{mute: true}) // which is noticed late: the trial token stays until they are decided
	p.calls(2, nil)
	if p.state() != resilience.Closed {
		t.Fatalf("three good trials left the breaker %v", p.state())
	}
	r.proxy.set(proxyMode{refuse: true})
	eventually(t, "the process loses touch", func() bool { return strings.HasSuffix(p.links(), "down") })
	r.proxy.set(proxyMode{})
	eventually(t, "the outage ends", func() bool { return r.server.do("HGET", "shop:{b}:state", "outage") == "" })
	if p.state() != resilience.Closed {
		t.Error("the process that ended the outage is not CLOSED")
	}
}

// patient makes breakers whose own strategy keeps them OPEN longer than a test
// lasts.
func patient(settings string) string {
	return strings.Replace(settings, `"testDelay": "100ms"`, `"testDelay": "1h"`, 1)
}

// A server that was emptied knows of no outage, which is not its end.
func TestAServerThatForgetsAnOutageDoesNotEndIt(t *testing.T) {
	t.Parallel()
	ways := map[string]func(*server){
		"flushed":   func(s *server) { s.do("FLUSHALL") },
		"restarted": func(s *server) { s.stop(); s.start() },
	}
	for about, forget := range ways {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			all := startProcesses(t, 2, patient(shared(s.address, "secondsBeforeRetry", "1h")))
			breakDown(t, all)
			forget(s)
			inAll(t, all, "the loss is told", func(p *process) bool {
				return strings.HasSuffix(p.links(), "down up") && !p.held()
			})
			for _, p := range all {
				if p.state() != resilience.Open {
					t.Errorf("the breaker is %v, want OPEN as its strategy has it", p.state())
				}
				if about == "flushed" && !strings.Contains(p.complaint(), "the server has lost what it knew of the outage of breaker b") {
					t.Errorf("the event says %q", p.complaint())
				}
			}
			if got := fleetOutages(all); count(got, "b ENDED") != 0 {
				t.Errorf("events are %q", got)
			}
		})
	}
}

// Nobody looks in time: the line itself tells that the server is gone.
func TestAServerThatGoesWhileAnOutageLastsIsNoticedWithoutChecks(t *testing.T) {
	t.Parallel()
	ways := map[string]func(*server){"stopped": (*server).stop, "frozen": (*server).freeze}
	for about, spoil := range ways {
		for _, byHand := range []bool{false, true} {
			t.Run(fmt.Sprint(about, ", by hand: ", byHand), func(t *testing.T) {
				t.Parallel()
				s, all := startFleet(t, 2, "outageCheckInterval", "1h", "secondsBeforeRetry", "1h", "timeout", "500ms")
				if byHand {
					s.force("OPEN test")
					inAll(t, all, "the breaker is held", (*process).held)
				} else {
					breakDown(t, all)
				}
				spoil(s)
				inAll(t, all, "the breaker is let go", func(p *process) bool { return !p.held() })
			})
		}
	}
}

func TestChangesOfAServerWhoseClockIsBehindAreTold(t *testing.T) {
	t.Parallel()
	first, second := startServer(t), startServer(t)
	first.do("HSET", "shop:{b}:state", "change", fmt.Sprint(time.Now().Add(time.Hour).UnixMilli()))
	source := &changing{text: shared(first.address)}
	all := []*process{followProcess(t, resilience.Follow(source))}
	var told []string
	for _, s := range []*server{first, second} {
		source.set(shared(s.address))
		breakDown(t, all)
		recovers(t, all)
		eventually(t, "every change is told once, in its order", func() bool {
			changes := (&rig{server: s}).history()
			slices.Reverse(changes)
			return count(changes, "b ENDED") == 1 && slices.Equal(all[0].outages(), append(slices.Clone(told), changes...))
		})
		told = all[0].outages()
	}
	source.set(shared(first.address))
	time.Sleep(200 * time.Millisecond) // several exchanges
	if got := all[0].outages(); !slices.Equal(got, told) {
		t.Errorf("back at the first server, events are %q, want %q", got, told)
	}
}

func TestWhatFailsForWantOfRightsIsSaidOnce(t *testing.T) {
	const pushing, changing = "pushes are refused", "the server refuses parts of a change"
	tests := []struct {
		about, right string
		want         []string
	}{
		{"of publishing", "+publish", []string{changing}},
		{"of subscribing", "+subscribe", []string{pushing}},
		{"of the channel", "&shop:changes", []string{pushing, changing}},
		{"of the history", "+lpush", []string{changing}},
	}
	t.Setenv("SECRET", "hush")
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			s := startServer(t)
			rights := slices.DeleteFunc(rightsInPage(t), func(right string) bool { return right == test.right })
			s.do(append([]string{"ACL", "SETUSER", "me", "on", ">hush", "resetchannels"}, rights...)...)
			p := startProcess(t, shared(s.address, "username", "me", "passwordEnv", "SECRET", "secondsBeforeRetry", "1h"))
			breakDown(t, []*process{p})
			links := "up" + strings.Repeat(" down up", len(test.want))
			eventually(t, "each is said", func() bool { return strings.HasPrefix(p.links(), links) })
			if began := strings.Count(s.do("LRANGE", "shop:{b}:history", "0", "-1"), "BEGAN"); began > 1 {
				t.Errorf("the outage began %d times", began)
			}
			s.force("OPEN again") // two changes more, of which parts are refused
			eventually(t, "the outage is by hand", func() bool { return s.do("HGET", "shop:{b}:state", "reason") == "by hand: again" })
			s.force("")
			eventually(t, "the outage ends", func() bool { return !p.held() })
			time.Sleep(time.Second) // more than a pause
			if p.links() != links {
				t.Errorf("the process was told %q of its link", p.links())
			}
			for _, want := range test.want {
				if strings.Count(p.complaint(), want) != 1 {
					t.Errorf("the events say %q, want …%s… once", p.complaint(), want)
				}
			}
		})
	}
}

// Observers can tell a loss from another only by the return between them.
func TestAComplaintWaitsForTheLink(t *testing.T) {
	t.Parallel()
	var told []error
	f := newFleet()
	f.hooks.Link = func(l sharing.Link) { told = append(told, l.Err) }
	w := &worker{fleet: f, settings: new(settings), ctx: t.Context(), complaints: []error{errForgot}}
	for _, trouble := range []error{errDown, nil} {
		w.tell(trouble)
		w.complain()
	}
	if want := []error{errDown, nil, errForgot, nil}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}

// A look that is answered does not mean that reports are.
func TestTheLinkIsLostAsLongAsReportsFail(t *testing.T) {
	t.Parallel()
	s, all := startFleet(t, 1)
	p := all[0]
	s.do("SET", "shop:{b}:counts", "garbage")
	p.calls(1, errDown)
	eventually(t, "the link is lost", func() bool { return p.links() == "up down" })
	time.Sleep(2 * time.Second) // more than a pause
	if p.links() != "up down" || !strings.Contains(p.complaint(), "WRONGTYPE") {
		t.Errorf("the process was told %q of its link: %s", p.links(), p.complaint())
	}
	s.do("DEL", "shop:{b}:counts")
	inAll(t, all, "the link is there", linked)
}

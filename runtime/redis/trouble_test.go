package redis

import (
	"cmp"
	"context"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/setting"
)

type rig struct {
	server *server
	proxy  *proxy
	all    []*process
}

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

func newRig(t *testing.T, n int, pairs ...string) *rig {
	t.Helper()
	r := &rig{server: startServer(t)}
	r.proxy = startProxy(t, r.server.address)
	r.all = startProcesses(t, n, shared(r.proxy.address(), pairs...))
	inAll(t, r.all, "the link is there", linked)
	return r
}

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

func isTooOld(t *testing.T, p *process) {
	t.Helper()
	eventually(t, "the link is lost", func() bool { return p.links() == "down" })
	if text := p.complaint(); !strings.Contains(text, "is Redis 5.") || !strings.Contains(text, "6.0 or newer is needed") {
		t.Errorf("the event says %q", text)
	}
}

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
	d := newDesk(t, r.server)
	eventually(t, "260 calls and 60 failures", func() bool {
		calls, failures := d.counted()
		return calls == 260 && failures == 60
	})
}

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
	d := newDesk(t, r.server)
	eventually(t, "all calls are counted, each once", func() bool {
		calls, _ := d.counted()
		return calls == 2*rounds*100
	})
	time.Sleep(50 * time.Millisecond)
	if calls, _ := d.counted(); calls != 2*rounds*100 {
		t.Errorf("%v calls are counted", calls)
	}
}

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
		return newDesk(t, r.server).view("b").Outage != 0
	})
	r.proxy.set(proxyMode{refuse: true})
	r.proxy.set(proxyMode{})
}

func (r *rig) history() (changes []string) {
	for line := range strings.SplitSeq(r.server.do("LRANGE", historyKey, "0", "-1"), "\n") {
		if e, ok := readEvent(line); ok {
			changes = append(changes, "b "+e.What)
		}
	}
	return changes
}

func sorted(texts []string) []string { return slices.Sorted(slices.Values(texts)) }

const stateKey, historyKey = "shop:v2:{shop:v2:0}state:b", "shop:v2:{shop:v2:0}history:b"

// Whatever becomes of the server in an outage: the breaker is held until its
// retry, and when the server is back the outage is the same, though the server
// has lost it.
func TestTroubleWithTheServerInAnOutage(t *testing.T) {
	t.Parallel()
	for _, trouble := range troubles {
		t.Run(trouble.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 3, "secondsBeforeRetry", "1h", "minimumErrors", "15", "timeout", "500ms", "outageCheckInterval", "200ms")
			breakDown(t, r.all)
			before := newDesk(t, r.server).view("b").Outage
			trouble.spoil(r)
			switch {
			case trouble.brief, trouble.unnoticed:
				time.Sleep(300 * time.Millisecond)
			case trouble.newClients:
				newcomer := startProcess(t, shared(r.proxy.address()))
				isTooOld(t, newcomer)
				newcomer.registry.Close()
			default:
				inAll(t, r.all, "the link is lost", func(p *process) bool { return strings.HasSuffix(p.links(), "down") })
				for _, p := range r.all {
					if text := p.complaint(); !strings.Contains(text, cmp.Or(trouble.complaint, r.proxy.address())) {
						t.Errorf("the event says %q", text)
					}
				}
			}
			inAll(t, r.all, "the breaker is held on", (*process).held)
			trouble.mend(r)
			inAll(t, r.all, "the link is there", linked)
			inAll(t, r.all, "the breaker is held", (*process).held)
			eventually(t, "the server knows the outage again", func() bool { return newDesk(t, r.server).view("b").Outage == before })
			if got := fleetOutages(r.all); !slices.Equal(got, []string{"b BEGAN"}) {
				t.Errorf("events are %q", got)
			}
			if trouble.unnoticed || trouble.newClients || trouble.brief {
				r.wantLosses(t, 0)
			} else {
				r.wantLosses(t, 1)
			}
		})
	}
}

// Nobody else is asked: once the retry is over, each process makes a trial of
// its own now and then.
func TestFleetS04AKnownOutageOutlivesTheServer(t *testing.T) {
	t.Parallel()
	s, all := startFleet(t, 3, "secondsBeforeRetry", "1s", "timeout", "100ms")
	breakDown(t, all)
	s.stop()
	inAll(t, all, "the link is lost", func(p *process) bool { return strings.HasSuffix(p.links(), "down") })
	admitted := 0
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		for _, p := range all {
			if p.call(errDown) == errDown {
				admitted++
			}
		}
	}
	if admitted > 5*len(all) || admitted == 0 {
		t.Errorf("%d calls reached a dead dependency in 4s from 3 processes with a trial each second", admitted)
	}
	recovers(t, all)
}

package stand

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"
)

const settings = `{
	"bulkheads": {
		"shared": {"maxConcurrentCalls": 2},
		"a": {"maxConcurrentCalls": 1},
		"b": {"maxConcurrentCalls": 1},
	},
	"timeouts": {"default": {"duration": %q}},
}`

// start starts dependencies and a service before them.
func start(t *testing.T, p Partition, timeout string) (*Dependencies, *Service) {
	t.Helper()
	d, err := OwnDependencies(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	s, err := StartService(p, fmt.Appendf(nil, settings, timeout), 0, d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return d, s
}

func get(t *testing.T, url string) int {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Error(err)
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

func TestServiceAnswersBothEndpoints(t *testing.T) {
	for _, p := range []Partition{OnePool, PoolEach} {
		_, s := start(t, p, "10s")
		for _, endpoint := range []string{"a", "b"} {
			if got := get(t, s.URL(endpoint)); got != http.StatusOK {
				t.Errorf("partition %d, /%s answered %d", p, endpoint, got)
			}
		}
	}
}

func TestDeadDependencyIsABadGatewayUntilItIsBack(t *testing.T) {
	d, s := start(t, PoolEach, "10s")
	get(t, s.URL("a")) // leaves a connection, which must not be used
	d.Dead()
	if got := get(t, s.URL("a")); got != http.StatusBadGateway {
		t.Errorf("/a answered %d, want 502", got)
	}
	if got := get(t, s.URL("b")); got != http.StatusOK {
		t.Errorf("/b answered %d, want 200", got)
	}
	if err := d.Slow(0, 0); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s.URL("a")); got != http.StatusOK {
		t.Errorf("/a answered %d, want 200 again", got)
	}
}

func TestSlowDependencyIsAGatewayTimeout(t *testing.T) {
	d, s := start(t, PoolEach, "50ms")
	if err := d.Slow(10*time.Second, 0); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s.URL("a")); got != http.StatusGatewayTimeout {
		t.Errorf("/a answered %d, want 504", got)
	}
}

func TestCallersDeadlineIsAGatewayTimeout(t *testing.T) {
	d, s := start(t, PoolEach, "1h")
	s.deadline = 50 * time.Millisecond
	if err := d.Slow(10*time.Second, 0); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s.URL("a")); got != http.StatusGatewayTimeout {
		t.Errorf("/a answered %d, want 504", got)
	}
}

// A slow A takes both permits there are: of one pool, /b is refused; of a pool
// for each, only /a is.
func TestPartitionDecidesWhomASlowDependencyHarms(t *testing.T) {
	for p, want := range map[Partition]map[string]int{
		OnePool:  {"a": 503, "b": 503},
		PoolEach: {"a": 503, "b": 200},
	} {
		d, s := start(t, p, "1h")
		if err := d.Slow(time.Hour, 0); err != nil {
			t.Fatal(err)
		}
		hold(t, s)
		for endpoint, want := range want {
			if got := get(t, s.URL(endpoint)); got != want {
				t.Errorf("partition %d, /%s answered %d, want %d", p, endpoint, got, want)
			}
		}
	}
}

// hold makes as many calls to A as there are permits for them, and returns when
// all are taken. The calls end with the test.
func hold(t *testing.T, s *Service) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	t.Cleanup(func() { cancel(); calls.Wait() })
	pool := "shared"
	if _, split := s.Gauges().Pools["a"]; split {
		pool = "a"
	}
	for range s.Gauges().Pools[pool].MaxConcurrentCalls {
		calls.Go(func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL("a"), nil)
			if err != nil {
				t.Error(err)
				return
			}
			if resp, err := http.DefaultClient.Do(req); err == nil {
				resp.Body.Close()
			}
		})
	}
	deadline := time.After(20 * time.Second)
	for s.Gauges().Pools[pool].Available > 0 {
		select {
		case <-time.Tick(time.Millisecond):
		case <-deadline:
			t.Fatalf("permits of %s are left: %+v", pool, s.Gauges())
		}
	}
}

func TestGaugesShowWhatIsHeld(t *testing.T) {
	d, s := start(t, PoolEach, "1h")
	if err := d.Slow(time.Hour, 0); err != nil {
		t.Fatal(err)
	}
	hold(t, s)
	watching, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	seen := s.Watch(watching, 5*time.Millisecond)
	if len(seen) == 0 {
		t.Fatal("nothing was seen")
	}
	last := seen[len(seen)-1]
	if a, b := last.Pools["a"], last.Pools["b"]; a.InUse != 1 || b.InUse != 0 || last.ServingA < 1 || last.ServingB != 0 {
		t.Errorf("seen %+v, want one call to A", last)
	}
	if last.At <= 0 {
		t.Errorf("seen at %v", last.At)
	}
}

func TestTheirEndpointsAreCalledAsTheyAre(t *testing.T) {
	var mu sync.Mutex
	seen := make(map[string]int)
	theirs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen[r.Host+r.URL.String()]++
		http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
	}))
	defer theirs.Close()
	// Both on one server: faults are A's alone.
	d, err := TheirDependencies(t.Context(), theirs.URL+"/slow?x=1", theirs.URL+"/fast", false)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Try(t.Context()); err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(theirs.URL, "http://")
	if seen[host+"/slow?x=1"] < 1 || seen[host+"/fast"] < 1 {
		t.Errorf("seen %v", seen)
	}
	d.Dead()
	if _, err := d.Try(t.Context()); err == nil || !strings.Contains(err.Error(), "try A") {
		t.Errorf("got %v, want that A does not answer", err)
	}
}

func TestOnlyThisMachineUnlessAllowed(t *testing.T) {
	for url, want := range map[string]string{
		"http://127.0.0.1:1/x":       "",
		"http://[::1]:1/x":           "",
		"https://localhost/x":        "",
		"http://192.0.2.1/x":         "-allow-remote",
		"http://[::ffff:192.0.2.1]/": "-allow-remote",
		"ftp://127.0.0.1/x":          "no http or https URL",
		"127.0.0.1:80":               "first path segment",
		"/x":                         "no http or https URL",
	} {
		_, err := lookUp(t.Context(), url, false)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", url, err, want)
		}
	}
	if a, err := lookUp(t.Context(), "https://192.0.2.1/x", true); err != nil || a.addr != "192.0.2.1:https" {
		t.Errorf("allowed: got %v, %v", a, err)
	}
}

func TestLoopbackIsChosenAmongAddresses(t *testing.T) {
	far, near := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("::ffff:127.0.0.1")
	if got, err := choose([]netip.Addr{far, near}, false); err != nil || got != near.Unmap() {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := choose([]netip.Addr{far, near}, true); err != nil || got != far {
		t.Errorf("allowed: got %v, %v", got, err)
	}
}

package load

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

func TestKindOfAnAnswer(t *testing.T) {
	const late = `Get "http://x": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`
	for name, c := range map[string]struct {
		code uint16
		err  string
		want Kind
	}{
		"ok":                        {200, "", OK},
		"a redirect is an answer":   {302, "", OK},
		"no room":                   {503, "503 Service Unavailable", Refused},
		"too many requests":         {429, "429 Too Many Requests", Refused},
		"the service gave up":       {504, "504 Gateway Timeout", TimedOut},
		"no answer in time":         {0, late, TimedOut},
		"no connection":             {0, "connect: connection refused", Failed},
		"the dependency failed":     {502, "502 Bad Gateway", Failed},
		"the request was wrong":     {404, "404 Not Found", Failed},
		"cut off while it answered": {0, "unexpected EOF", Failed},
	} {
		t.Run(name, func(t *testing.T) {
			if got := kindOf(c.code, c.err); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestTallyKeepsTimesOfGoodAnswersOnly(t *testing.T) {
	tally := NewTally()
	if _, known := tally.Quantile(0.5, OK); known {
		t.Error("an empty tally knows a quantile")
	}
	if _, known := tally.Percent(OK); known {
		t.Error("an empty tally knows a share")
	}
	for i := range 100 {
		tally.Add(OK, time.Duration(i+1)*time.Millisecond)
	}
	for range 300 {
		tally.Add(Refused, time.Microsecond)
	}
	if share, _ := tally.Percent(OK); share != 25 {
		t.Errorf("%v %% are ok, want 25", share)
	}
	near(t, tally, 0.5, 50*time.Millisecond)
	near(t, tally, 0.99, 99*time.Millisecond)
}

func TestFieldI02RefusalsHaveLatencies(t *testing.T) {
	tally := NewTally()
	for i := range 100 {
		tally.Add(Refused, time.Duration(i+1)*time.Millisecond)
		tally.Add(OK, time.Second)
	}
	for _, c := range []struct {
		kinds []Kind
		want  time.Duration
	}{{[]Kind{Refused}, 50 * time.Millisecond}, {[]Kind{OK}, time.Second}, {Kinds, 100 * time.Millisecond}} {
		got, known := tally.Quantile(0.5, c.kinds...)
		if !known || (got-c.want).Abs() > c.want/50 {
			t.Errorf("%v: the median is %v (%v), want %v", c.kinds, got, known, c.want)
		}
	}
	if _, known := tally.Quantile(0.5, TimedOut, Failed); known {
		t.Error("a quantile of no answers is known")
	}
}

// near fails where a quantile is off by more than the histogram's 1 %.
func near(t *testing.T, tally *Tally, part float64, want time.Duration) {
	t.Helper()
	got, known := tally.Quantile(part, OK)
	if off := (got - want).Abs(); !known || off > want/50 {
		t.Errorf("quantile %v is %v (%v), want %v", part, got, known, want)
	}
}

func TestTimesOffTheScaleAreKept(t *testing.T) {
	tally := NewTally()
	tally.Add(OK, time.Hour)
	near(t, tally, 1, time.Minute)
}

func TestRecordLeavesTheWarmUpOut(t *testing.T) {
	r := NewRecord(Plan{Rate: 10, WarmUp: time.Second, Over: 2 * time.Second, Slice: 500 * time.Millisecond})
	for i := range 31 { // the last is sent at the very end
		r.Add(Answer{Number: i, Sent: time.Duration(i) * 100 * time.Millisecond, Kind: OK})
	}
	if got := r.Total.Sent(); got != 21 {
		t.Errorf("%d requests count, want 21", got)
	}
	if got := r.Offered(); got != 10.5 {
		t.Errorf("%v requests/s were offered, want 10.5", got)
	}
	var slices []int
	for _, s := range r.Slices {
		slices = append(slices, s.Sent())
	}
	if want := []int{5, 5, 5, 5, 5, 6}; !equal(slices, want) {
		t.Errorf("the slices have %v requests, want %v", slices, want)
	}
	if got := r.Late(); got != 0 {
		t.Errorf("late by %v, want not at all", got)
	}
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestRecordKnowsHowLateRequestsWere(t *testing.T) {
	r := NewRecord(Plan{Rate: 100, WarmUp: time.Second, Over: time.Second, Slice: time.Second})
	r.Add(Answer{Number: 0, Sent: 900 * time.Millisecond}) // in the warm-up
	for i := 100; i < 197; i++ {
		r.Add(Answer{Number: i, Sent: time.Duration(i)*10*time.Millisecond + 40*time.Millisecond})
	}
	if got := r.Late(); got < 29*time.Millisecond || got > 31*time.Millisecond {
		t.Errorf("late by %v, want 30ms", got)
	}
}

func TestRequestsAreOneInEachPeriod(t *testing.T) {
	p := newPace(Plan{Rate: 100, WarmUp: time.Second, Over: time.Second}, 7)
	same := newPace(Plan{Rate: 100, WarmUp: time.Second, Over: time.Second}, 7)
	other := newPace(Plan{Rate: 100, WarmUp: time.Second, Over: time.Second}, 8)
	var differ int
	for n := range uint64(200) {
		began := time.Duration(n) * 10 * time.Millisecond
		wait, stop := p.Pace(began, n)
		if stop || wait < 0 || wait >= 10*time.Millisecond {
			t.Fatalf("request %d comes %v after its period began (stop %v)", n, wait, stop)
		}
		if again, _ := same.Pace(began, n); again != wait {
			t.Fatalf("request %d comes at %v and %v with the same seed", n, wait, again)
		}
		if elsewhere, _ := other.Pace(began, n); (elsewhere - wait).Abs() > time.Millisecond {
			differ++
		}
	}
	if differ < 100 {
		t.Errorf("with another seed only %d of 200 come at other moments", differ)
	}
	if wait, stop := p.Pace(3*time.Second, 200); wait != 0 || !stop {
		t.Errorf("after the last request it waits %v (stop %v)", wait, stop)
	}
}

// counter counts requests by path, and answers after a time.
type counter struct {
	takes time.Duration
	mu    sync.Mutex
	seen  map[string]int
}

func (c *counter) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.seen[r.URL.Path]++
	c.mu.Unlock()
	select {
	case <-time.After(c.takes):
	case <-r.Context().Done():
	}
}

func TestRequestsComeAtTheRateWhateverTheAnswers(t *testing.T) {
	c := &counter{takes: 250 * time.Millisecond, seen: make(map[string]int)}
	server := httptest.NewServer(c)
	defer server.Close()
	plan := Plan{Rate: 50, WarmUp: 100 * time.Millisecond, Over: 400 * time.Millisecond, Slice: 100 * time.Millisecond, Timeout: 5 * time.Second}
	records, err := plan.Offer(t.Context(), Endpoint{URL: server.URL + "/a"}, Endpoint{URL: server.URL + "/b", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range []string{"/a", "/b"} {
		if got := c.seen[path]; got < 20 || got > 27 { // one at a time would be 2
			t.Errorf("%s got %d requests, want about 25", path, got)
		}
		if ok, sent := records[i].Total.Count(OK), records[i].Total.Sent(); ok != sent || sent < 15 {
			t.Errorf("%s: %d of %d are ok, want about 20 of as many", path, ok, sent)
		}
	}
}

func TestLoadEndsAtOnceWhenToldTo(t *testing.T) {
	c := &counter{takes: time.Hour, seen: make(map[string]int)}
	server := httptest.NewServer(c)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	plan := Plan{Rate: 50, Over: time.Hour, Slice: time.Hour, Timeout: time.Hour}
	ended := make(chan error, 1)
	go func() {
		_, err := plan.Offer(ctx, Endpoint{URL: server.URL})
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the context's error", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it never ends")
	}
}

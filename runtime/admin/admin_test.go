package admin_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/admin"
)

func newRegistry(t *testing.T, settings string) *resilience.Registry {
	t.Helper()
	registry, err := resilience.New(resilience.Settings("resilience.json", []byte(settings)), resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { registry.Close() })
	return registry
}

const one = `{"breakers": {"payments": {}}}`

func payments(t *testing.T, registry *resilience.Registry) *resilience.Breaker {
	t.Helper()
	b, err := registry.Breaker("payments")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func ask(h http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func ann(*http.Request) (string, bool) { return "ann", true }

func TestAdminA06WithoutControlNothingCanBeChanged(t *testing.T) {
	registry := newRegistry(t, one)
	payments(t, registry)
	h := admin.Handler(registry)
	for _, action := range []string{"trip", "force-open", "disable", "metrics-only", "reset"} {
		if w := ask(h, "POST", "/breakers/payments/"+action, `{"reason": "x"}`); w.Code != 404 {
			t.Errorf("%s: %d", action, w.Code)
		}
	}
}

func TestAdminControl(t *testing.T) {
	const trip, reason = "/breakers/payments/trip", `{"reason": "deploy"}`
	nobody := func(*http.Request) (string, bool) { return "", true }
	bob := func(*http.Request) (string, bool) { return "bob", false }
	for name, c := range map[string]struct {
		who        func(*http.Request) (string, bool)
		path, body string
		headers    []string
		status     int
		by         string
	}{
		"A7 who may not":          {who: bob, path: trip, body: reason, status: 403},
		"A7 without a name":       {who: nobody, path: trip, body: reason, status: 403},
		"A8 ann":                  {path: trip, body: reason, status: 204, by: "ann: deploy"},
		"A9 without a reason":     {path: trip, body: `{"reason": " "}`, status: 400},
		"A9 without JSON":         {path: trip, body: `deploy`, status: 400},
		"A9 too long":             {path: trip, body: `{"reason": "` + strings.Repeat("x", 501) + `"}`, status: 400},
		"A9 an unknown breaker":   {path: "/breakers/paymets/trip", body: reason, status: 404},
		"A9 an unknown action":    {path: "/breakers/payments/explode", body: reason, status: 404},
		"A9 a wrong content type": {path: trip, body: reason, headers: []string{"Content-Type", "text/plain"}, status: 415},
		"A10 cross-site":          {path: trip, body: reason, headers: []string{"Sec-Fetch-Site", "cross-site"}, status: 403},
		"A10 a foreign origin":    {path: trip, body: reason, headers: []string{"Origin", "https://evil.example"}, status: 403},
		"A10 the same origin":     {path: trip, body: reason, headers: []string{"Sec-Fetch-Site", "same-origin"}, status: 204, by: "ann: deploy"},
	} {
		t.Run(name, func(t *testing.T) {
			registry := newRegistry(t, one)
			payments(t, registry)
			who := c.who
			if who == nil {
				who = ann
			}
			w := ask(admin.Handler(registry, admin.Control(who)), "POST", c.path, c.body, c.headers...)
			b := registry.Snapshot().Breakers[0]
			if w.Code != c.status || b.By != c.by || (b.State == resilience.Open) != (c.by != "") {
				t.Errorf("%d %s, by %q in %v", w.Code, w.Body, b.By, b.State)
			}
		})
	}
}

func TestAdminA13EveryRouteWorksUnderAPrefix(t *testing.T) {
	registry := newRegistry(t, one)
	payments(t, registry)
	h := admin.Handler(registry, admin.Control(ann))
	for _, prefix := range []string{"/a/b", "/a/b/"} {
		stripped := http.StripPrefix(prefix, h)
		for path, want := range map[string]string{"/a/b/": "<!doctype html>", "/a/b/snapshot": `"breakers":[{"name":"payments"`, "/a/b/settings": `"section":"breakers"`} {
			if w := ask(stripped, "GET", path, ""); w.Code != 200 || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s under %s: %d %.80s", path, prefix, w.Code, w.Body)
			}
		}
		if w := ask(stripped, "POST", "/a/b/breakers/payments/trip", `{"reason": "x"}`); w.Code != 204 {
			t.Errorf("a change under %s: %d %s", prefix, w.Code, w.Body)
		}
	}
}

func TestHostsKeepsOthersOut(t *testing.T) {
	h := admin.Handler(newRegistry(t, one), admin.Hosts("localhost:9090", "shop.example"))
	for host, want := range map[string]int{"localhost:9090": 200, "LOCALHOST:9090": 200, "shop.example:1": 200, "localhost:9091": 421, "evil.example": 421} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s: %d, want %d", host, w.Code, want)
		}
	}
}

func TestThePolicyLetsInNothingButItsOwn(t *testing.T) {
	h := admin.Handler(newRegistry(t, one))
	first, second := ask(h, "GET", "/", "").Header(), ask(h, "GET", "/", "").Header()
	policy := first.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; script-src 'nonce-") || policy == second.Get("Content-Security-Policy") ||
		first.Get("X-Content-Type-Options") != "nosniff" || first.Get("Cache-Control") != "no-store" || first.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("headers %v", first)
	}
}

func TestAdminA14TheSnapshotOfFiveHundredBreakersIsSmall(t *testing.T) {
	var text strings.Builder
	for i := range 500 {
		fmt.Fprintf(&text, `"dependency-%03d": {},`, i)
	}
	registry := newRegistry(t, `{"breakers": {`+text.String()+`}}`)
	for i := range 500 {
		if _, err := registry.Breaker(fmt.Sprintf("dependency-%03d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if n := ask(admin.Handler(registry), "GET", "/snapshot", "").Body.Len(); n > 300_000 {
		t.Errorf("%d bytes", n)
	}
}

// viewer reads the messages of a stream.
type viewer struct {
	*recorder
	stop func()
	done chan struct{}
}

// recorder may be read while the stream goes on.
type recorder struct {
	*httptest.ResponseRecorder
	mu sync.Mutex
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ResponseRecorder.Write(p)
}

func (r *recorder) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Body.String()
}

func look(h http.Handler, last string) viewer {
	ctx, stop := context.WithCancel(context.Background())
	v := viewer{&recorder{ResponseRecorder: httptest.NewRecorder()}, stop, make(chan struct{})}
	r := httptest.NewRequest("GET", "/events", nil).WithContext(ctx)
	r.Header.Set("Last-Event-ID", last)
	go func() {
		defer close(v.done)
		h.ServeHTTP(v.recorder, r)
	}()
	synctest.Wait()
	return v
}

// told are the kinds of the messages so far.
func (v viewer) told() (kinds []string) {
	for lines := bufio.NewScanner(strings.NewReader(v.text())); lines.Scan(); {
		if kind, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

func TestAdminA02ASnapshotAtOnceAndOneEachInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := look(admin.Handler(newRegistry(t, one)), "")
		for i := range 4 {
			if got := len(v.told()); got != i+1 {
				t.Errorf("%d messages after %d intervals", got, i)
			}
			time.Sleep(time.Second)
			synctest.Wait()
		}
		v.stop()
		<-v.done
		synctest.Wait() // the ticker ends too, or the bubble would say so
	})
}

func TestAdminA03AnEventComesBeforeTheNextSnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, one)
		v := look(admin.Handler(registry), "")
		payments(t, registry).Trip("ann")
		synctest.Wait()
		if got := fmt.Sprint(v.told()); got != "[snapshot event]" {
			t.Errorf("told %s", got)
		}
		v.stop()
		<-v.done
	})
}

func TestAdminA04TheNextViewerWaitsForAPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := admin.Handler(newRegistry(t, one))
		var in []viewer
		for range 16 {
			in = append(in, look(h, ""))
		}
		if v := look(h, ""); v.Code != 503 || v.Header().Get("Retry-After") == "" {
			t.Errorf("the 17th got %d %v", v.Code, v.Header())
		}
		in[3].stop()
		<-in[3].done
		in[3] = look(h, "")
		if in[3].Code != 200 {
			t.Errorf("with a place free: %d", in[3].Code)
		}
		for _, v := range in {
			v.stop()
			<-v.done
		}
	})
}

func TestAdminA12EventsResumeWhereTheyEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, one)
		h := admin.Handler(registry)
		b := payments(t, registry)
		for range 150 {
			b.Trip("ann")
			b.Reset("ann")
		}
		synctest.Wait()
		first := look(h, "")
		text := first.text()
		if got := strings.Count(text, "event: event"); got != 200 {
			t.Errorf("%d events, want the last 200", got)
		}
		_, last, _ := strings.Cut(text[strings.LastIndex(text, "id: "):], "id: ")
		last, _, _ = strings.Cut(last, "\n")
		b.Trip("ann")
		synctest.Wait()
		second := look(h, last)
		if got := strings.Count(second.text(), "event: event"); got != 1 {
			t.Errorf("%d events after %s, want the one since", got, last)
		}
		third := look(h, "of-another-process-7")
		if got := strings.Count(third.text(), "event: event"); got != 200 {
			t.Errorf("%d events after an id of somebody else, want all", got)
		}
		for _, v := range []viewer{first, second, third} {
			v.stop()
			<-v.done
		}
	})
}

func TestAdminA15AClosedRegistryEndsTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, one)
		h := admin.Handler(registry)
		v := look(h, "")
		payments(t, registry).Trip("ann")
		registry.Close()
		<-v.done
		if got := fmt.Sprint(v.told()); !strings.HasSuffix(got, " closed]") || !strings.Contains(got, "event") {
			t.Errorf("told %s", got)
		}
		if w := ask(h, "GET", "/snapshot", ""); !strings.Contains(w.Body.String(), `"state":"OPEN"`) {
			t.Errorf("the last snapshot is %s", w.Body)
		}
	})
}

func TestAHandlerOfNoRegistryIsAMistake(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	admin.Handler(nil)
}

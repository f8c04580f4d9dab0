package behaviour_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/testdata/scenarios/fallback"
)

// offers fail all, and count how often they are asked again.
type offers struct{ again int }

func (*offers) Price(context.Context, string) (int, error)       { return 1, errDependency }
func (*offers) List(context.Context, ...string) ([]int, error)   { return nil, errDependency }
func (*offers) Cached(context.Context, ...string) ([]int, error) { return nil, errDependency }
func (*offers) Ping(context.Context) error                       { return errDependency }
func (o *offers) Again(context.Context, string) (cents int, err error) {
	o.again++
	return 1, errDependency
}

func TestMethodsFallBackOnWhatTheyName(t *testing.T) {
	r := registry(t, `{"breakers": {"offers": {"failureThreshold": 9}}, "retries": {"offers": {"initialDelay": "0s"}}}`)
	client := new(offers)
	w := wrap(t, fallback.NewResilientOffers, fallback.Offers(client), r)
	if cents, err := w.Price(t.Context(), "tea"); cents != 99 || err != nil {
		t.Errorf("on a function of another package: %d, %v", cents, err)
	}
	if cents, err := w.List(t.Context(), "tea", "jam"); !slices.Equal(cents, []int{0, 0}) || err != nil {
		t.Errorf("on a method that falls back: %v, %v", cents, err)
	}
	if err := w.Ping(t.Context()); err != errDependency {
		t.Errorf("on one that returns the error: %v", err)
	}
	if cents, err := w.Again(t.Context(), "tea"); cents != 99 || err != nil || client.again != 2 {
		t.Errorf("after %d attempts: %d, %v", client.again, cents, err)
	}
	counts := map[string]resilience.FallbackFigures{}
	for _, f := range r.Snapshot().Fallbacks {
		for _, m := range f.Methods {
			counts[f.Name+" "+strings.TrimPrefix(m.Method, "fallback.Offers.")] = m
		}
	}
	for _, name := range []string{"offers Price", "lists List", "cached Cached", "offers Ping", "offers Again"} {
		if counts[name].Failure != 1 {
			t.Errorf("%s is %+v in %v", name, counts[name], counts)
		}
	}
}

// pages answers with a status, or opens a file.
type pages struct {
	body   *body
	status int
	file   io.ReadCloser
}

func (p pages) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: p.status, Body: p.body}, nil
}

func (p pages) Stream(r *http.Request) (*http.Response, error) { return p.RoundTrip(r) }

func (p pages) Fetch(context.Context, string) (*http.Response, error) { return p.RoundTrip(nil) }

func (p pages) Open(string) (io.ReadCloser, error) { return p.file, nil }

func TestAnAnswerThatNobodyGetsIsClosed(t *testing.T) {
	r := registry(t, `{"breakers": {"pages": {"failureThreshold": 9}}, "retries": {"pages": {"initialDelay": "0s"}}}`)
	for status, falls := range map[int]bool{200: false, 404: false, 503: true} {
		served := &body{Reader: strings.NewReader("")}
		w := wrap(t, fallback.NewResilientPages, fallback.Pages(pages{body: served, status: status}), r)
		response, err := w.RoundTrip(request(t, t.Context(), "http://pages.test/"))
		if falls != (err == io.EOF) || falls != (served.closed == 1) || falls == (response != nil) {
			t.Errorf("%d: %v, %v, closed %d times", status, response, err, served.closed)
		}
	}
	for status, inUse := range map[int]int{200: 1, 503: 0} {
		served := &body{Reader: strings.NewReader("")}
		w := wrap(t, fallback.NewResilientPages, fallback.Pages(pages{body: served, status: status}), r)
		response, err := w.Stream(request(t, t.Context(), "http://pages.test/"))
		if got := r.Snapshot().Bulkheads[0].InUse; got != inUse || (err == io.EOF) != (status == 503) {
			t.Errorf("a stream that answers %d: %v, %d permits in use", status, err, got)
		}
		if response != nil {
			response.Body.Close()
		}
		if served.closed != 1 || r.Snapshot().Bulkheads[0].InUse != 0 {
			t.Errorf("a stream that answered %d: closed %d times, %d permits in use", status, served.closed, r.Snapshot().Bulkheads[0].InUse)
		}
	}
	served := &body{Reader: strings.NewReader("")}
	fetched := wrap(t, fallback.NewResilientPages, fallback.Pages(pages{body: served, status: 503}), r)
	if _, err := fetched.Fetch(t.Context(), "http://pages.test/"); err != io.EOF || served.closed != 2 {
		t.Errorf("after two attempts: %v, closed %d times", err, served.closed)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	w := wrap(t, fallback.NewResilientPages, fallback.Pages(pages{}), r)
	if _, err := w.RoundTrip(request(t, gone, "http://pages.test/")); !errors.Is(err, context.Canceled) {
		t.Errorf("a request whose caller has gone: %v", err)
	}
	if file, err := w.Open("tea"); file != nil || err != resilience.ErrFailed {
		t.Errorf("a file that is not there: %v, %v", file, err)
	}
	open(t, r, "pages")
	sent := &body{Reader: strings.NewReader("")}
	refused := request(t, t.Context(), "http://pages.test/")
	refused.Body = sent
	if _, err := w.RoundTrip(refused); err != io.EOF || sent.closed != 1 {
		t.Errorf("a refused request: %v, closed %d times", err, sent.closed)
	}
}

// replies answers with its error inside, and counts its calls.
type replies struct {
	err   error
	calls *int
}

func (c replies) Get(context.Context, string) *fallback.Answer {
	*c.calls++
	return &fallback.Answer{Err: c.err}
}
func (c replies) Find(ctx context.Context, key string) *fallback.Answer { return c.Get(ctx, key) }
func (c replies) Has(context.Context, string, error) bool               { return true }
func (c replies) Size() int                                             { return 1 }

func TestMethodsWithoutAnErrorAreGuarded(t *testing.T) {
	r := registry(t, `{"breakers": {"cache": {"failureThreshold": 2}}}`)
	w := wrap(t, fallback.NewResilientCache, fallback.Cache(replies{errDependency, new(int)}), r)
	for range 2 {
		if got := w.Get(t.Context(), "tea"); got.Err != resilience.ErrFailed {
			t.Errorf("a failure: %v", got.Err)
		}
	}
	if got := w.Get(t.Context(), "tea"); !errors.Is(got.Err, resilience.ErrOpen) {
		t.Errorf("two of them opened the breaker, but: %v", got.Err)
	}
	if got := w.Find(t.Context(), "tea"); !errors.Is(got.Err, resilience.ErrOpen) {
		t.Errorf("with retries: %v", got.Err)
	}
	if w.Has(t.Context(), "", nil) {
		t.Error("Has was not answered")
	}
}

type handler func(http.ResponseWriter, *http.Request)

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h(w, r) }

func TestClientsC20AHandlerThatIsRefusedAnswers503(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := registry(t, `{"breakers": {"offers": {"testDelay": "90s"}}, "bulkheads": {"offers": {"maxConcurrentCalls": 3}}}`)
		var idle int
		served := wrap(t, fallback.NewResilientHandler, fallback.Handler(handler(func(w http.ResponseWriter, _ *http.Request) {
			idle = r.Snapshot().Bulkheads[0].ReservedIdle
			w.WriteHeader(http.StatusTeapot)
		})), r)
		serve := func() *http.Response {
			recorder := httptest.NewRecorder()
			served.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
			return recorder.Result()
		}
		atRest := func() {
			t.Helper()
			if b := r.Snapshot().Bulkheads[0]; b.Available != 3 || b.InUse != 0 || b.ReservedIdle != 0 {
				t.Errorf("the bulkhead has %+v", b)
			}
		}
		if got := serve(); got.StatusCode != http.StatusTeapot || idle != 2 {
			t.Errorf("a request that is served: %d, with %d permits", got.StatusCode, idle)
		}
		atRest()
		breaker, err := r.Breaker("offers")
		if err != nil {
			t.Fatal(err)
		}
		breaker.Trip("test")
		if got := serve(); got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") != "90" {
			t.Errorf("one that is refused: %d, Retry-After %q", got.StatusCode, got.Header.Get("Retry-After"))
		}
		atRest()
		time.Sleep(90 * time.Second)
		if got := serve(); got.StatusCode != http.StatusTeapot {
			t.Errorf("one after that: %d", got.StatusCode)
		}
		atRest()
	})
}

type shelf struct{}

func (shelf) Load(string) (int, error) { return 7, errDependency }

func TestAGenericMethodFallsBack(t *testing.T) {
	w := wrap(t, fallback.NewResilientShelf[string, int], fallback.Shelf[string, int](shelf{}), registry(t, `{}`))
	if value, err := w.Load("tea"); value != 0 || err != nil {
		t.Errorf("got %d, %v", value, err)
	}
}

package behaviour_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/testdata/scenarios/carried"
)

// roundTrip is a transport, and a client with Do.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (f roundTrip) Do(r *http.Request) (*http.Response, error) { return f(r) }

func answer(status int) *http.Response {
	return &http.Response{StatusCode: status, Body: http.NoBody, Header: http.Header{}}
}

func request(t testing.TB, ctx context.Context, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const oneAtATime = `{"bulkheads": {"web": {"maxConcurrentCalls": 1, "maxWaitDuration": "1h"}}}`

func TestClientsC04AWaitForAPermitEndsWithTheContextOfTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := registry(t, oneAtATime)
		free := make(chan struct{})
		transport := wrap(t, carried.NewResilientTransport, carried.Transport(roundTrip(func(*http.Request) (*http.Response, error) {
			<-free
			return answer(200), nil
		})), r)
		client := &http.Client{Transport: transport}
		done := make(chan struct{})
		go func() {
			defer close(done)
			if _, err := client.Do(request(t, context.Background(), "http://web/")); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		began := time.Now()
		_, err := client.Do(request(t, ctx, "http://web/"))
		if took := time.Since(began); took != time.Minute || !errors.Is(err, resilience.ErrFull) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %v", took, err)
		}
		close(free)
		<-done
	})
}

func TestClientsC04TheReservationOfAnEntryComesWithTheRequest(t *testing.T) {
	r := registry(t, oneAtATime)
	transport := wrap(t, carried.NewResilientTransport, carried.Transport(roundTrip(func(*http.Request) (*http.Response, error) {
		return answer(200), nil
	})), r)
	client := &http.Client{Transport: transport}
	page := wrap(t, carried.NewResilientPage, carried.Page(render(func(_ http.ResponseWriter, r *http.Request) error {
		_, err := client.Do(request(t, r.Context(), "http://web/"))
		return err
	})), r)
	if err := page.Render(nil, request(t, t.Context(), "http://page/")); err != nil {
		t.Error(err)
	}
	if web := r.Snapshot().Bulkheads[0]; web.InUse != 0 || web.UsedFromReservation != 1 {
		t.Errorf("%+v", web)
	}
}

type render func(http.ResponseWriter, *http.Request) error

func (f render) Render(w http.ResponseWriter, r *http.Request) error { return f(w, r) }

func TestClientsC04ATimeoutCancelsTheRequestAtTheServer(t *testing.T) {
	cancelled := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		close(cancelled)
	}))
	defer server.Close()
	r := registry(t, `{"timeouts": {"web": {"duration": "100ms"}}}`)
	client := &http.Client{Transport: wrap(t, carried.NewResilientTransport, carried.Transport(http.DefaultTransport), r)}
	_, err := client.Do(request(t, t.Context(), server.URL))
	if !errors.Is(err, resilience.ErrTimeout) {
		t.Errorf("got %v", err)
	}
	<-cancelled
	if calls, failed := failures(t, r, "web"); calls != 1 || failed != 1 {
		t.Errorf("%d calls, %d failures", calls, failed)
	}
}

func TestClientsC05ABreakerAloneCopiesNoRequest(t *testing.T) {
	r := registry(t, `{}`)
	var got *http.Request
	response := answer(200)
	w := wrap(t, carried.NewResilientPlain, carried.Plain(roundTrip(func(r *http.Request) (*http.Response, error) {
		got = r
		return response, nil
	})), r)
	sent := request(t, t.Context(), "http://web/")
	if allocations := testing.AllocsPerRun(100, func() { _, _ = w.Do(sent) }); allocations != 0 || got != sent {
		t.Errorf("%v allocations; it is the caller's request: %v", allocations, got == sent)
	}
}

// The guards of the transport have no deadline in force and no reservation, so
// nothing has to be put into the request.
func TestClientsC05ARequestIsCopiedOnlyWhereItsContextDiffers(t *testing.T) {
	for duration, same := range map[string]bool{"0s": true, "1h": false} {
		settings := `{"timeouts": {"web": {"duration": "` + duration + `"}}}`
		if duration == "0s" {
			settings = `{}`
		}
		r := registry(t, settings)
		var got *http.Request
		w := wrap(t, carried.NewResilientTransport, carried.Transport(roundTrip(func(r *http.Request) (*http.Response, error) {
			got = r
			return answer(200), nil
		})), r)
		sent := request(t, t.Context(), "http://web/")
		if _, err := w.RoundTrip(sent); err != nil || (got == sent) != same {
			t.Errorf("timeout %s: it is the caller's request: %v, %v", duration, got == sent, err)
		}
		if _, bounded := got.Context().Deadline(); bounded == same {
			t.Errorf("timeout %s: there is a deadline: %v", duration, bounded)
		}
	}
}

// body is closed once.
type body struct {
	io.Reader
	closed int
}

func (b *body) Close() error {
	b.closed++
	return nil
}

func TestClientsC04ARefusalClosesTheBodyOfTheRequest(t *testing.T) {
	r := registry(t, `{}`)
	w := wrap(t, carried.NewResilientTransport, carried.Transport(roundTrip(nil)), r)
	open(t, r, "web")
	sent := &body{Reader: strings.NewReader("text")}
	post, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://web/", sent)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&http.Client{Transport: w}).Do(post); !errors.Is(err, resilience.ErrOpen) || sent.closed != 1 {
		t.Errorf("the body was closed %d times, %v", sent.closed, err)
	}
	if _, err := w.RoundTrip(request(t, t.Context(), "http://web/")); !errors.Is(err, resilience.ErrOpen) {
		t.Errorf("without a body: %v", err)
	}
}

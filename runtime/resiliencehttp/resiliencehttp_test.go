package resiliencehttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/answer/answertest"
	"github.com/resgen-go/resgen/runtime/resiliencehttp"
)

func TestFieldL05GuardsAnswerRequests(t *testing.T) {
	g := answertest.New(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	over, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	open, openLonger := g.Open("outer"), g.Open("inner")
	for name, c := range map[string]struct {
		err   error
		code  int
		after string
	}{
		"nothing wrong":        {nil, 0, ""},
		"an error":             {errors.New("broken"), 0, ""},
		"somebody's deadline":  {context.DeadlineExceeded, 0, ""},
		"open":                 {open, 503, "91"},
		"wrapped":              {fmt.Errorf("charge: %w", fmt.Errorf("pay: %w", open)), 503, "91"},
		"joined":               {errors.Join(errors.New("broken"), open), 503, "91"},
		"the longest wait":     {fmt.Errorf("both: %w", errors.Join(open, openLonger)), 503, "600"},
		"one wait is known":    {errors.Join(g.Full(), open), 503, "91"},
		"a guard further in":   {g.Nested(open), 503, "91"},
		"full":                 {g.Full(), 503, ""},
		"timed out":            {g.Late(), 504, ""},
		"timed out, wrapped":   {fmt.Errorf("pick: %w", g.Late()), 504, ""},
		"timed out and full":   {errors.Join(g.Late(), g.Full()), 503, ""},
		"the caller has gone":  {g.Done(gone), 503, ""},
		"no time left":         {g.Done(over), 504, ""},
		"no time left, joined": {errors.Join(g.Done(over), open), 503, "91"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if !resiliencehttp.Refuse(w, c.err) {
					w.WriteHeader(http.StatusTeapot)
				}
			}))
			defer server.Close()
			resp, err := http.Get(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, _ := io.ReadAll(resp.Body)
			want := c.code
			if want == 0 {
				want = http.StatusTeapot
			}
			if got := resp.Header.Get("Retry-After"); resp.StatusCode != want || got != c.after {
				t.Errorf("%v: answered %d, Retry-After %q; want %d, %q", c.err, resp.StatusCode, got, want, c.after)
			}
			for _, inside := range []string{"outer", "inner", "pool", "short", "Client", "secret", "resilience"} {
				if strings.Contains(string(body), inside) {
					t.Errorf("the body tells of %s: %s", inside, body)
				}
			}
		})
	}
}

func TestFieldL05JudgeByStatus(t *testing.T) {
	for code, want := range map[int]resilience.Outcome{
		200: resilience.Success, 204: resilience.Success, 301: resilience.Success, 400: resilience.Success, 404: resilience.Success,
		428: resilience.Success, 429: resilience.Failure, 430: resilience.Success, 499: resilience.Success,
		500: resilience.Failure, 503: resilience.Failure, 599: resilience.Failure,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
		resp, err := http.DefaultTransport.RoundTrip(httptest.NewRequest("GET", server.URL, nil))
		server.Close()
		if got := resiliencehttp.Judge(resp, err); got != want {
			t.Errorf("%d: %v, want %v", code, got, want)
		}
	}
	if got := resiliencehttp.Judge(nil, errors.New("refused")); got != resilience.Failure {
		t.Errorf("an error: %v", got)
	}
	if got := resiliencehttp.Judge(&http.Response{StatusCode: 200}, errors.New("cut off")); got != resilience.Failure {
		t.Errorf("an answer with an error: %v", got)
	}
}

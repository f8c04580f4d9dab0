package behaviour_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/testdata/scenarios/judged"
)

// web answers each call with the next status; 0 is no answer.
type web struct {
	judged.Web
	statuses []int
}

func (w *web) Fetch(ctx context.Context, _ string) (*http.Response, error) {
	status := w.statuses[0]
	w.statuses = w.statuses[1:]
	if status == 0 {
		return nil, errDependency
	}
	return &http.Response{StatusCode: status}, ctx.Err()
}

func (*web) Size(context.Context, string) (int64, error) { return 503, nil }

func stateOf(t *testing.T, r *resilience.Registry, name string) resilience.State {
	t.Helper()
	b, err := r.Breaker(name)
	if err != nil {
		t.Fatal(err)
	}
	return b.State()
}

func TestClientsC01AnswersOpenTheBreakerByTheirStatus(t *testing.T) {
	for _, c := range []struct {
		status, times int
		want          resilience.State
	}{{503, 3, resilience.Open}, {429, 3, resilience.Open}, {0, 3, resilience.Open}, {404, 100, resilience.Closed}, {200, 100, resilience.Closed}} {
		r := registry(t, `{}`)
		next := &web{}
		w := wrap(t, judged.NewResilientWeb, judged.Web(next), r)
		for range c.times {
			next.statuses = append(next.statuses, c.status)
			response, err := w.Fetch(t.Context(), "/")
			if (response == nil) != (c.status == 0) || (err == nil) != (c.status != 0) || response != nil && response.StatusCode != c.status {
				t.Fatalf("%d came back as %v, %v", c.status, response, err)
			}
		}
		if got := stateOf(t, r, "web"); got != c.want {
			t.Errorf("after %d times %d: %v, want %v", c.times, c.status, got, c.want)
		}
	}
}

func TestClientsC02AMethodWithOtherResultsIsJudgedByItsError(t *testing.T) {
	r := registry(t, `{}`)
	w := wrap(t, judged.NewResilientWeb, judged.Web(&web{}), r)
	if n, err := w.Size(t.Context(), "/"); n != 503 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if calls, failed := failures(t, r, "web"); calls != 1 || failed != 0 {
		t.Errorf("%d calls, %d failures", calls, failed)
	}
}

type stock struct {
	judged.Stock
	count func(ctx context.Context) (int, bool, error)
}

func (s stock) Count(ctx context.Context, _ string) (int, bool, error) { return s.count(ctx) }

// The judge of Count is not asked where a rule says what the end of a call means:
// it would panic.
func TestClientsC01AJudgeIsNotAskedAboutRefusalsTimeoutsAndCallersThatHaveGone(t *testing.T) {
	refusal := &resilience.RefusalError{Kind: resilience.KindFull}
	for name, c := range map[string]struct {
		err             error
		timeout         string
		gone            bool
		calls, failures int
	}{
		"a refusal further in": {refusal, "1h", false, 0, 0},
		"the guard's timeout":  {errDependency, "1ns", false, 1, 1},
		"a caller that left":   {errDependency, "1h", true, 0, 0},
	} {
		r := registry(t, `{"timeouts": {"stock": {"duration": "`+c.timeout+`"}}}`)
		ctx, cancel := context.WithCancel(t.Context())
		w := wrap(t, judged.NewResilientStock, judged.Stock(stock{count: func(ctx context.Context) (int, bool, error) {
			if c.timeout == "1ns" {
				<-ctx.Done()
			}
			if c.gone {
				cancel()
			}
			return -1, false, c.err
		}}), r)
		if _, _, err := w.Count(ctx, ""); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
		if calls, failed := failures(t, r, "stock"); calls != c.calls || failed != c.failures {
			t.Errorf("%s: %d calls, %d failures", name, calls, failed)
		}
	}
}

func TestClientsC01AJudgeSeesAllResults(t *testing.T) {
	for name, c := range map[string]struct {
		n               int
		complete        bool
		err             error
		calls, failures int
	}{
		"enough":     {1, true, nil, 1, 0},
		"incomplete": {1, false, nil, 1, 1},
		"an error":   {1, true, errDependency, 1, 1},
		"nothing":    {0, true, nil, 0, 0},
	} {
		r := registry(t, `{}`)
		w := wrap(t, judged.NewResilientStock, judged.Stock(stock{count: func(context.Context) (int, bool, error) { return c.n, c.complete, c.err }}), r)
		if n, complete, err := w.Count(t.Context(), ""); n != c.n || complete != c.complete || err != c.err {
			t.Errorf("%s: %d, %v, %v", name, n, complete, err)
		}
		if calls, failed := failures(t, r, "stock"); calls != c.calls || failed != c.failures {
			t.Errorf("%s: %d calls, %d failures", name, calls, failed)
		}
	}
}

func TestClientsC19AJudgeThatPanicsIsAFailureAndGivesPermitsBack(t *testing.T) {
	r := registry(t, `{"bulkheads": {"stock": {"maxConcurrentCalls": 1}}}`)
	w := wrap(t, judged.NewResilientStock, judged.Stock(stock{count: func(context.Context) (int, bool, error) { return -1, true, nil }}), r)
	for range 2 {
		func() {
			defer func() {
				if recover() != "a count below zero" {
					t.Error("the panic did not go on unchanged")
				}
			}()
			_, _, _ = w.Count(t.Context(), "")
		}()
	}
	if calls, failed := failures(t, r, "stock"); calls != 2 || failed != 2 {
		t.Errorf("%d calls, %d failures", calls, failed)
	}
	if used := r.Snapshot().Bulkheads[0].InUse; used != 0 {
		t.Errorf("%d permits are in use", used)
	}
}

func TestClientsC01AJudgeAllocatesNothing(t *testing.T) {
	r := registry(t, `{}`)
	w := wrap(t, judged.NewResilientStock, judged.Stock(stock{count: func(context.Context) (int, bool, error) { return 1, true, nil }}), r)
	guarded := testing.AllocsPerRun(100, func() { _, _, _ = w.Count(context.Background(), "") })
	if guarded != 0 {
		t.Errorf("%v allocations", guarded)
	}
}

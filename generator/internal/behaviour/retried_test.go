package behaviour_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/testdata/scenarios/retried"
)

// prices fails as often as it says before it succeeds.
type prices struct {
	fails int
	calls int
	err   error
}

func (p *prices) next() error {
	p.calls++
	if p.calls <= p.fails {
		return p.err
	}
	return nil
}

func (p *prices) Price(_ context.Context, sku string) (int, error) {
	if err := p.next(); err != nil {
		return p.calls, err
	}
	return len(sku), nil
}
func (p *prices) Touch(context.Context, string) error { return p.next() }
func (p *prices) Drop(context.Context, string) error  { return p.next() }
func (p *prices) Sell(context.Context, string) error  { return p.next() }
func (p *prices) Stock(_, _, _, _ string, more ...int) (int, error) {
	if err := p.next(); err != nil {
		return 0, err
	}
	return len(more) * min(1, max(0, p.calls-p.fails)), nil
}

func TestMethodsThatAreRetriedPassArgumentsResultsAndErrorsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := registry(t, `{"retries": {"default": {"maxAttempts": 3}}, "breakers": {"default": {"failureThreshold": 100, "failureThresholdCapacity": 100}}}`)
		client := new(prices)
		w := wrap(t, retried.NewResilientPrices, retried.Prices(client), r)
		other, busy := errors.New("other"), fmt.Errorf("%w", retried.ErrBusy)
		for name, c := range map[string]struct {
			call     func() (int, error)
			fails    int
			err      error
			want     int
			wantErr  error
			attempts int
		}{
			"at once":             {func() (int, error) { return w.Price(t.Context(), "abc") }, 0, other, 3, nil, 1},
			"at the second":       {func() (int, error) { return w.Price(t.Context(), "abc") }, 1, other, 3, nil, 2},
			"never":               {func() (int, error) { return w.Price(t.Context(), "abc") }, 9, other, 3, other, 3},
			"error alone":         {func() (int, error) { return 0, w.Touch(t.Context(), "abc") }, 2, busy, 0, nil, 3},
			"named error":         {func() (int, error) { return 0, w.Drop(t.Context(), "abc") }, 2, other, 0, nil, 3},
			"named, never":        {func() (int, error) { return 0, w.Drop(t.Context(), "abc") }, 9, other, 0, other, 3},
			"when says no":        {func() (int, error) { return 0, w.Touch(t.Context(), "abc") }, 2, other, 0, other, 1},
			"judge, when":         {func() (int, error) { return w.Stock("", "", "", "", 1, 2) }, 2, busy, 2, nil, 3},
			"judge without error": {func() (int, error) { return w.Stock("", "", "", "") }, 0, busy, 0, nil, 3},
			"not retried":         {func() (int, error) { return 0, w.Sell(t.Context(), "abc") }, 1, other, 0, other, 1},
		} {
			*client = prices{fails: c.fails, err: c.err}
			got, err := c.call()
			if got != c.want || err != c.wantErr || client.calls != c.attempts {
				t.Errorf("%s: %d, %v after %d attempts, want %d, %v after %d", name, got, err, client.calls, c.want, c.wantErr, c.attempts)
			}
		}
		open(t, r, "prices")
		*client = prices{}
		if got, err := w.Price(t.Context(), "abc"); got != 0 || !errors.Is(err, resilience.ErrOpen) || client.calls != 0 {
			t.Errorf("with an open breaker: %d, %v", got, err)
		}
	})
}

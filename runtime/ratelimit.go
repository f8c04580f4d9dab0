package resilience

import (
	"fmt"

	"github.com/resgen-go/resgen/internal/words"
	"github.com/resgen-go/resgen/runtime/internal/ratelimit"
)

// RateLimitSnapshot is one rate limit.
type RateLimitSnapshot struct {
	Name      string   `json:"name"`
	DryRun    bool     `json:"dryRun,omitempty"` // "enforce": false: it counts and refuses nobody
	Limit     int      `json:"limit,omitempty"`  // calls that may begin in Period; 0: nothing is limited
	Period    Duration `json:"period,omitzero"`
	Burst     int      `json:"burst,omitempty"`
	Available int      `json:"available"` // calls that could begin now
	Waiting   int      `json:"waiting"`   // in the queue

	// Since the rate limit was made:
	Refused     RateRefusals `json:"refused"`
	WouldRefuse uint64       `json:"wouldRefuse,omitempty"` // calls and entries that it let through in a dry run
}

// RateRefusals count the calls that a rate limit refused, each once.
type RateRefusals struct {
	Rate      uint64 `json:"rate"`      // none could begin in time
	TooLarge  uint64 `json:"tooLarge"`  // an entry wanted more than the burst
	Cancelled uint64 `json:"cancelled"` // the context ended the wait
	Gate      uint64 `json:"gate"`      // a gate refused before the rate limit was asked
}

func newRateLimitSnapshot(s ratelimit.Snapshot) RateLimitSnapshot {
	shown := RateLimitSnapshot{
		Name: s.Name, Limit: s.Limit, Available: s.Available, Waiting: s.Waiting,
		Refused:     RateRefusals{Rate: s.Spent, TooLarge: s.TooLarge, Cancelled: s.Cancelled, Gate: s.Gate},
		WouldRefuse: s.WouldRefuse, DryRun: s.Dry,
	}
	if s.Limit > 0 {
		shown.Period, shown.Burst = Duration(s.Period), s.Burst
	}
	return shown
}

// rate is what a refusal by a rate limit remembers. It asks the limit when another
// try makes sense, so that one error serves all refusals.
type rate struct {
	limiter *ratelimit.Limiter
	n       int // calls that wanted to begin
}

// rateRefusal refuses a call because a rate limit refused to let n begin.
func (g *Guard) rateRefusal(l *ratelimit.Limiter, n int, refused *ratelimit.Refusal) *RefusalError {
	if last := g.rated.Load(); last != nil && last.rate.limiter == l && last.rate.n == n && refused.Cause == nil {
		return last
	}
	err := &RefusalError{
		Kind: KindRate, Method: g.method, Name: l.Name(),
		cause: refused.Cause, rate: &rate{l, n}, registry: g.version,
	}
	if refused.Cause == nil {
		g.rated.Store(err)
	}
	return err
}

func (e *RefusalError) sayRate() string {
	text := "rate limit " + e.Name + " is reached"
	if e.rate == nil {
		return text
	}
	s := e.rate.limiter.Snapshot()
	if s.Limit == 0 { // no more, since a reload
		return text
	}
	text += fmt.Sprintf(" (%s in %v", words.Count(s.Limit, "call"), Duration(s.Period))
	if e.rate.n > s.Burst {
		return text + fmt.Sprintf("; it can never let %d begin at once, at most %d)", e.rate.n, s.Burst)
	}
	return text + ")"
}

package resilience

import (
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/ratelimit"
)

// A guard whose settings say "enforce": false judges and counts as any other. Where it
// would refuse, the call goes on, and observers hear of it.

// tellDry tells observers of a call that a guard let through in a dry run.
func (g *Guard) tellDry(refusal func() *RefusalError) {
	if g.events.observed {
		g.events.emitFrequent(Refused{At: time.Now(), Error: refusal(), DryRun: true})
	}
}

func (g *Guard) openInDry(period *breaker.Period) {
	g.tellDry(func() *RefusalError { return g.openError(period) })
}

func (g *Guard) fullInDry(refused *bulkhead.Refusal) {
	g.tellDry(func() *RefusalError { return g.fullRefusal(refused) })
}

func (g *Guard) rateInDry(l *ratelimit.Limiter, n int, refused *ratelimit.Refusal) {
	g.tellDry(func() *RefusalError { return g.rateRefusal(l, n, refused) })
}

// gateInDry is for the i-th gate of an entry: breaker b in period.
func (g *Guard) gateInDry(n *need, i int, b *breaker.Breaker, period *breaker.Period) {
	g.tellDry(func() *RefusalError {
		retryAt, known := period.RetryAt()
		return g.newGateError([]refusing{{b, n.gates[i].n, period, retryAt, known}})
	})
}

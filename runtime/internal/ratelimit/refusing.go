package ratelimit

import (
	"time"

	"github.com/resgen-go/resgen/runtime/internal/shedding"
)

// Refusing says that a limiter has begun to refuse calls, or that this is over.
type Refusing struct {
	shedding.Bout
	Name   string
	Limit  int // 0: nothing is limited any more
	Period time.Duration
}

// Watch makes tell hear of refusing, before the first call. It must neither block
// nor call the limiter.
func (l *Limiter) Watch(tell func(Refusing)) {
	l.refusing = shedding.New(l.refusals, func(bout shedding.Bout) {
		told := Refusing{Bout: bout, Name: l.name}
		if r := l.rule.Load(); r.token > 0 {
			told.Limit, told.Period = *r.Limit, r.Period
		}
		tell(told)
	})
}

// EndWatch ends Watch. If the limiter is refusing, it tells that this is over.
func (l *Limiter) EndWatch() { l.refusing.End() }

// refusals counts the calls that got no token although no gate refused them.
func (l *Limiter) refusals() uint64 {
	c := &l.counters
	return c.spent.Load() + c.tooLarge.Load() + c.cancelled.Load()
}

package ratelimit

import (
	"math"
	"math/bits"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
)

// rule are settings in force. It counts time from epoch on in units of which one
// token takes a whole number, so that nothing is rounded: at 7 calls in a second a
// unit is a seventh of a nanosecond.
type rule struct {
	Settings
	odd   bool // alternates from rule to rule; a word says which it belongs to
	epoch breaker.Instant
	life  time.Duration // from epoch on, while a word can hold the time
	unit  int64         // units in a nanosecond
	token int64         // units of one token; 0: nothing is limited
	slack int64         // units of the tokens of a burst but one
}

// A word has room for times below maxTime. The present and the time ahead of it
// each get a half.
const maxTime = 1 << 60

// shortLife is the shortest life of a rule. Where it would be shorter a token is
// rounded up, so that never more calls begin than the settings say.
const shortLife = time.Minute

func newRule(s Settings, odd bool, now breaker.Instant) *rule {
	r := &rule{Settings: s, odd: odd, epoch: now, life: math.MaxInt64}
	if s.Limit == nil {
		return r
	}
	limit, period := int64(*s.Limit), int64(s.Period)
	longest := max(s.fill(), s.Period/time.Duration(limit)+1, shortLife)
	r.unit = min(limit/gcd(limit, period), maxTime/2/int64(longest))
	r.life = time.Duration(maxTime / 2 / r.unit)
	r.token = scale(period, r.unit, limit)
	r.slack = int64(s.Burst-1) * r.token
	return r
}

// scale is n × by / of, rounded up, and maxTime if it is more.
func scale(n, by, of int64) int64 {
	high, low := bits.Mul64(uint64(n), uint64(by))
	if high >= uint64(of) {
		return maxTime
	}
	quotient, rest := bits.Div64(high, low, uint64(of))
	if rest > 0 {
		quotient++
	}
	return int64(min(quotient, maxTime))
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// at is an instant in units.
func (r *rule) at(now breaker.Instant) int64 { return int64(now.Sub(r.epoch)) * r.unit }

// instant is the first instant that is not before a time in units.
func (r *rule) instant(at int64) breaker.Instant {
	ns := at / r.unit
	if at > ns*r.unit {
		ns++
	}
	return r.epoch.Add(time.Duration(ns))
}

// begins is when n tokens are there, if no token is from the time tat on.
func (r *rule) begins(tat int64, n int) int64 { return tat + int64(n-1)*r.token - r.slack }

// A word is all that changes when a call begins: the time at which the whole burst
// is there again, in units of a rule since its epoch (the theoretical arrival time
// of GCRA), whether somebody waits, and which rule that is.
//
//	bits 2-63  time
//	bit  1     queued  somebody waits, so only the holder of the lock takes tokens
//	bit  0     odd     that of the rule
type word int64

const (
	odd    word = 1
	queued word = 2
)

func newWord(tat int64, of *rule) word {
	w := word(tat) << 2
	if of.odd {
		w |= odd
	}
	return w
}

func (w word) tat() int64            { return int64(w >> 2) }
func (w word) later(by int64) word   { return w + word(by)<<2 }
func (w word) queued() bool          { return w&queued != 0 }
func (w word) belongs(to *rule) bool { return (w&odd != 0) == to.odd }

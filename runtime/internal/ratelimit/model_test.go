package ratelimit

import (
	"context"
	"math/big"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/dryrun"
	"pgregory.net/rapid"
)

// model is a bucket of tokens in fractions, which is full at first.
type model struct {
	Settings
	tokens *big.Rat
	at     breaker.Instant
}

var enforced = dryrun.Enforcement{Enforce: true}

func rat(a, b int64) *big.Rat { return big.NewRat(a, b) }

// now fills the bucket by the time that has passed.
func (m *model) now() {
	now := breaker.Now()
	passed := rat(int64(now.Sub(m.at))*int64(*m.Limit), int64(m.Period))
	m.at = now
	if m.tokens.Add(m.tokens, passed); m.tokens.Cmp(rat(int64(m.Burst), 1)) > 0 {
		m.tokens = rat(int64(m.Burst), 1)
	}
}

func (m *model) take(n int) bool {
	m.now()
	if m.tokens.Cmp(rat(int64(n), 1)) < 0 {
		return false
	}
	m.tokens.Sub(m.tokens, rat(int64(n), 1))
	return true
}

func (m *model) put(n int) {
	m.now()
	m.tokens.Add(m.tokens, rat(int64(n), 1))
	m.now() // which empties a bucket that is too full
}

// retry is how long it takes until n tokens are there.
func (m *model) retry(n int) time.Duration {
	m.now()
	missing := new(big.Rat).Sub(rat(int64(n), 1), m.tokens)
	if missing.Sign() <= 0 {
		return 0
	}
	missing.Mul(missing, rat(int64(m.Period), int64(*m.Limit)))
	wait := new(big.Int).Add(missing.Num(), new(big.Int).Sub(missing.Denom(), big.NewInt(1)))
	return time.Duration(wait.Div(wait, missing.Denom()).Int64())
}

func drawSettings(t *rapid.T) Settings {
	limit := rapid.OneOf(rapid.IntRange(1, 40), rapid.IntRange(1, 100_000)).Draw(t, "limit")
	return Settings{
		Limit:       &limit,
		Period:      rapid.SampledFrom([]time.Duration{time.Millisecond, 7 * time.Millisecond, time.Second, 1_000_003, time.Hour}).Draw(t, "period"),
		Burst:       rapid.IntRange(1, 20).Draw(t, "burst"),
		Enforcement: enforced,
	}
}

// TestRateModel compares random sequences with a bucket that counts in fractions.
func TestRateModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ testing.TB }{t}, func(t *rapid.T) {
			s := drawSettings(t)
			l := New("l", s)
			m := &model{Settings: s, tokens: rat(int64(s.Burst), 1), at: breaker.Now()}
			t.Repeat(map[string]func(*rapid.T){
				"take": func(t *rapid.T) {
					n := rapid.IntRange(1, s.Burst).Draw(t, "n")
					if got, want := l.glance(n), m.take(n); got != want {
						t.Fatalf("taking %d: %v, want %v", n, got, want)
					}
				},
				"put": func(t *rapid.T) {
					n := rapid.IntRange(1, 3).Draw(t, "n")
					l.put(n)
					m.put(n)
				},
				"sleep": func(t *rapid.T) {
					each := max(1, int64(s.Period)/int64(*s.Limit))
					time.Sleep(time.Duration(rapid.Int64Range(1, 3*each).Draw(t, "ns")))
				},
				"sleep until": func(t *rapid.T) {
					n := rapid.IntRange(1, s.Burst).Draw(t, "n")
					wait := m.retry(n)
					if at, known := l.RetryAt(n); !known || at.Sub(breaker.Now()) != wait {
						t.Fatalf("%d tokens are there after %v, want %v", n, at.Sub(breaker.Now()), wait)
					}
					time.Sleep(wait)
				},
				"renew": func(*rapid.T) { // as at the end of a life
					l.mu.Lock()
					defer l.mu.Unlock()
					l.change(s)
				},
				"": func(t *rapid.T) {
					m.now()
					whole := new(big.Int).Div(m.tokens.Num(), m.tokens.Denom()).Int64()
					if got := l.Snapshot().Available; int64(got) != whole {
						t.Fatalf("%d are available, want %v", got, m.tokens)
					}
				},
			})
		})
	})
}

// TestRateModelOfAQueue lets callers come at random with one deadline or another,
// and compares who begins when with the sums that a queue of their order gives.
func TestRateModelOfAQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ testing.TB }{t}, func(t *rapid.T) {
			limit, burst := rapid.SampledFrom([]int{1, 2, 5, 10, 100}).Draw(t, "limit"), rapid.IntRange(1, 4).Draw(t, "burst")
			s := perSecond(limit, burst)
			s.MaxWaitDuration = time.Duration(rapid.IntRange(1, 3000).Draw(t, "maxWait")) * time.Millisecond
			l := New("l", s)
			began := breaker.Now()
			token := time.Second / time.Duration(limit)
			tat := time.Duration(0) // of all who have begun or will
			for range rapid.IntRange(1, 30).Draw(t, "calls") {
				time.Sleep(time.Duration(rapid.IntRange(0, 300).Draw(t, "pause")) * time.Millisecond)
				synctest.Wait()
				n := rapid.IntRange(1, burst).Draw(t, "n")
				now := breaker.Now().Sub(began)
				full := max(tat, now)
				begins := max(now, full+time.Duration(n-burst)*token)
				granted := begins-now <= s.MaxWaitDuration
				if granted {
					tat = full + time.Duration(n)*token
				}
				go func() {
					taken, _, refused := l.obtain(context.Background(), n, nil)
					ended := breaker.Now().Sub(began)
					if taken != granted || (refused == nil) != granted || granted && ended != begins || !granted && ended != now {
						panic("a call did not begin as the model says")
					}
				}()
				synctest.Wait()
			}
			time.Sleep(time.Hour)
			synctest.Wait()
			if l.queue.Len() > 0 || l.ahead != 0 || word(l.word.Load()).queued() {
				t.Fatal("somebody is left in the queue")
			}
		})
	})
}

// TestManySettingsKeepTheirRate also finds units that overflow.
func TestManySettingsKeepTheirRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 1_000_000_000).Draw(t, "limit")
		s := Settings{
			Limit: &limit, Period: time.Duration(rapid.Int64Range(int64(time.Millisecond), int64(8760*time.Hour)).Draw(t, "period")),
			Burst: rapid.IntRange(1, 1_000_000_000).Draw(t, "burst"), Enforcement: enforced,
		}
		if len(s.Check()) > 0 {
			return
		}
		r := newRule(s, false, 0)
		exact := new(big.Rat).Mul(rat(int64(s.Period), int64(limit)), rat(r.unit, 1))
		over := new(big.Rat).Sub(rat(r.token, 1), exact)
		if over.Sign() < 0 || over.Cmp(rat(1, 1)) >= 0 {
			t.Fatalf("a token of %d in %v is %d units of 1/%d ns, want %v", limit, s.Period, r.token, r.unit, exact)
		}
		if r.life < shortLife || r.unit < 1 || r.slack < 0 || r.at(breaker.Instant(r.life)) > maxTime/2 || r.slack+r.token > maxTime {
			t.Fatalf("%+v", r)
		}
	})
}

// TestRateModelOfReservations begins and ends entries inside each other and calls
// under them at random: each token is in the bucket, with an entry, or used.
func TestRateModelOfReservations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ testing.TB }{t}, func(t *rapid.T) {
			const burst = 12
			l := New("l", Settings{Limit: new(1), Period: 8760 * time.Hour / burst, Burst: burst, Enforcement: enforced})
			contexts := []context.Context{context.Background()}
			var entries []*Reservation
			var turns []Turn
			used := 0
			pick := func(t *rapid.T) context.Context { return rapid.SampledFrom(contexts).Draw(t, "context") }
			t.Repeat(map[string]func(*rapid.T){
				"enter": func(t *rapid.T) {
					n := rapid.IntRange(1, 5).Draw(t, "n")
					if r, _, _, refused := Reserve(pick(t), []Want{{l, n}}, nil); refused == nil {
						entries, contexts = append(entries, r), append(contexts, r)
					}
				},
				"call": func(t *rapid.T) {
					ctx := pick(t)
					if turn, _, refused := l.Take(ctx, nil); refused == nil {
						turns = append(turns, turn)
					} else if free(l, ctx) > 0 {
						t.Fatal("a call is refused though there are tokens")
					}
				},
				"make the call": func(t *rapid.T) {
					if len(turns) == 0 {
						t.Skip()
					}
					turns = turns[1:]
					used++
				},
				"undo the call": func(t *rapid.T) {
					if len(turns) == 0 {
						t.Skip()
					}
					turns[len(turns)-1].Return()
					turns = turns[:len(turns)-1]
				},
				"leave": func(t *rapid.T) {
					if len(entries) == 0 {
						t.Skip()
					}
					rapid.SampledFrom(entries).Draw(t, "entry").Close()
				},
				"": func(t *rapid.T) {
					held := int64(0)
					for _, r := range entries {
						if left := r.held[0].left.Load(); left > 0 && r.closed.Load() {
							t.Fatalf("a closed entry has %d tokens", left)
						} else {
							held += left
						}
					}
					if sum := l.Snapshot().Available + int(held) + len(turns) + used; sum != burst {
						t.Fatalf("there are %d tokens in all: %d free, %d with entries, %d with calls, %d used",
							sum, l.Snapshot().Available, held, len(turns), used)
					}
				},
			})
		})
	})
}

// free is how many tokens a call with the context could have.
func free(l *Limiter, ctx context.Context) int64 {
	sum := int64(l.Snapshot().Available)
	for r := carried(ctx); r != nil; r = carried(r.Context) {
		sum += r.held[0].left.Load()
	}
	return sum
}

package breaker_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	. "github.com/resgen-go/resgen/runtime/internal/breaker"
)

// holder is an entry of the model and what it holds.
type holder struct {
	outer *holder
	stay  int // 0: it holds nothing
	held  State
	whole bool
	left  int
	most  int
	lent  int
	ended bool
}

// enter is the beginning of an entry that makes n calls, or any number of calls.
func (m *model) enter(n int, anyNumber bool, outer *holder) (*holder, bool) {
	e := &holder{}
	m.present()
	if anyNumber {
		n = 1
	}
	if outer != nil && outer.stay != 0 && !outer.ended && (outer.whole || outer.left > 0) {
		if outer.whole {
			return e, true
		}
		if outer.left >= n || outer.stay == m.stay {
			*e = holder{outer: outer, stay: outer.stay, held: outer.held, lent: min(n, outer.left)}
			outer.left -= e.lent
			e.left, e.most = e.lent, e.lent
			n -= e.lent
		}
		if n == 0 {
			e.whole = anyNumber
			return e, true
		}
	}
	if m.begin(e, n, anyNumber) {
		return e, true
	}
	m.leave(e)
	return e, false
}

func (m *model) begin(e *holder, n int, anyNumber bool) bool {
	if at, ends := m.delayedUntil(); ends && !time.Now().Before(at) {
		m.move(HalfOpen, time.Now(), "")
	}
	m.giveUpCanary()
	switch {
	case m.state == Closed || m.state == Disabled || m.state == MetricsOnly:
		return true
	case m.canaryFree():
		m.canaryOut, m.canaryAt, m.canaryLimit = true, time.Now(), 0
		e.hold(m, 1, n > 1 || anyNumber)
		return true
	case !m.roomFor(n):
		return false
	case anyNumber || !m.fits(n):
		e.hold(m, 1, true)
	default:
		e.hold(m, n, false)
	}
	m.trialsOut += e.left - e.lent
	m.newest = time.Now()
	return true
}

func (e *holder) hold(m *model, n int, whole bool) {
	e.stay, e.held, e.whole = m.stay, m.state, whole
	e.left += n
	e.most += n
}

// roomFor reports whether an entry of n calls may begin in HALF_OPEN.
func (m *model) roomFor(n int) bool {
	return m.state == HalfOpen && !time.Now().Before(m.pacedUntil()) && (m.fits(n) || m.trialsOut == 0)
}

// gate is the answer to an entry of n calls.
func (m *model) gate(n int) bool {
	copied := *m
	copied.givenUp, copied.events = map[int]time.Time{}, nil
	copied.present()
	return copied.begin(&holder{}, n, false)
}

// nowhere is a stay to which no outcome belongs.
const nowhere = -1

// admitUnder admits a call under an entry, if that holds a trial for it.
func (m *model) admitUnder(e *holder) (c call, had bool) {
	if e.stay == 0 || e.ended || !e.whole && e.left == 0 {
		return call{}, false
	}
	m.present()
	switch {
	case e.stay != m.stay && (m.state == ForcedOpen || m.state == Open && m.byHand()):
		return call{}, false
	case e.stay != m.stay:
		if !e.whole {
			e.left--
		}
		if c, admitted := m.admit(0); admitted {
			return c, true
		}
		return call{nowhere}, true
	case e.whole && m.state == HalfOpen:
		m.trialsOut++
	case e.left == 0:
		return call{nowhere}, true
	default:
		e.left--
	}
	return call{m.stay}, true
}

func (m *model) byHand() bool { return len(m.events) > 0 && m.events[len(m.events)-1].by != "" }

// giveBack takes a call that was not made. It reports whether the entry has its
// trial back.
func (m *model) giveBack(e *holder, c call) bool {
	if e.stay == 0 || e.ended || c.stay != e.stay || e.whole && e.held == HalfOpen || e.left == e.most {
		return false
	}
	e.left++
	return true
}

func (m *model) leave(e *holder) {
	if e.stay == 0 || e.ended {
		return
	}
	e.ended = true
	if e.outer != nil && !e.outer.ended {
		back := min(e.left, e.lent)
		e.outer.left += back
		e.left -= back
	}
	for ; e.left > 0; e.left-- {
		m.end(call{e.stay}, nil)
	}
}

// entry is one of the breaker beside that of the model.
type entry struct {
	held  *Reserved
	model *holder
	outer *entry
}

type entries struct {
	*pair
	open []*entry
}

func (e *entries) begin(t *rapid.T) {
	n, asOne := rapid.IntRange(1, 7).Draw(t, "n"), rapid.IntRange(0, 3).Draw(t, "lease") == 0
	in := new(entry)
	var outer *Reserved
	var outerModel *holder
	if i := rapid.IntRange(-1, len(e.open)-1).Draw(t, "inside"); i >= 0 {
		in.outer = e.open[i]
		outer, outerModel = in.outer.held, in.outer.model
	}
	if _, admits := e.breaker.GateFor(n); admits != e.model.gate(n) {
		t.Fatalf("the gate for %d calls says %v", n, admits)
	}
	in.held = new(Reserved)
	var want bool
	in.model, want = e.model.enter(n, asOne, outerModel)
	period, got := in.held.Take(e.breaker, n, asOne, outer)
	if got != want {
		t.Fatalf("an entry of %d calls begins: %v, want %v", n, got, want)
	}
	if !got {
		period.Refused()
		e.model.refused++
		return
	}
	e.open = append(e.open, in)
}

func (e *entries) pick(t *rapid.T) *entry {
	if len(e.open) == 0 {
		t.Skip("no entry is open")
	}
	return e.open[rapid.IntRange(0, len(e.open)-1).Draw(t, "entry")]
}

// admitUnder is a call under an entry: on a trial of the innermost that has one.
func (e *entries) admitUnder(t *rapid.T) {
	for in := e.pick(t); in != nil; in = in.outer {
		c, want := e.model.admitUnder(in.model)
		period, got := in.held.Admit()
		if got != want {
			t.Fatalf("a call has a trial of its entry: %v, want %v", got, want)
		}
		if !got {
			continue
		}
		if rapid.IntRange(0, 5).Draw(t, "not made") > 0 {
			e.running = append(e.running, runningCall{period, c})
			return
		}
		back := e.model.giveBack(in.model, c)
		if in.held.Return(period) != back {
			t.Fatalf("a call that was not made gives its trial back to the entry: %v, want %v", !back, back)
		}
		if !back {
			e.model.end(c, nil)
			period.Return()
		}
		return
	}
	e.admit(t)
}

func (e *entries) leave(t *rapid.T) {
	in := e.pick(t)
	e.model.leave(in.model)
	in.held.Close()
	in.held.Close()
	e.open = slices.DeleteFunc(e.open, func(other *entry) bool { return other == in })
}

// Entries hold trials exactly as the model, in every strategy, nested, abandoned,
// and while settings and states change.
func TestEntryE15EntriesBehaveAsTheModel(t *testing.T) {
	for _, kind := range Strategies {
		t.Run(kind.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rapid.Check(struct{ testing.TB }{t}, func(t *rapid.T) {
					e := entries{pair: newPair(t, func() Settings { return drawSettings(t, kind) })}
					actions := e.actions()
					for name, weighs := range map[string]func(*rapid.T){"enter": e.begin, "under": e.admitUnder, "leave": e.leave} {
						actions[name], actions[name+" too"] = weighs, weighs
					}
					actions["trip and wait"] = func(t *rapid.T) {
						e.model.trip("")
						e.breaker.Trip("")
						time.Sleep(20 * time.Second)
					}
					t.Repeat(actions)
					for len(e.open) > 0 {
						e.leave(t)
					}
					for len(e.running) > 0 {
						e.finish(0, "ignored")
					}
					e.compare(t)
					if s := e.breaker.Snapshot(); s.State == HalfOpen && s.Trials != 0 {
						t.Fatal(fmt.Sprint("trials are left out: ", s.Trials))
					}
				})
			})
		})
	}
}

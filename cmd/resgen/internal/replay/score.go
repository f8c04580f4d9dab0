package replay

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/resgen-go/resgen/internal/trace"
	resilience "github.com/resgen-go/resgen/runtime"
)

// score is a trace made ready to be played.
type score struct {
	trace   *trace.Trace
	top     []event            // begins of calls that no entry makes, in their order
	within  []int32            // by call: the entry around it; -1: none
	inside  map[int32][]int32  // by entry
	well    map[uint32][]int32 // by method: entries that went well, with calls under them
	usual   []usual            // by method
	given   []int              // by method: how many numbers its entry needs
	health  map[string]*health // by breaker
	probing map[string]usual   // by breaker: how long its probes take
	torn    map[int]int        // minutes with gaps, and how many calls are missing
}

// usual is how long calls of a method take: those that go well, and others.
type usual struct{ good, bad time.Duration }

// health is what was seen of a dependency, in the order in which calls and probes began.
type health struct{ sights []sight }

type sight struct {
	when time.Duration
	well bool
}

func newScore(t *trace.Trace) *score {
	s := &score{trace: t, inside: map[int32][]int32{}, well: map[uint32][]int32{}, health: map[string]*health{}, probing: map[string]usual{}, torn: map[int]int{}}
	for _, g := range t.Gaps {
		for m := minute(g.At - g.Lasted); m <= minute(g.At) && g.Dropped > 0; m++ {
			s.torn[m] += g.Dropped
		}
	}
	s.link()
	for i := range t.Calls {
		if s.within[i] < 0 {
			s.top = append(s.top, event{t.Calls[i].Began(), s.order(int32(i)), int32(i), nil})
		}
	}
	slices.SortFunc(s.top, func(a, b event) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order)) })
	s.measure()
	for i := range t.Methods {
		most := 0
		for _, w := range append(reserved(&t.Methods[i]), t.Methods[i].Rate...) {
			most = max(most, w.Number)
		}
		s.given = append(s.given, most)
	}
	return s
}

// link finds the entries around calls: their records come later.
func (s *score) link() {
	s.within = make([]int32, len(s.trace.Calls))
	waiting := map[uint32][]int32{}
	gap := 0
	for i := range s.trace.Calls {
		for ; gap < len(s.trace.Gaps) && s.trace.Gaps[gap].Before <= i; gap++ {
			clear(waiting)
		}
		c := &s.trace.Calls[i]
		s.within[i] = -1
		if c.Within != 0 {
			waiting[c.Within] = append(waiting[c.Within], int32(i))
		}
		if c.Entry == 0 {
			continue
		}
		for _, inside := range waiting[c.Entry] {
			if s.trace.Calls[inside].Began() >= c.At-c.Took {
				s.within[inside] = int32(i)
				s.inside[int32(i)] = append(s.inside[int32(i)], inside)
			}
		}
		delete(waiting, c.Entry)
		if c.Outcome == trace.Success && len(s.inside[int32(i)]) > 0 {
			s.well[c.Method] = append(s.well[c.Method], int32(i))
		}
	}
}

// alike is the entry of the same method that went well next, or at last; -1 if there
// is none.
func (s *score) alike(i int32) int32 {
	all := s.well[s.trace.Calls[i].Method]
	if len(all) == 0 {
		return -1
	}
	next, _ := slices.BinarySearch(all, i)
	return all[min(next, len(all)-1)]
}

// order is the place of a call's begin among what happens at the same moment. It comes
// after the ends of the calls before which it did not begin; who need not wait comes
// first there, and who was refused at once last.
func (s *score) order(i int32) int64 {
	c := &s.trace.Calls[i]
	place := (int64(i) - int64(c.Since)) * 4
	switch {
	case c.Waited > 0:
		return place + 1
	case c.Refused != 0:
		return place + 2
	}
	return place
}

// admitted is the place of a call's admission: after whatever it waited for, and after
// that of its entry.
func (s *score) admitted(i int32) (order int64) {
	if order = s.order(i); s.trace.Calls[i].Waited > 0 {
		order = int64(i)*4 + 2
	}
	if entry := s.within[i]; entry >= 0 && s.trace.Calls[entry].Waited > 0 {
		order = max(order, int64(entry)*4+3)
	}
	return order
}

// measure finds out how long calls take, and how the dependencies were.
func (s *score) measure() {
	good, bad := make([][]time.Duration, len(s.trace.Methods)), make([][]time.Duration, len(s.trace.Methods))
	for i := range s.trace.Calls {
		c := &s.trace.Calls[i]
		switch {
		case c.Refused != 0:
		case c.Outcome == trace.Success:
			good[c.Method] = append(good[c.Method], c.Took)
			s.see(s.source(c.Method), c.At-c.Took, true)
		case c.Outcome == trace.Failure || c.Outcome == trace.TimedOut:
			bad[c.Method] = append(bad[c.Method], c.Took)
			s.see(s.source(c.Method), c.At-c.Took, false)
		}
	}
	for m := range good {
		s.usual = append(s.usual, usually(good[m], bad[m]))
	}
	s.measureProbes()
	for _, h := range s.health {
		slices.SortStableFunc(h.sights, func(a, b sight) int { return cmp.Compare(a.when, b.when) })
	}
}

// measureProbes finds out how long probes take.
func (s *score) measureProbes() {
	good, bad := map[string][]time.Duration{}, map[string][]time.Duration{}
	for _, probe := range s.trace.Probes {
		name, all := s.trace.Names[probe.Breaker], bad
		s.see(name, probe.At-probe.Took, probe.Good)
		if probe.Good {
			all = good
		}
		all[name] = append(all[name], probe.Took)
		s.probing[name] = usual{}
	}
	for name := range s.probing {
		s.probing[name] = usually(good[name], bad[name])
	}
}

// usually is the middle of durations. Where there are none of one kind it is that of the
// other.
func usually(good, bad []time.Duration) usual {
	u := usual{median(good), median(bad)}
	if len(good) == 0 {
		u.good = u.bad
	}
	if len(bad) == 0 {
		u.bad = u.good
	}
	return u
}

func median(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func (s *score) see(source string, at time.Duration, well bool) {
	if s.health[source] == nil {
		s.health[source] = &health{}
	}
	h := s.health[source]
	h.sights = append(h.sights, sight{at, well})
}

// source is whose health a method shows: that of its breaker, else its own.
func (s *score) source(method uint32) string {
	m := &s.trace.Methods[method]
	return cmp.Or(m.Breaker, m.Name)
}

// seen is how a call of a method would have gone at a moment, if what was seen before and
// after it says that. One of an entry goes well where the calls do that it checks.
func (s *score) seen(method uint32, at time.Duration) (well, known bool) {
	m := &s.trace.Methods[method]
	if len(m.Check) == 0 {
		return s.health[s.source(method)].around(at)
	}
	well, known = true, true
	for _, w := range m.Check {
		switch one, seen := s.health[w.Name].around(at); {
		case !seen:
			known = false
		case !one:
			return false, true
		}
	}
	return well && known, known
}

// hoped is seen, where what nobody knows is as it is hoped.
func (s *score) hoped(method uint32, at time.Duration, hopeful bool) (well bool) {
	well, known := s.seen(method, at)
	return well || !known && hopeful
}

// around is how the dependency was at a moment, if what was seen before and after it
// says the same.
func (h *health) around(now time.Duration) (well, known bool) {
	if h == nil {
		return false, false
	}
	next := h.next(now)
	if next == 0 || next == len(h.sights) || h.sights[next-1].well != h.sights[next].well {
		return false, false
	}
	return h.sights[next].well, true
}

// at is how the dependency was at a moment: what was seen next to it.
func (h *health) at(now time.Duration) (well, known bool) {
	if h == nil || len(h.sights) == 0 {
		return false, false
	}
	i := h.next(now)
	if i == len(h.sights) || i > 0 && now-h.sights[i-1].when < h.sights[i].when-now {
		i--
	}
	return h.sights[i].well, true
}

// next is the first sight that is not before a moment.
func (h *health) next(now time.Duration) int {
	i, _ := slices.BinarySearchFunc(h.sights, now, func(s sight, now time.Duration) int { return cmp.Compare(s.when, now) })
	return i
}

func minute(at time.Duration) int { return int(at / time.Minute) }

// whole reports whether no call is missing in a moment's minute.
func (s *score) whole(at time.Duration) bool { return s.torn[minute(at)] == 0 }

// recorded is the play that was recorded.
func recorded(s *score) *play {
	p := &play{score: s, fates: make([]fate, len(s.trace.Calls)), usage: newUsage(s)}
	from := make([]source, len(s.trace.Calls))
	events, ended := make([]event, 0, 2*len(s.trace.Calls)), new(call)
	for i := range s.trace.Calls {
		c := &s.trace.Calls[i]
		f := fate{refused: resilience.Kind(c.Refused), outcome: c.Outcome}
		if f.refused != 0 {
			f.by, f.outcome = s.trace.Names[c.By], 0
		}
		if c.Gone && c.Waited == 0 {
			f = fate{absent: true}
		}
		p.fates[i] = f
		if f.made() {
			events = append(events, event{c.At - c.Took, s.admitted(int32(i)), int32(i), nil}, event{c.At, int64(i)*4 + 3, int32(i), ended})
		}
	}
	slices.SortFunc(events, func(a, b event) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order)) })
	for _, e := range events {
		if e.of != nil {
			p.usage.end(e.index, s.within[e.index], from[e.index])
		} else {
			from[e.index] = p.usage.begin(e.index, s.within[e.index])
		}
	}
	for _, t := range s.trace.Transitions {
		name := s.trace.Names[t.Breaker]
		if t.Key != 0 {
			name += fmt.Sprintf("/%x", t.Key)
		}
		p.changes = append(p.changes, change{t.At, name, resilience.State(t.From), resilience.State(t.To)})
	}
	return p
}

package replay

import (
	"maps"
	"slices"

	"github.com/resgen-go/resgen/internal/trace"
)

// usage counts the permits of bulkheads that are out, those that entries keep included,
// and how many calls found each number of them.
type usage struct {
	of  *score
	out map[pool]int
	met map[string]map[int]int   // by bulkhead and number
	own map[int32]map[string]int // by entry: permits that it keeps for calls under it
}

// pool is a bulkhead of one key.
type pool struct {
	name string
	key  uint32
}

// source is where a call has its permit from.
type source uint8

const (
	nowhere source = iota
	fromPool
	fromTicket // of the entry around it; it goes back to the pool
	fromLease  // it goes back to the entry
)

func newUsage(s *score) usage {
	return usage{s, map[pool]int{}, map[string]map[int]int{}, map[int32]map[string]int{}}
}

// begin counts the permits of a call that is admitted, under an entry or under none (-1).
func (u *usage) begin(i, entry int32) (from source) {
	c := &u.of.trace.Calls[i]
	m := &u.of.trace.Methods[c.Method]
	if m.Bulkhead != "" {
		if from = u.source(entry, m.Bulkhead); from == fromPool {
			u.out[pool{m.Bulkhead, c.Key}]++
		} else {
			u.own[entry][m.Bulkhead]--
		}
		u.note(pool{m.Bulkhead, c.Key}, c)
	}
	for _, w := range reserved(m) {
		if u.own[i] == nil {
			u.own[i] = map[string]int{}
		}
		n := permits(w, c.Numbers)
		u.own[i][w.Name] += n
		u.out[pool{w.Name, 0}] += n
		u.note(pool{w.Name, 0}, c)
	}
	return from
}

// source is where a call under an entry has its permit from.
func (u *usage) source(entry int32, bulkhead string) source {
	if entry < 0 || u.own[entry][bulkhead] == 0 {
		return fromPool
	}
	m := &u.of.trace.Methods[u.of.trace.Calls[entry].Method]
	if slices.ContainsFunc(m.Lease, func(w trace.Want) bool { return w.Name == bulkhead }) {
		return fromLease
	}
	return fromTicket
}

func (u *usage) note(of pool, c *trace.Call) {
	if !u.of.whole(c.At) {
		return
	}
	if u.met[of.name] == nil {
		u.met[of.name] = map[int]int{}
	}
	u.met[of.name][u.out[of]]++
}

// end counts the permits that come back with the end of a call.
func (u *usage) end(i, entry int32, from source) {
	c := &u.of.trace.Calls[i]
	bulkhead := u.of.trace.Methods[c.Method].Bulkhead
	left := u.own[entry] // nil: the entry has ended
	switch {
	case from == fromPool:
		u.out[pool{bulkhead, c.Key}]--
	case from == fromLease && left != nil:
		left[bulkhead]++
	case from != nowhere:
		u.out[pool{bulkhead, 0}]--
	}
	for name, n := range u.own[i] {
		u.out[pool{name, 0}] -= n
	}
	delete(u.own, i)
}

func permits(w trace.Want, numbers []int) int {
	if 0 < w.Number && w.Number <= len(numbers) {
		return numbers[w.Number-1]
	}
	return w.N
}

// p99 is what 99 of 100 calls found at most.
func p99(met map[int]int) int {
	calls := 0
	for _, n := range met {
		calls += n
	}
	left := calls / 100
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(met))) {
		if left -= met[n]; left < 0 {
			return n
		}
	}
	return 0
}

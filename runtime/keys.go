package resilience

import (
	"cmp"
	"container/heap"
	"errors"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"weak"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/config"
	"github.com/resgen-go/resgen/runtime/internal/keyed"
)

// Guarding by key: a method's guard has a guard for each key, which it finds in a
// table without a lock. Those are made of instances, such as tenants/acme, of which a
// pool keeps no more than maxInstances. A slot is the place of an instance in its pool.
//
// Only a call whose key has no guard takes the lock Registry.keying.

// For is the guard for calls with a key, made for the first of them. It is g itself
// for an empty key, and where there are maxInstances keys already and none of them is
// at rest. Its breaker, bulkhead or timeout, as the directives say, are an instance of
// that of g: tenants/acme of tenants for the key acme.
func (g *Guard) For(key string) *Guard {
	if g.keys == nil || key == "" {
		return g
	}
	found := g.keys.found.Get(key)
	if found == nil {
		return g.keys.make(key)
	}
	for _, s := range found.slots {
		s.touch()
	}
	return found
}

// Key is a key of a string type as a string.
func Key[K ~string](key K) string { return string(key) }

// gone reports whether an instance has gone that the guard is made of.
func (g *Guard) gone() bool {
	return slices.ContainsFunc(g.slots, func(s *slot) bool { return s.gone.Load() })
}

// again is the guard for the same calls as of now.
func (g *Guard) again() *Guard {
	if g.key == "" {
		return g
	}
	return g.keys.make(g.key)
}

// keys are the guards of one method, by key.
type keys struct {
	registry *Registry
	base     *Guard
	names    keyNames
	pools    []*pool
	found    keyed.Table[Guard] // changed under Registry.keying
}

// keyNames are the names of which calls have instances by their keys; empty: none of
// that kind.
type keyNames struct{ breaker, bulkhead, timeout string }

// byKey gives a guard others by key, if its directives say so.
func (w *Wiring) byKey(g *Guard, guards Guards) {
	name := func(name, by string) string {
		if by == "" {
			return ""
		}
		return w.full(name)
	}
	names := keyNames{
		name(guards.Breaker, guards.BreakerBy), name(guards.Bulkhead, guards.BulkheadBy), name(guards.Timeout, guards.TimeoutBy),
	}
	switch {
	case names == keyNames{} || len(w.faults) > 0:
		return
	case g.entry != nil:
		w.fault(errors.New(g.method + ": an entry has no guards by key, because it asks and reserves before it knows who calls"))
		return
	}
	r := w.registry
	k := &keys{registry: r, base: g, names: names}
	r.keying.Lock()
	defer r.keying.Unlock()
	k.join(names.breaker, config.Breakers)
	k.join(names.bulkhead, config.Bulkheads)
	k.join(names.timeout, config.Timeouts)
	g.keys = k
	runtime.AddCleanup(k, r.leavePools, k.pools)
}

// join makes the guards members of the pool of a name.
func (k *keys) join(name, section string) {
	if name == "" {
		return
	}
	p := k.registry.pools[name]
	if p == nil {
		p = &pool{registry: k.registry, name: name, slots: map[string]*slot{}}
		k.registry.pools[name] = p
	}
	if !slices.Contains(p.sections, section) {
		p.sections, p.file = append(p.sections, section), nil
	}
	if !slices.Contains(k.pools, p) {
		k.pools = append(k.pools, p)
		p.methods = append(p.methods, weak.Make(k))
		p.users++
	}
}

// leavePools ends the instances of pools that no wrapper uses any more.
func (r *Registry) leavePools(pools []*pool) {
	r.keying.Lock()
	defer r.keying.Unlock()
	for _, p := range pools {
		if p.users--; p.users > 0 {
			continue
		}
		delete(r.pools, p.name)
		for _, s := range p.slots {
			s.leave()
			r.release([]*instance{s.of})
		}
	}
}

// make makes the guard of a key, or finds that somebody has made it meanwhile.
func (k *keys) make(key string) *Guard {
	key = keyed.Short(key)
	r := k.registry
	r.keying.Lock()
	defer r.keying.Unlock()
	if found := k.found.Get(key); found != nil {
		return found
	}
	if r.isClosed() {
		return k.base
	}
	key = strings.Clone(key) // it may be part of something large
	var slots []*slot
	for _, p := range k.pools {
		s := p.slot(key)
		if s == nil {
			return k.base
		}
		slots = append(slots, s)
	}
	g, err := k.guard(key, slots)
	if err != nil { // there are too many names
		k.pools[0].tellCrowded()
		return k.base
	}
	k.found.Put(key, g)
	return g
}

// guard is the guard of a key.
func (k *keys) guard(key string, slots []*slot) (g *Guard, err error) {
	g = &Guard{makeup: k.base.makeup}
	g.key, g.slots, g.special = key, slots, true
	r, behind := k.registry, "/"+keyed.Name(key)
	if k.names.breaker != "" {
		if g.breaker, err = r.breakers.find(r, k.names.breaker+behind); err != nil {
			return nil, err
		}
		g.waits = gates{gateOf(g.breaker)}
	}
	if k.names.bulkhead != "" {
		if g.bulkhead, err = r.bulkheads.find(r, k.names.bulkhead+behind); err != nil {
			return nil, err
		}
	}
	if k.names.timeout != "" {
		if g.timeout, err = r.timeouts.find(r, k.names.timeout+behind); err != nil {
			return nil, err
		}
	}
	g.first, g.faults = g.asked(), r.faulty(g)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range slots {
		s.made(g)
		r.regroup([]*instance{s.of})
	}
	return g, nil
}

// asked is the name of the guard that is asked first.
func (g *Guard) asked() string {
	switch {
	case g.breaker != nil:
		return g.breaker.Name()
	case g.rateLimit != nil:
		return g.rateLimit.Name()
	case g.bulkhead != nil:
		return g.bulkhead.Name()
	}
	return g.timeout.name
}

// pool is the instances of one name that calls made by their keys.
type pool struct {
	tick atomic.Uint64 // goes on as instances are made; see slot.touch
	_    [56]byte      // because the next is written more often
	last atomic.Uint64 // stamp that was given

	registry *Registry
	name     string
	sections []string // whose maxInstances bounds it
	methods  []weak.Pointer[keys]
	users    int // of methods: how many there are still
	slots    map[string]*slot
	order    order        // slots that may be at rest
	busy     []*slot      // those that were not when they were asked
	next     int          // of them, to be asked again
	closings uint64       // of breakers, when all of them were asked
	file     *config.File // which most is of
	most     int          // slots
	born     int          // slots since the tick went on
	told     time.Time    // that there is no room; zero: never
	crowded  bool         // there has been no room since a slot left
	evicted  uint64
	beyond   uint64 // calls that found no room
}

// slot is the place of an instance in its pool.
type slot struct {
	pool  *pool
	key   string
	of    *instance
	mark  atomic.Uint64 // tick of the last use, and in the lowest bits how many there were in it
	stamp atomic.Uint64 // of the last use that was noted
	gone  atomic.Bool   // for a moment also while that is being decided

	known    uint64 // stamp by which it stands in the order
	index    int    // in the order; -1: it is busy
	breaker  *breaker.Breaker
	bulkhead *bulkhead.Bulkhead
}

// noted is how many uses in one tick are noted.
const noted = 15

// touch notes a use. Stamps are exact until a slot has been used often in one tick;
// then it is among those used last anyway, and calls write nothing that other keys
// read.
func (s *slot) touch() {
	tick := s.pool.tick.Load() << 4
	if mark := s.mark.Load(); mark != tick|noted {
		s.note(tick, mark)
	}
}

func (s *slot) note(tick, mark uint64) {
	s.mark.Store(max(tick, mark+1))
	s.stamp.Store(s.pool.last.Add(1))
}

// made notes what there is of the instance.
func (s *slot) made(g *Guard) {
	r, name := s.pool.registry, s.of.name
	if b := r.breakers.made[name]; b != nil && b == g.breaker {
		s.breaker = b
	}
	if b := r.bulkheads.made[name]; b != nil && b == g.bulkhead {
		s.bulkhead = b
		b.Use(r.calls(name))
	}
}

// slot is the one of a key, which it makes if there is room; else nil.
func (p *pool) slot(key string) *slot {
	if s := p.slots[key]; s != nil {
		return s
	}
	for len(p.slots) >= p.limit() {
		if !p.evict() {
			p.tellCrowded()
			return nil
		}
	}
	s := &slot{pool: p, key: key}
	r := p.registry
	r.mu.Lock()
	s.of = r.hold(p.name + "/" + keyed.Name(key))
	s.of.slot = s
	r.mu.Unlock()
	p.slots[key] = s
	if p.born++; p.born >= p.most/64 {
		p.born = 0
		p.tick.Add(1)
	}
	s.touch()
	heap.Push(&p.order, s)
	return s
}

// limit is how many slots there may be by the settings in force.
func (p *pool) limit() int {
	r := p.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.file != r.settings {
		p.file, p.most = r.settings, 0
		for _, section := range p.sections {
			most := r.settings.InForce(section, p.name).(interface{ Most() int }).Most()
			if p.most == 0 || most < p.most {
				p.most = most
			}
		}
	}
	return p.most
}

// evict ends the slot that is at rest and was used before all others that are.
func (p *pool) evict() (evicted bool) {
	p.askBusy()
	for len(p.order) > 0 {
		s := p.order[0]
		if now := s.stamp.Load(); now != s.known {
			s.known = now
			heap.Fix(&p.order, 0)
			continue
		}
		if s.retire() {
			return true
		}
		heap.Pop(&p.order)
		s.index = -1
		p.busy = append(p.busy, s)
	}
	return false
}

// asked is how many busy slots a new key asks, so that it waits for no more where
// thousands are. All are asked where a breaker has closed since that was done.
const asked = 64

// askBusy puts those that are at rest back into the order.
func (p *pool) askBusy() {
	n := min(asked, len(p.busy))
	if now := p.registry.closings.Load(); now != p.closings {
		p.closings, n = now, len(p.busy)
	}
	for range n {
		if p.next++; p.next >= len(p.busy) {
			p.next = 0
		}
		if s := p.busy[p.next]; s.atRest() {
			p.unbusy(p.next)
			heap.Push(&p.order, s)
			p.next-- // another has its place
		}
	}
}

func (p *pool) unbusy(at int) {
	last := len(p.busy) - 1
	p.busy[at] = p.busy[last]
	p.busy[last] = nil
	p.busy = p.busy[:last]
}

// atRest reports whether nothing would be lost with the slot but figures.
func (s *slot) atRest() bool {
	return (s.breaker == nil || s.breaker.AtRest()) && (s.bulkhead == nil || s.bulkhead.AtRest())
}

// retire ends the slot if it is at rest. A call that has found its guard meanwhile
// sees that it has gone, or is seen here.
func (s *slot) retire() bool {
	if !s.atRest() {
		return false
	}
	s.gone.Store(true)
	r := s.pool.registry
	r.mu.Lock()
	if s.of.holders > 1 || !s.atRest() || s.breaker != nil && !s.breaker.Retire() {
		r.mu.Unlock()
		s.gone.Store(false)
		return false
	}
	end := r.unlist(s.of)
	r.mu.Unlock()
	go end() // which may wait for a probe
	s.pool.evicted++
	s.leave()
	return true
}

// leave takes the slot out of its pool, and the guards that are made of it out of
// their tables.
func (s *slot) leave() {
	s.gone.Store(true)
	p := s.pool
	delete(p.slots, s.key)
	if s.index >= 0 {
		heap.Remove(&p.order, s.index)
	} else {
		p.unbusy(slices.Index(p.busy, s))
	}
	p.crowded = false
	s.of.slot = nil
	p.methods = slices.DeleteFunc(p.methods, func(m weak.Pointer[keys]) bool {
		k := m.Value()
		if k != nil {
			k.found.Delete(s.key)
		}
		return k == nil
	})
}

// toldPause is the time between two events about one name.
const toldPause = time.Minute

// tellCrowded counts a call for whose key there is no room. It tells of the first one.
func (p *pool) tellCrowded() {
	p.beyond++
	if p.crowded {
		return
	}
	p.crowded = true
	if now := time.Now(); p.told.IsZero() || now.Sub(p.told) >= toldPause {
		p.told = now
		p.registry.tell(Crowded{now, p.name, p.most})
	}
}

// order is the slots as a heap, the one used first at the top.
type order []*slot

func (o order) Len() int           { return len(o) }
func (o order) Less(i, j int) bool { return o[i].known < o[j].known }

func (o order) Swap(i, j int) {
	o[i], o[j] = o[j], o[i]
	o[i].index, o[j].index = i, j
}

// Push is for package heap.
func (o *order) Push(x any) {
	s := x.(*slot)
	s.known, s.index = s.stamp.Load(), len(*o)
	*o = append(*o, s)
}

// Pop is for package heap.
func (o *order) Pop() any {
	last := len(*o) - 1
	s := (*o)[last]
	(*o)[last] = nil
	*o = (*o)[:last]
	return s
}

// Crowded says that calls with further keys are guarded by the base name, because as
// many instances live as maxInstances allows, and none is at rest. It is told once
// while that lasts, and at most once a minute.
type Crowded struct {
	At           time.Time `json:"at"`
	Name         string    `json:"name"` // the base name, such as "tenants"
	MaxInstances int       `json:"maxInstances"`
}

func (Crowded) event() {}

// KeysSnapshot is the instances of one name that calls made by their keys.
type KeysSnapshot struct {
	Name         string `json:"name"`
	Instances    int    `json:"instances"` // that live
	MaxInstances int    `json:"maxInstances"`

	// Since the first wrapper was made:
	Evicted uint64 `json:"evicted"` // instances that made room for another key
	Beyond  uint64 `json:"beyond"`  // calls that the base name guarded for want of room
}

func (r *Registry) keysSnapshots() []KeysSnapshot {
	r.keying.Lock()
	defer r.keying.Unlock()
	if len(r.pools) == 0 {
		return nil
	}
	pools := slices.SortedFunc(maps.Values(r.pools), func(a, b *pool) int { return cmp.Compare(a.name, b.name) })
	return each(pools, func(p *pool) KeysSnapshot { return KeysSnapshot{p.name, len(p.slots), p.limit(), p.evicted, p.beyond} })
}

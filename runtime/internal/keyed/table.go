package keyed

import (
	"hash/maphash"
	"sync/atomic"
)

// Table finds values by key. Get takes no lock and writes nothing, so that calls with
// different keys don't meet. Put and Delete must not run at the same time. The zero
// Table is empty.
type Table[V any] struct {
	places atomic.Pointer[places[V]]
	live   int
	used   int // places, also by what was deleted
}

// places are the values by hash: each at its place or, if that is taken, behind it.
// Their number is a power of two, and some are free.
type places[V any] struct {
	seed maphash.Seed
	all  []atomic.Pointer[pair[V]]
}

type pair[V any] struct {
	hash  uint64
	key   string
	value *V // nil: it was deleted
}

// Get returns the value of a key, or nil.
func (t *Table[V]) Get(key string) *V {
	p := t.places.Load()
	if p == nil {
		return nil
	}
	hash := maphash.String(p.seed, key)
	for at := hash; ; at++ {
		found := p.all[at&uint64(len(p.all)-1)].Load()
		if found == nil {
			return nil
		}
		if found.hash == hash && found.key == key {
			return found.value
		}
	}
}

// Put adds the value of a key that has none.
func (t *Table[V]) Put(key string, value *V) {
	p := t.places.Load()
	if p == nil || 2*(t.used+1) > len(p.all) {
		p = t.rebuild(p)
	}
	t.live++
	t.used++
	p.put(&pair[V]{maphash.String(p.seed, key), key, value})
}

func (p *places[V]) put(one *pair[V]) {
	at := one.hash
	for p.at(at).Load() != nil {
		at++
	}
	p.at(at).Store(one)
}

func (p *places[V]) at(n uint64) *atomic.Pointer[pair[V]] { return &p.all[n&uint64(len(p.all)-1)] }

// Delete removes a key.
func (t *Table[V]) Delete(key string) {
	p := t.places.Load()
	if p == nil {
		return
	}
	hash := maphash.String(p.seed, key)
	for at := hash; ; at++ {
		found := p.at(at).Load()
		if found == nil {
			return
		}
		if found.hash == hash && found.key == key && found.value != nil {
			p.at(at).Store(&pair[V]{hash: ^hash})
			t.live--
			return
		}
	}
}

// rebuild makes new places, without what was deleted and with room for more. Who
// reads the old ones may miss what is put from now on.
func (t *Table[V]) rebuild(old *places[V]) *places[V] {
	size := 8
	for size < 4*(t.live+1) {
		size *= 2
	}
	next := &places[V]{maphash.MakeSeed(), make([]atomic.Pointer[pair[V]], size)}
	if old != nil {
		next.seed = old.seed
		for i := range old.all {
			if one := old.all[i].Load(); one != nil && one.value != nil {
				next.put(one)
			}
		}
	}
	t.used = t.live
	t.places.Store(next)
	return next
}

// All calls do for every value, under the same rule as Put.
func (t *Table[V]) All(do func(key string, value *V)) {
	if p := t.places.Load(); p != nil {
		for i := range p.all {
			if one := p.all[i].Load(); one != nil && one.value != nil {
				do(one.key, one.value)
			}
		}
	}
}

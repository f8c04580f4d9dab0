package bulkhead

import "github.com/resgen-go/resgen/runtime/internal/shedding"

// Refusing says that a bulkhead has begun to refuse requests, or that this is over.
type Refusing struct {
	shedding.Bout
	Bulkhead string
	Size     int
}

// Watch makes tell hear of refusing, before the first call. It must neither block
// nor call the bulkhead.
func (b *Bulkhead) Watch(tell func(Refusing)) {
	b.refusing = shedding.New(b.refusals, func(bout shedding.Bout) { tell(Refusing{bout, b.name, b.now().size()}) })
}

// EndWatch ends Watch. If the bulkhead is refusing, it tells that this is over.
func (b *Bulkhead) EndWatch() { b.refusing.End() }

// noteRefusal notes that refusing has begun.
func (b *Bulkhead) noteRefusal(kind Kind) {
	if kind != Done {
		b.fill()
		b.refusing.Note(uint8(kind))
	}
}

// refusals counts the requests that got no permit although their callers were still
// there.
func (b *Bulkhead) refusals() uint64 {
	c := &b.counters
	return c.refused[Full].Load() + c.refused[TooLarge].Load() + c.refused[Cancelled].Load()
}

package breaker

import (
	"time"

	"github.com/resgen-go/resgen/runtime/internal/redact"
	"github.com/resgen-go/resgen/runtime/internal/text"
)

// Trouble is an error that a breaker was told of. The zero Trouble is none.
type Trouble struct {
	At     time.Time
	Method string // that returned it; empty of a probe
	Error  string // its text, at most troubleLimit bytes
}

// troubleLimit bounds what a breaker keeps of an error.
const troubleLimit = 200

// trouble is the last error of a kind. A breaker keeps its text and not the
// error, which may hold a whole answer in memory, and which its owner may change
// at any time.
type trouble struct {
	at           Instant
	method, text string
}

// Describe is the text that a breaker keeps of an error, without the secrets of the
// URLs in it. It calls the error's own method, so no lock may be held.
func Describe(err error) string { return text.Cut(redact.Text(text.Of(err)), troubleLimit) }

// told is the exported form of t.
func (t *trouble) told(now Instant) Trouble {
	if t == nil {
		return Trouble{}
	}
	return Trouble{t.at.wall(now), t.method, t.text}
}

// noteFailure remembers the last failure, always in the same place, so that only
// the first costs memory.
func (b *Breaker) noteFailure(why *trouble, at Instant) {
	if why == nil {
		return
	}
	if b.failed == nil {
		b.failed = new(trouble)
	}
	*b.failed = trouble{at, why.method, why.text}
}

// noteProbe remembers the error of the last probe, or that there was none.
func (b *Breaker) noteProbe(err error, text string) {
	b.unwell = nil
	if err != nil {
		b.unwell = &trouble{at: Now(), text: text}
	}
}

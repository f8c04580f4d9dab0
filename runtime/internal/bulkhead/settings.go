package bulkhead

import (
	"fmt"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/dryrun"
	"github.com/resgen-go/resgen/runtime/internal/keyed"
)

// maxSize is the largest bulkhead; the fields of a tally have room for it.
const maxSize = 1_000_000

// Settings are what a user tunes. They take effect at once, see
// [Bulkhead.Resize].
type Settings struct {
	MaxConcurrentCalls int           `setting:"maxConcurrentCalls" default:"25" range:"[1,1000000]" doc:"calls that may run at the same time"`
	MaxWaitDuration    time.Duration `setting:"maxWaitDuration" default:"0s" range:"[0s,8760h]" usual:"10s" doc:"how long a call waits for its turn at most; 0 refuses at once"`
	QueueCapacity      *int          `setting:"queueCapacity" range:"[0,2147483647]" doc:"calls that may wait at the same time; unbounded when absent"`
	dryrun.Enforcement
	keyed.Instances
	Shadow int // a size that is tried beside; 0: none is
}

// Shade sets the size that is tried.
func (s *Settings) Shade(shadow any) { s.Shadow = Most(shadow.(Sizing)) }

// mustFit panics for a size that no bulkhead can have. Settings from a file
// were checked long before.
func (s Settings) mustFit(name string) {
	if n := s.MaxConcurrentCalls; n < 1 || n > maxSize {
		panic(fmt.Sprintf("bulkhead %s: maxConcurrentCalls is %d, allowed is [1, %d]", name, n, maxSize))
	}
}

// longestWait is how long a single call may wait: not at all where nobody may queue.
func (s Settings) longestWait() time.Duration {
	if s.QueueCapacity != nil && *s.QueueCapacity <= 0 {
		return 0
	}
	return s.MaxWaitDuration
}

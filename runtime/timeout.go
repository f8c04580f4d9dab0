package resilience

import (
	"sync/atomic"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/config"
)

// timeout is one name of the section timeouts.
type timeout struct {
	name  string
	limit atomic.Int64  // a time.Duration; 0 bounds nothing
	ended atomic.Uint64 // calls that outlived it
}

func newTimeout(name string, settings *config.Timeout) *timeout {
	t := &timeout{name: name}
	t.set(settings)
	return t
}

func (t *timeout) set(settings *config.Timeout) { t.limit.Store(int64(settings.Limit())) }

// now is the limit in force; 0 bounds nothing, nor does a nil timeout.
func (t *timeout) now() time.Duration {
	if t == nil {
		return 0
	}
	return time.Duration(t.limit.Load())
}

// count counts a call that outlived it. Without a timeout, the time for all attempts
// of the call was over.
func (t *timeout) count() {
	if t != nil {
		t.ended.Add(1)
	}
}

func (t *timeout) snapshot() TimeoutSnapshot {
	return TimeoutSnapshot{t.name, Duration(t.now()), t.ended.Load()}
}

package breaker

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// State is what a breaker is in.
type State uint8

// The states. The last three are set by hand and stay until [Breaker.Reset].
const (
	Closed      State = iota // admits calls and judges their outcomes
	Open                     // refuses
	HalfOpen                 // admits trials and judges their outcomes
	ForcedOpen               // refuses
	Disabled                 // admits, counts nothing
	MetricsOnly              // admits and counts, judges nothing
)

var stateNames = [...]string{"CLOSED", "OPEN", "HALF_OPEN", "FORCED_OPEN", "DISABLED", "METRICS_ONLY"}

// String is the state's name, such as HALF_OPEN.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

// MarshalText writes the state as its String.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *State) UnmarshalText(text []byte) error {
	i := slices.Index(stateNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is no state of a breaker", text)
	}
	*s = State(i)
	return nil
}

// Instant is a moment of the monotonic clock, in nanoseconds since the process
// started. Setting the wall clock does not change it.
type Instant int64

// longAgo is before every moment and never after; adding a setting to longAgo
// does not change that.
const (
	longAgo Instant = math.MinInt64 / 2
	never   Instant = math.MaxInt64
	undated Instant = math.MinInt64 // no moment
)

var epoch = time.Now()

// Never is after every moment.
const Never = never

// Now reads the monotonic clock.
func Now() Instant { return Instant(time.Since(epoch)) }

// Sub is the time from earlier to i.
func (i Instant) Sub(earlier Instant) time.Duration { return time.Duration(i - earlier) }

// Add is the moment d after i.
func (i Instant) Add(d time.Duration) Instant { return i + Instant(d) }

// wall is i, which is not after now, on the wall clock.
func (i Instant) wall(now Instant) time.Time { return time.Now().Add(-now.Sub(i)) }

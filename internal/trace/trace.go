// Package trace is the format of recorded calls, which docs/replay.md describes: a
// writer, and a reader that believes no byte of what it reads.
//
// A trace is a header and blocks. Each block has a checksum, and begins with the time
// and with how many calls came before it, so that nothing is lost or changed unnoticed.
// A trace has names of methods and guards, times and outcomes, and nothing else of the
// calls: no argument, no result, no text of an error. Keys are numbers that nobody can
// turn back, because the seed of their hash is forgotten.
package trace

import (
	"fmt"
	"time"
)

const (
	magic   = "resgen trace\n"
	version = 1
	mark    = 0xB1 // begins a block
)

// The most there may be. A reader refuses more, and a writer writes no more.
const (
	MaxBlock   = 1 << 16 // bytes of a block
	MaxName    = 1 << 10 // bytes of a name
	MaxNames   = 1 << 17 // names, and methods, of a trace
	MaxList    = 1 << 8  // guards of an entry, and numbers of a call
	MaxPermits = 1 << 30
	maxTime    = 366 * 24 * time.Hour // of a trace, and of a call
)

// Records of a block, in the low bits of their first byte.
const (
	recordName       = 1
	recordMethod     = 2
	recordCall       = 3
	recordRefusal    = 4
	recordTransition = 5
	recordProbe      = 6
	recordReload     = 7
	recordGap        = 8
	recordEnd        = 9
	recordMask       = 0x0f
)

// What a call or a refusal has besides, in the high bits.
const (
	hasWait    = 1 << 4
	hasKey     = 1 << 5
	hasWithin  = 1 << 6
	hasNumbers = 1 << 7 // and which entry it is
)

// Outcome says how a call ended.
type Outcome uint8

// The outcomes.
const (
	Success Outcome = iota
	Failure
	TimedOut
	Ignored
	Abandoned // by its caller
	lastOutcome
	isLate = 8   // beside an outcome: the timeout follows
	isGone = 128 // beside the kind of a refusal
)

// Method is what guards a method, by names. The name of an instance is apart.
type Method struct {
	Name                                                  string // such as "payments.Client.Charge"
	Instance                                              string
	Breaker, RateLimit, Bulkhead, Timeout, Retry, Answers string // Answers: the fallback
	Traits                                                Traits
	Check, Rate, Preload, Lease                           []Want // of an entry
}

// Traits say more of the guards of a method.
type Traits uint8

// The bits of Traits.
const (
	BreakerByKey Traits = 1 << iota // each key of calls has a breaker of its own
	BulkheadByKey
	TimeoutByKey
	Probed    // the breaker has a probe
	allTraits = 1<<iota - 1
)

// Want is n of a guard, or as many as a number of each call says.
type Want struct {
	Name      string
	N, Number int
}

// Call is a guarded call or an entry, at its end.
type Call struct {
	At      time.Duration // since the trace began; of a refusal, when it was refused
	Took    time.Duration // since it was admitted
	Waited  time.Duration // for tokens and permits, before that
	Limit   time.Duration // the timeout, if it took longer
	Method  uint32
	Since   uint32 // calls that ended or were refused while it waited and ran
	Key     uint32 // a hash; 0: none
	Within  uint32 // which of the entries under way it belongs to; 0: none
	Entry   uint32 // which of them it is itself; free for another one then
	By      uint32 // the name of the guard that refused
	Refused uint8  // the kind of the refusal; 0: it was made
	Gone    bool   // the context of its caller ended its wait, or had ended before
	Outcome Outcome
	Numbers []int // that it gave its entry
}

// Began is when the call came, before it waited.
func (c *Call) Began() time.Duration { return c.At - c.Took - c.Waited }

// Transition is a change of a breaker's state.
type Transition struct {
	At       time.Duration
	Breaker  uint32 // a name
	Key      uint32
	From, To uint8
	ByHand   bool
}

// Probe is the end of a probe.
type Probe struct {
	At, Took time.Duration
	Breaker  uint32 // a name
	Good     bool
}

// Gap is where calls are missing.
type Gap struct {
	At      time.Duration // its end
	Lasted  time.Duration
	Dropped int
	Before  int // index of the call that follows
}

// Trace is all of a trace.
type Trace struct {
	Start       time.Time
	Lasts       time.Duration
	Names       []string // by number; 0 is none
	Methods     []Method
	Calls       []Call // in the order in which they ended
	Transitions []Transition
	Probes      []Probe
	Reloads     []time.Duration // changes of the settings
	Gaps        []Gap
	Ended       bool  // its writer was closed
	Bytes       int64 // that were read
}

// Error is why something is no trace.
type Error struct {
	Offset int64 // in bytes
	Text   string
}

func (e *Error) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Text) }

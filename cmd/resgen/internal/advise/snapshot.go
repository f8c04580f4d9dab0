package advise

import (
	"encoding/json"
	"fmt"
	"time"
)

// Snapshot is what a proposal reads of a snapshot as JSON, as runtime/admin serves it.
// The snapshot of the runtime has much more, and its names of kinds can't be read back.
type Snapshot struct {
	At        time.Time  `json:"at"`
	Bulkheads []Bulkhead `json:"bulkheads"`
	Breakers  []Breaker  `json:"breakers"`
	Timeouts  []Timeout  `json:"timeouts"`
	Entries   []Entry    `json:"entries"`
	Calls     []Calls    `json:"calls"`
	Methods   []Method   `json:"methods"`
}

// Bulkhead is one bulkhead.
type Bulkhead struct {
	Name                string `json:"name"`
	MaxConcurrentCalls  int    `json:"maxConcurrentCalls"`
	UsedFromReservation uint64 `json:"usedFromReservation"`
	Refused             struct {
		Full uint64 `json:"full"`
	} `json:"refused"`
}

// Breaker is one breaker.
type Breaker struct {
	Name     string `json:"name"`
	Strategy string `json:"strategy"`
}

// Timeout is one timeout; 0 bounds nothing.
type Timeout struct {
	Name     string   `json:"name"`
	Duration Duration `json:"duration"`
}

// Entry is what an entry made of its reservations.
type Entry struct {
	Method   string `json:"method"`
	Begun    uint64 `json:"begun"`
	Unused   uint64 `json:"unused"`
	Overflow uint64 `json:"overflow"`
}

// Calls are the durations of calls that ended in one way.
type Calls struct {
	Method  string   `json:"method"`
	Outcome string   `json:"outcome"`
	Count   uint64   `json:"count"`
	Sum     Duration `json:"sum"`
}

// Method is what guards a method.
type Method struct {
	Method   string     `json:"method"`
	Breaker  string     `json:"breaker"`
	Bulkhead string     `json:"bulkhead"`
	Timeout  string     `json:"timeout"`
	Reserves []Reserves `json:"reserves"`
}

// Reserves is what an entry reserves.
type Reserves struct {
	Bulkhead string `json:"bulkhead"`
	Permits  int    `json:"permits"`
	Lease    bool   `json:"lease"`
}

// Duration is one that is written as "1.5s".
type Duration time.Duration

// UnmarshalText reads it.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// Read reads a snapshot.
func Read(text []byte) (Snapshot, error) {
	var s Snapshot
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("not a snapshot as JSON: %w", err)
	}
	if s.At.IsZero() {
		return s, fmt.Errorf("not a snapshot: it has no time %q", "at")
	}
	return s, nil
}

func (s Snapshot) of(c Calls) Calls {
	for _, old := range s.Calls {
		if old.Method == c.Method && old.Outcome == c.Outcome {
			return old
		}
	}
	return Calls{}
}

func (b Bulkhead) name() string { return b.Name }
func (t Timeout) name() string  { return t.Name }
func (e Entry) name() string    { return e.Method }

// find is the one of a name; a zero one if there is none.
func find[T interface{ name() string }](all []T, name string) (found T) {
	for _, one := range all {
		if one.name() == name {
			return one
		}
	}
	return found
}

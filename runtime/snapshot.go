package resilience

import (
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/text"
)

// Snapshot is a registry at one moment, for dashboards: each breaker and each
// bulkhead is consistent in itself. It encodes to stable JSON.
type Snapshot struct {
	At         time.Time           `json:"at"`
	Breakers   []BreakerSnapshot   `json:"breakers"`
	Bulkheads  []BulkheadSnapshot  `json:"bulkheads"`
	Timeouts   []TimeoutSnapshot   `json:"timeouts"`
	RateLimits []RateLimitSnapshot `json:"rateLimits"`
	Retries    []RetrySnapshot     `json:"retries"`
	Budgets    []BudgetSnapshot    `json:"budgets"`
	Fallbacks  []FallbackSnapshot  `json:"fallbacks"`
	Faults     []FaultSnapshot     `json:"faults,omitempty"` // by name, those that are injected, or were
	Keys       []KeysSnapshot      `json:"keys,omitempty"`   // by name; nil where no method is guarded by key
	Entries    []EntrySnapshot     `json:"entries"`
	Calls      []CallsSnapshot     `json:"calls,omitempty"`   // by method and outcome; nil without the option Time
	Methods    []MethodSnapshot    `json:"methods,omitempty"` // nil without the option Time, whose durations they explain
	Settings   SettingsSnapshot    `json:"settings"`
	Fleet      *FleetSnapshot      `json:"fleet,omitempty"` // nil where nothing is shared, and before the first exchange
	Events     EventFigures        `json:"events"`
}

// BreakerSnapshot is one breaker.
type BreakerSnapshot struct {
	Name         string    `json:"name"`
	Strategy     string    `json:"strategy"`
	State        State     `json:"state"`
	Since        time.Time `json:"since"`                 // when the state began
	Reason       string    `json:"reason,omitempty"`      // why, as the Transition said; empty of a new breaker that is CLOSED
	By           string    `json:"by,omitempty"`          // who asked for the state, if it was set by hand
	Admits       bool      `json:"admits"`                // a call would be admitted: OPEN with its delay over says true
	RetryAt      time.Time `json:"retryAt,omitzero"`      // when a call is admitted again, where time alone decides
	Refused      uint64    `json:"refused"`               // calls refused since the state began
	RefusedTotal uint64    `json:"refusedTotal"`          // calls refused since the breaker was made
	Gates        uint64    `json:"gates"`                 // entries that a gate turned away because of it, since it was made
	DryRun       bool      `json:"dryRun,omitempty"`      // "enforce": false: it judges and refuses nobody
	WouldRefuse  uint64    `json:"wouldRefuse,omitempty"` // calls and entries that it let through in a dry run, since it was made
	Trials       int       `json:"trials"`                // calls of HALF_OPEN that run

	// Since the breaker was made; they never shrink:
	FailuresTotal  uint64            `json:"failuresTotal"`
	SlowTotal      uint64            `json:"slowTotal"`                // failed ones, too
	IgnoredTotal   uint64            `json:"ignoredTotal"`             // calls that ended and say nothing
	Counted        bool              `json:"counted,omitempty"`        // successes are, by the option Count
	SuccessesTotal uint64            `json:"successesTotal,omitempty"` // 0 if they are not counted
	Transitions    []TransitionCount `json:"transitions,omitempty"`    // those that came about

	Shadow      *ShadowSnapshot `json:"shadow,omitempty"`     // nil: no other settings are tried
	Shared      bool            `json:"shared,omitempty"`     // by its settings; Snapshot.Fleet says whether there is a link
	Held        bool            `json:"held,omitempty"`       // by an outage of all processes that share it
	LastFailure Trouble         `json:"lastFailure,omitzero"` // that counted; zero: none since the breaker was made
	LastProbe   Trouble         `json:"lastProbe,omitzero"`   // zero: it was good, or there was none
	OpensAt     float64         `json:"opensAt,omitzero"`     // percent of failed calls in a full window; 0: it opens by another rule
	Figures                     // of the window; while OPEN of the one that opened it
}

// TransitionCount is how often a breaker went from one state to another.
type TransitionCount struct {
	From  State  `json:"from"`
	To    State  `json:"to"`
	Count uint64 `json:"count"`
}

func transitionCounts(moves breaker.Moves) (all []TransitionCount) {
	for from, counts := range moves {
		for to, n := range counts {
			if n > 0 {
				all = append(all, TransitionCount{State(from), State(to), n})
			}
		}
	}
	return all
}

// BulkheadSnapshot is one bulkhead. InUse, ReservedIdle and Available add up to
// MaxConcurrentCalls, except after the bulkhead has shrunk, until enough permits
// have come back, and in a dry run. Many ReturnedUnused beside many Overflow show entries that declare
// the wrong number.
type BulkheadSnapshot struct {
	Name               string `json:"name"`
	DryRun             bool   `json:"dryRun,omitempty"` // "enforce": false: it counts and refuses nobody
	MaxConcurrentCalls int    `json:"maxConcurrentCalls"`
	InUse              int    `json:"inUse"`        // permits that calls run on
	ReservedIdle       int    `json:"reservedIdle"` // permits that reservations keep for calls to come
	Available          int    `json:"available"`    // permits in the pool
	Waiting            int    `json:"waiting"`      // requests in the queue, of any number of permits

	// Since the bulkhead was made:
	Reserved            uint64   `json:"reserved"` // permits taken from the pool for calls inside entries
	Refused             Refusals `json:"refused"`
	UsedFromReservation uint64   `json:"usedFromReservation"`   // calls that began on a reserved permit
	Overflow            uint64   `json:"overflow"`              // calls whose open reservation had no permit left for them: that began on one of the pool, or were refused
	ReturnedUnused      uint64   `json:"returnedUnused"`        // reserved permits on which no call ran
	WouldRefuse         uint64   `json:"wouldRefuse,omitempty"` // requests that it let through in a dry run

	Shadow   *ShadowSize       `json:"shadow,omitempty"`   // nil: no other size is tried
	Adaptive *AdaptiveSnapshot `json:"adaptive,omitempty"` // nil: the size stays
}

// ShadowSize is a size that is tried beside that of a bulkhead.
type ShadowSize struct {
	MaxConcurrentCalls int    `json:"maxConcurrentCalls"`
	WouldRefuse        uint64 `json:"wouldRefuse"` // requests, of those that got permits, since the bulkhead was made
}

// Refusals count the requests that a bulkhead refused, each once, however many
// permits it wanted.
type Refusals struct {
	Full      uint64 `json:"full"`
	TooLarge  uint64 `json:"tooLarge"`
	Cancelled uint64 `json:"cancelled"` // the context ended the wait, or left no time for one
	Gate      uint64 `json:"gate"`      // a gate refused before the bulkhead was asked
}

// TimeoutSnapshot is one timeout; 0 bounds nothing.
type TimeoutSnapshot struct {
	Name     string   `json:"name"`
	Duration Duration `json:"duration,omitzero"`
	Ended    uint64   `json:"ended"` // calls that outlived it, since it was made
}

// SettingsSnapshot is the last reading of the settings.
type SettingsSnapshot struct {
	Source string    `json:"source,omitempty"` // empty: the built-in settings
	ReadAt time.Time `json:"readAt,omitzero"`
	Fault  string    `json:"fault,omitempty"` // not empty: the settings before it stay in force

	// Readings since the registry was made:
	Accepted uint64 `json:"accepted"` // with the first
	Rejected uint64 `json:"rejected"`
}

// FleetSnapshot is the link to the processes that share breakers; see
// [FleetLink].
type FleetSnapshot struct {
	Connected bool      `json:"connected"`
	Since     time.Time `json:"since"`
	Fault     string    `json:"fault,omitempty"` // why it is not connected

	Breakers []SharedBreaker `json:"breakers,omitempty"` // by name
}

// Snapshot returns the present state of everything. Taking it changes nothing
// and may be done at any rate.
func (r *Registry) Snapshot() Snapshot {
	if r.made() != nil {
		return Snapshot{}
	}
	keys := r.keysSnapshots()
	r.mu.Lock()
	defer r.mu.Unlock()
	snapshot := Snapshot{
		Keys:     keys,
		At:       time.Now(),
		Entries:  r.entrySnapshots(),
		Settings: r.settingsSnapshot(),
		Fleet:    r.fleetSnapshot(),
		Events:   r.eventFigures(),
		Calls:    r.callsSnapshot(),
		Methods:  r.methodSnapshots(),
	}
	for _, s := range r.sections {
		s.snapshot(&snapshot)
	}
	return snapshot
}

func (r *Registry) eventFigures() EventFigures {
	figures := r.events.snapshot()
	for _, q := range append([]*events{r.log}, r.attached.now()...) {
		figures.add(q.snapshot())
	}
	return figures
}

func newBreakerSnapshot(s breaker.Snapshot, shared bool) BreakerSnapshot {
	return BreakerSnapshot{
		Name: s.Name, Strategy: s.Strategy, State: s.State, Since: s.Since, Reason: s.Reason, By: s.By,
		Admits: s.Admits, RetryAt: s.RetryAt, Refused: s.Refused, RefusedTotal: s.RefusedTotal, Gates: s.Gates,
		DryRun: s.Dry, WouldRefuse: s.WouldRefuse,
		FailuresTotal: s.Ever.Failures, SlowTotal: s.Ever.SlowCalls, IgnoredTotal: s.Ever.Ignored,
		Counted: s.Ever.Counted, SuccessesTotal: s.Ever.Successes, Transitions: transitionCounts(s.Ever.Moves),
		Trials: s.Trials, OpensAt: s.OpensAt, Shared: shared, Held: s.Held, Figures: Figures(s.Figures),
		LastFailure: Trouble(s.LastFailure), LastProbe: Trouble(s.LastProbe),
	}
}

func newBulkheadSnapshot(s bulkhead.Snapshot) BulkheadSnapshot {
	shown := BulkheadSnapshot{
		Name: s.Name, DryRun: s.Dry, MaxConcurrentCalls: s.MaxConcurrentCalls,
		InUse: s.InUse, ReservedIdle: s.ReservedIdle, Available: s.Available, Waiting: s.Waiting,
		Reserved: s.Reserved, Refused: Refusals(s.Refused), UsedFromReservation: s.UsedFromReservation,
		Overflow: s.Overflow, ReturnedUnused: s.ReturnedUnused, WouldRefuse: s.WouldRefuse, Adaptive: newAdaptiveSnapshot(s.Adaptive),
	}
	if s.Shadow > 0 {
		shown.Shadow = &ShadowSize{s.Shadow, s.ShadowWouldRefuse}
	}
	return shown
}

func (r *Registry) settingsSnapshot() SettingsSnapshot {
	e := r.reload
	return SettingsSnapshot{Source: e.Source, ReadAt: e.At, Fault: text.Of(e.Err), Accepted: r.accepted, Rejected: r.rejected}
}

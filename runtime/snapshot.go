package resilience

import (
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
)

// Snapshot is a registry at one moment, for dashboards: each breaker and each
// bulkhead is consistent in itself. It encodes to stable JSON.
type Snapshot struct {
	At        time.Time          `json:"at"`
	Breakers  []BreakerSnapshot  `json:"breakers"`
	Bulkheads []BulkheadSnapshot `json:"bulkheads"`
	Timeouts  []TimeoutSnapshot  `json:"timeouts"`
	Settings  SettingsSnapshot   `json:"settings"`
	Events    EventFigures       `json:"events"`
}

// BreakerSnapshot is one breaker.
type BreakerSnapshot = breaker.Snapshot

// BulkheadSnapshot is one bulkhead.
type BulkheadSnapshot = bulkhead.Snapshot

// TimeoutSnapshot is one timeout; 0 bounds nothing.
type TimeoutSnapshot struct {
	Name     string   `json:"name"`
	Duration Duration `json:"duration"`
}

// SettingsSnapshot is the last reading of the settings.
type SettingsSnapshot struct {
	Source string    `json:"source,omitempty"` // empty: the built-in settings
	ReadAt time.Time `json:"readAt,omitzero"`
	Fault  string    `json:"fault,omitempty"` // not empty: the settings before it stay in force
}

// Snapshot returns the present state of everything. Taking it changes nothing
// and may be done at any rate.
func (r *Registry) Snapshot() Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	snapshot := Snapshot{
		At:        time.Now(),
		Breakers:  make([]BreakerSnapshot, 0, len(r.breakers)),
		Bulkheads: make([]BulkheadSnapshot, 0, len(r.bulkheads)),
		Timeouts:  make([]TimeoutSnapshot, 0, len(r.timeouts)),
		Settings:  r.reload.snapshot(),
		Events:    r.events.snapshot(),
	}
	for _, b := range sortedByName(r.breakers) {
		snapshot.Breakers = append(snapshot.Breakers, b.Snapshot())
	}
	for _, b := range sortedByName(r.bulkheads) {
		snapshot.Bulkheads = append(snapshot.Bulkheads, b.Snapshot())
	}
	for _, t := range sortedByName(r.timeouts) {
		snapshot.Timeouts = append(snapshot.Timeouts, TimeoutSnapshot{t.name, Duration(t.limit.Load())})
	}
	return snapshot
}

func (e Reloaded) snapshot() SettingsSnapshot {
	s := SettingsSnapshot{Source: e.Source, ReadAt: e.At}
	if e.Err != nil {
		s.Fault = e.Err.Error()
	}
	return s
}

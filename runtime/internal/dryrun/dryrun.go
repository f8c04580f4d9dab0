// Package dryrun is the setting by which a guard judges calls and refuses none.
package dryrun

// Enforcement is the setting of every guard that refuses calls.
type Enforcement struct {
	Enforce bool `setting:"enforce" default:"true" doc:"false counts the calls that would be refused, and refuses none"`
}

// Dry reports whether the guard refuses no call.
func (e Enforcement) Dry() bool { return !e.Enforce }

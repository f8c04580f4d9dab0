// Package ledger is embedded.
package ledger

// Entry is a line of the ledger.
type Entry struct{ Cents int }

// Client writes the ledger.
type Client interface {
	Append(ledger string, entries ...Entry) error
	Sync() error
}

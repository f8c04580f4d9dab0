// Package embedded has interfaces with the methods of others: of the package, of
// another one, of an instance, and twice the same.
package embedded

import (
	"io"

	"github.com/resgen-go/resgen/testdata/scenarios/embedded/ledger"
)

// Book has methods of its own and many more.
//
//resilience:breaker book
type Book interface {
	io.ReadCloser
	Title() (string, error)
	shelf[*Page]
	ledger.Client
	io.Closer

	// Sync is declared again, for a directive of its own.
	//
	//resilience:breaker ledger
	Sync() error
}

// Page is kept on a shelf.
type Page struct{ Text string }

type shelf[T any] interface {
	Put(item T) error

	// Take is never guarded, wherever it is embedded.
	//
	//resilience:none
	Take() (T, error)
}

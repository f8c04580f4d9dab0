// Package deprecated has interfaces and methods that nobody should use any more,
// which their wrappers say too.
package deprecated

import (
	"context"

	"github.com/resgen-go/resgen/testdata/scenarios/deprecated/old"
)

// Store keeps values.
//
// Deprecated: use Shelf, which takes
// a context in all its methods.
//
// There is a second paragraph.
//
//resilience:breaker deprecated
type Store interface {
	Get(ctx context.Context, key string) (string, error)
}

// Shelf keeps values. Deprecated: this is no paragraph of its own.
//
//resilience:breaker deprecated
type Shelf interface {
	old.Reader
	error

	Get(ctx context.Context, key string) (string, error)

	/*
		Peek is like Get.

		Deprecated: use Get.
	*/
	Peek(key string) (string, error)

	// Deprecated: use Close.
	Stop()

	// Close ends it.
	//
	// Deprecated.
	//
	//resilience:none
	Close() error
}

// Deprecated: all of these are.
type (
	// Box keeps values.
	Box interface {
		//resilience:breaker deprecated
		Get(key string) (string, error)
	}
)

// Package sealed wraps interfaces that only other packages can implement.
package sealed

import (
	"net/http"
	"reflect"
	"testing"
)

// TB is a test.
type TB interface {
	testing.TB

	//resilience:breaker tests
	Try() error

	// TB has the name of the interface.
	//
	//resilience:breaker tests
	TB() error
}

// tBNext and client are in the way.
func tBNext() {}

// Type is exported by another name.
//
//resilience:breaker types
type Type[P any] interface {
	reflect.Type
	Load(P) (http.Header, error)
}

var _ = tBNext

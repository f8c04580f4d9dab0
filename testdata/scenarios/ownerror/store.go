// Package ownerror declares a type error, so that Go's own has another name in it.
package ownerror

import "github.com/resgen-go/resgen/testdata/scenarios/ownerror/std"

type error struct{ Code int }

// Store returns errors of both kinds.
//
//resilience:breaker
type Store interface {
	Get(key string) (string, std.Error)
	Last() error
}

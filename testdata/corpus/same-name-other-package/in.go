package box

import inner "github.com/resgen-go/resgen/testdata/corpus/same-name-other-package/box"

// Box opens another box.
type Box interface {
	//resilience:breaker b
	Open(key string) (inner.Lid, error)
}

// Lid is not the Lid above.
type Lid struct{ Locked bool }

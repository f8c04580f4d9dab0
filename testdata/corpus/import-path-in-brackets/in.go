package timeout

import "github.com/resgen-go/resgen/testdata/corpus/import-path-in-brackets/wire"

// Box is local and generic.
type Box[T any] struct{ v *T }

// Timeout reads boxes.
type Timeout interface {
	//resilience:breaker b
	Read() (Box[wire.JSON], []Box[map[wire.JSON]Box[*wire.JSON]], error)
}

// Package kit aliases internal types.
package kit

import "github.com/resgen-go/resgen/testdata/corpus/alias-inside-composite/kit/internal/things"

type (
	// Thing is public.
	Thing = things.Thing
	// Key is public.
	Key = things.Key
)

package predeclared

import (
	"context"

	"github.com/resgen-go/resgen/testdata/corpus/import-named-predeclared/nil"
	"github.com/resgen-go/resgen/testdata/corpus/import-named-predeclared/string"
)

// Names needs Go's own nil and string beside those of the imports.
type Names interface {
	//resilience:anticipate check=b
	//resilience:breaker b
	Do(ctx context.Context, s string.T, n *nil.T) ([]string.T, error)
}

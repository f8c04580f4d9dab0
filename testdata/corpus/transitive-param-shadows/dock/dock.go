// Package dock is a stand-in for a third-party client.
package dock

import (
	"context"

	"github.com/resgen-go/resgen/testdata/corpus/transitive-param-shadows/layer"
)

// Client reads layers.
type Client interface {
	Diff(ctx context.Context, layer string) ([]layer.Change, error)
	Walk(context context.Context, visit func(layer layer.Change) error) error
}

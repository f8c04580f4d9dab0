package receiver

import (
	"context"

	"github.com/resgen-go/resgen/testdata/corpus/alias-to-internal/lib/pub"
)

// Receiver receives.
type Receiver interface {
	//resilience:breaker b
	Receive(ctx context.Context, f func(context.Context, *pub.Message)) error
}

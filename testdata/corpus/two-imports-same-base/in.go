package bridge

import (
	"context"

	pclient "github.com/resgen-go/resgen/testdata/corpus/two-imports-same-base/people/client"
	rclient "github.com/resgen-go/resgen/testdata/corpus/two-imports-same-base/rpc/client"
)

// Bridge joins two clients.
type Bridge interface {
	//resilience:breaker b
	ByID(ctx context.Context, in *pclient.Person, opts ...rclient.CallOption) (*pclient.Person, error)
}

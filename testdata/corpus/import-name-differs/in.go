package enforcer

import (
	"context"

	"github.com/resgen-go/resgen/testdata/corpus/import-name-differs/iam/v1"
)

// Enforcer checks requests.
type Enforcer interface {
	//resilience:breaker b
	Enforce(ctx context.Context, req *iamv1.Request) ([]string, error)
}

package cutoff

import "context"

// inTest is of a test, which may do as it likes.
//
//resilience:timeout inTest
type inTest interface {
	Watch(ctx context.Context) (<-chan string, error)
}

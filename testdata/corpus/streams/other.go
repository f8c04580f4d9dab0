package streams

import "context"

// Store2 is in a file of its own.
//
//resilience:bulkhead store
type Store2 interface {
	//resilience:stream
	StreamOpen(ctx context.Context) (Rows, error)
}

//resilience:bulkhead store
type store2Stream interface {
	//resilience:stream
	Open(ctx context.Context) (Rows, error)
}

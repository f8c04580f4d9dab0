// Package in has methods whose context cannot be replaced.
package in

import "context"

type Stream interface {
	Context() context.Context
	WithContext(ctx context.Context) any
}

type Chat interface {
	//resilience:timeout
	Talk(stream Stream) error

	//resilience:anticipate preload=a:1
	Listen(stream Stream) error

	//resilience:probe
	Check(stream Stream) error
}

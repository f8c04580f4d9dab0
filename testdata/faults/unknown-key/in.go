// Package in has keys that are unknown or repeated.
package in

import "context"

type Store interface {
	//resilience:breaker store clasify=f
	Get() error

	//resilience:anticipate check=a check=b
	Put(ctx context.Context) error
}

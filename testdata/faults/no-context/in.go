// Package in has directives that need a context on methods without one.
package in

import "context"

type Context struct{}

type Store interface {
	//resilience:timeout store
	Get(key string) error

	//resilience:anticipate preload=store:2
	Checkout(cart Context, more ...context.Context) error
}

// want package:`.*`

// Package shop declares what package tickets implements.
package shop

import "context"

// Shop is what the front-end serves.
type Shop interface {
	//resilience:anticipate preload=inventory:2 lease=payments:1
	Checkout(ctx context.Context) error

	Open(ctx context.Context) error
}

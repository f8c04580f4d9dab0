// Package in has counts of permits that are none.
package in

import "context"

type Store interface {
	//resilience:anticipate preload=a:0
	Zero(ctx context.Context) error

	//resilience:anticipate preload=a:-1
	Negative(ctx context.Context) error

	//resilience:anticipate lease=a:many
	Many(ctx context.Context) error
}

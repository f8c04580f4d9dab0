// Package in reserves by what is no number.
package in

import "context"

type Shop interface {
	//resilience:anticipate preload=stock:len(item)
	A(ctx context.Context, items []string) error

	//resilience:anticipate preload=stock:items
	B(ctx context.Context, items []string) error

	//resilience:anticipate preload=stock:len(n)
	C(ctx context.Context, n int) error

	//resilience:anticipate preload=stock:picks
	D(ctx context.Context, items []string) error

	//resilience:anticipate preload=stock:nobody
	E(ctx context.Context, items []string) error

	//resilience:anticipate check=stock:len(items)
	F(ctx context.Context, items []string) error

	//resilience:anticipate preload=stock:len(_)
	G(ctx context.Context, _ []string) error

	//resilience:anticipate preload=stock:item
	H(ctx context.Context, items []string) error

	//resilience:anticipate preload=stock:len(items)+1
	I(ctx context.Context, items []string) error
}

func picks(items []string) int { return len(items) }

// want package:`\[{ResilientShop Shop \[{Close  true false \[{inventory 1}\] \[\]  \[\]  \[\]} {Pick  true false \[{inventory 1}\] \[\]  \[\]  \[\]}\]} {Shop Shop .*}\]`

// Package edited has wrappers that were changed by hand.
package edited

import "context"

// Shop has no directives, which would have its file written anew.
type Shop interface {
	Pick(ctx context.Context) error
	Pack(ctx context.Context) error
	Close() error // has no context to carry anything
}

type shop struct{}

var _ Shop = shop{}

func (shop) Pick(ctx context.Context) error { return nil }

func (shop) Pack(ctx context.Context) error { return nil }

func (shop) Close() error { return nil }

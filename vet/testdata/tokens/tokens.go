// want package:`\[{Maps Maps \[{Find  false false \[\] \[\] maps \[\]  \[\]}\]} .*{Trips Trips \[{Plan  true false \[\] \[\]  \[{maps 2}\]  \[\]} {Stay  true false \[\] \[\]  \[{maps 0}\]  \[\]} {Tour  true false \[\] \[\]  \[{maps 3}\]  \[\]}\]}\]`

// Package tokens has entries that make more calls than they take tokens for.
package tokens

import "context"

// Maps is the client of a provider that bills by the call.
//
//resilience:ratelimit maps
type Maps interface {
	Find(ctx context.Context, place string) error
}

// Trips is what travellers ask for.
type Trips interface {
	//resilience:anticipate rate=maps:2
	Plan(ctx context.Context) error

	//resilience:anticipate rate=maps:n
	Stay(ctx context.Context, n int) error

	//resilience:anticipate rate=maps:3
	Tour(ctx context.Context) error
}

type trips struct{ maps Maps }

var _ Trips = trips{}

func (t trips) Plan(ctx context.Context) error {
	for range 2 {
		if err := t.maps.Find(ctx, "here"); err != nil {
			return err
		}
	}
	return t.maps.Find(ctx, "there") // want `3 calls on rate limit maps on this path, but Trips.Plan takes 2 of its tokens: write rate=maps:3`
}

// Stay takes as many tokens as only the call knows.
func (t trips) Stay(ctx context.Context, n int) error { return t.maps.Find(ctx, "here") }

func (t trips) Tour(ctx context.Context) error {
	for _, place := range []string{"here", "there"} {
		if err := t.maps.Find(ctx, place); err != nil {
			return err
		}
	}
	return t.maps.Find(ctx, "home")
}

// Wire makes the wrappers.
func wire() (any, any) {
	maps, _ := NewResilientMaps(nil, nil)
	trips, _ := NewResilientTrips(trips{maps}, nil)
	return maps, trips
}

var _ = wire

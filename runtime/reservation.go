package resilience

import (
	"context"

	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/ratelimit"
)

// Reservation is what an anticipated entry method holds. Its context carries it
// to the calls under it by itself; the handle is for code whose context is not
// derived from the entry's, such as a worker pool with a context of its own.
type Reservation struct {
	permits *bulkhead.Reservation
	tokens  *ratelimit.Reservation
	body    *body
}

// ReservationFrom returns the reservation that ctx carries; false where there is
// none or its entry has returned.
func ReservationFrom(ctx context.Context) (Reservation, bool) {
	if ctx == nil {
		return Reservation{}, false
	}
	r := Reservation{bulkhead.From(ctx), ratelimit.From(ctx), bodyFrom(ctx)}
	return r, r != Reservation{}
}

// Attach returns ctx with the reservation, so that calls made with it use its
// tokens, permits and trials. Once the entry has returned they take theirs from the pool,
// as calls without a reservation do.
func (r Reservation) Attach(ctx context.Context) context.Context {
	return r.body.attach(r.tokens.Attach(r.permits.Attach(ctx)))
}

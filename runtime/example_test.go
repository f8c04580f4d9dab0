package resilience_test

import (
	"context"
	"errors"
	"fmt"

	resilience "github.com/resgen-go/resgen/runtime"
)

// A worker pool has contexts of its own, which are not derived from that of the
// entry method. The handle takes the entry's reservation there.
func ExampleReservationFrom() {
	registry, err := resilience.New(
		resilience.Settings("resilience.json", []byte(`{"bulkheads": {"stock": {"maxConcurrentCalls": 1}}}`)),
		resilience.Logger(nil),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer registry.Close()
	wiring := newWiring(registry, "Shop") // as generated constructors do
	checkout := wiring.Guard("Checkout", resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "stock", N: 1}}})
	pick := wiring.Guard("Pick", resilience.Guards{Bulkhead: "stock"})

	ofWorker := context.Background()
	asGenerated(context.Background(), checkout, func(ctx context.Context) error {
		err := asGenerated(ofWorker, pick, func(context.Context) error { return nil })
		fmt.Println("without the handle: full is", errors.Is(err, resilience.ErrFull))

		reservation, _ := resilience.ReservationFrom(ctx)
		err = asGenerated(reservation.Attach(ofWorker), pick, func(context.Context) error { return nil })
		fmt.Println("with the handle:", err)
		return nil
	})
	// Output:
	// without the handle: full is true
	// with the handle: <nil>
}

// asGenerated is the body of a generated method.
func asGenerated(ctx context.Context, guard *resilience.Guard, next func(context.Context) error) error {
	var call resilience.Call
	defer call.Release()
	if err := call.Begin(ctx, guard); err != nil {
		return err
	}
	return call.Finish(next(call.Context()))
}

// Transitions are logged by themselves; an observer hears of everything else.
func ExampleObserve() {
	observer := resilience.ObserverFunc(func(e resilience.Event) {
		switch e := e.(type) {
		case resilience.Transition:
			fmt.Printf("%s: %v → %v, %s by %s\n", e.Breaker, e.From, e.To, e.Reason, e.By)
		case resilience.UnknownName:
			fmt.Printf("no settings for %s, nearest is %s\n", e.Name, e.Nearest)
		}
	})
	registry, err := resilience.New(
		resilience.Settings("resilience.json", []byte(`{"breakers": {"payments": {}, "stock": {}}}`)),
		resilience.Observe(observer),
		resilience.Logger(nil),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	newWiring(registry, "Client").Guard("Do", resilience.Guards{Breaker: "paymnets"})
	payments, err := registry.Breaker("payments")
	if err != nil {
		fmt.Println(err)
		return
	}
	payments.ForceOpen("alice")
	registry.Close() // delivers what waits
	// Output:
	// no settings for paymnets, nearest is payments
	// payments: CLOSED → FORCED_OPEN, forced open by alice
}

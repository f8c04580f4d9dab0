// Package resilience guards the calls of a service to its dependencies: with
// circuit breakers, bulkheads with reservations, check-only gates and timeouts.
//
// A service makes one [Registry] and gives it to the constructors of the wrappers
// that resgen generates:
//
//	registry, err := resilience.New(resilience.Watch("resilience.json"))
//	...
//	defer registry.Close()
//	payments, err := NewResilientPayments(client, registry)
//
// Errors of guards match [ErrOpen], [ErrFull] and the like; a [*RefusalError] says
// more. [Observe] and [Logger] say who hears of events, [Registry.Snapshot] shows
// the present state, and [Registry.Breaker] controls a breaker by hand. Package
// settingsfile is for tools that look at settings files.
//
// # What generated code calls
//
// [Wire], [Wiring], [Guards], [Permits], [Guard] and [Call] are for generated code.
// A constructor wires one guard for each method, and the method makes a call:
// [Call.Begin] asks the gate (would the breaker admit the call?), takes a permit of
// the bulkhead, takes the breaker's permit and derives a context with the timeout,
// in this order. Then the wrapper calls the client, and [Call.Finish] judges the
// outcome, records it in the breaker and gives everything back. If a guard refuses,
// Begin gives back what it took and returns a [*RefusalError].
//
// The guard of an anticipated entry method asks the gates of all breakers that it
// will need and reserves permits for the calls under it; its context carries the
// reservation.
//
// # Where to look
//
// The path of a call is in call.go, the wiring of guards in wiring.go, and what a
// registry makes of the names in settings in section.go. Packages below internal
// decide when a breaker opens, queue at bulkheads, read settings files and notice
// their changes.
package resilience

// Package named chooses the names of its wrappers.
package named

// Server would be wrapped by ResilientServer, which there is.
//
//resilience:wrapper GuardedServer
//resilience:breaker server
type Server interface {
	Serve() error
}

// ResilientServer is written by hand.
type ResilientServer struct{}

// Client has an exported interface and an unexported wrapper.
//
//resilience:wrapper client
//resilience:breaker client
type Client interface {
	Call() error
}

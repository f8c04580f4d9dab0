// Package lib shows what is in its internal packages by aliases.
package lib

import "github.com/resgen-go/resgen/testdata/scenarios/reexported/lib/internal/wire"

// Client is the client.
type Client = wire.Client

// Letter and With are the types of its methods.
type (
	Letter = wire.Message
	With   = wire.Option
)

type token struct{}

// Token shows token.
type Token = token

// Opener has an unexported type in its method.
type Opener interface {
	Open(t *token) error
}

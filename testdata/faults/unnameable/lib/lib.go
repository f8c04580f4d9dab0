// Package lib has an interface with types that are its own.
package lib

import "github.com/resgen-go/resgen/testdata/faults/unnameable/lib/internal/secret"

type verb string

// Client mentions types that other packages cannot.
type Client interface {
	Call(v verb) error
	Send(m secret.Message) error
	Pass(options struct{ limit int }) error
	Bind(to interface{ bind() }) error
	Embed(s struct{ secret.Letter }, p *struct{ *secret.Text }) error
}

// Mail gives secret.Letter another name, which a struct that embeds it cannot have.
type Mail = secret.Letter

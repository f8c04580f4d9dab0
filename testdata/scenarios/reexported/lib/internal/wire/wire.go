// Package wire is what lib is made of.
package wire

import "context"

// Client is exported by lib under its own name.
type Client interface {
	Send(ctx context.Context, m Message, options ...Option) (Receipt, error)
	Close() error
}

// Message, Option and Receipt have other names in lib.
type (
	Message struct{ Text string }
	Option  func(*Message)
	Receipt = *Message
)

// Package secret is internal.
package secret

// Message is secret.
type Message struct{}

// Letter and Text are embedded.
type (
	Letter struct{}
	Text   = string
)

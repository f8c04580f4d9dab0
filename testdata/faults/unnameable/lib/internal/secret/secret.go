// Package secret is internal.
package secret

// Message is secret.
type Message struct{}

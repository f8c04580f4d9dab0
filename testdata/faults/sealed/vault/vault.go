// Package vault has an interface that is its own.
package vault

// Vault is sealed.
type Vault interface{ seal() }

// Package vault has an interface that only it can implement.
package vault

// Vault is sealed.
type Vault interface{ seal() }

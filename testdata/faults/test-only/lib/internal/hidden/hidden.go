// Package hidden has a type.
package hidden

type Letter struct{}

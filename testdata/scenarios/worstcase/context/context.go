// Package context has a Context that is none.
package context

// Context is a canvas.
type Context struct{}

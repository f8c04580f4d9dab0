// Package unit has a size.
package unit

// Size is a size.
const Size = 32 << (^uint(0) >> 63)

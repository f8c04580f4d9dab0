// Package native names what is C's.
package native

// #define SIZE 8
// typedef struct depth depth;
import "C"

// Size comes from C.
const Size = C.SIZE

type (
	Depth  = C.depth
	Handle = *C.depth
	Base   interface {
		Dive(to *C.depth, all ...C.depth) error
	}
)

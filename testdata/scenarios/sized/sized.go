// Package sized has arrays whose lengths are not the same everywhere.
package sized

import (
	"unsafe"

	. "github.com/resgen-go/resgen/testdata/scenarios/sized/unit"
	chunk "github.com/resgen-go/resgen/testdata/scenarios/sized/unit"
)

const word = unsafe.Sizeof(uintptr(0))

// Disk reads and writes.
//
//resilience:breaker disk
type Disk interface {
	Read(block [word]byte, page *[chunk.Size]byte) ([1 << 3][2 * (word + Size)]byte, error)
	Write(a [word]byte, b [depth]byte, c, d [Size]byte) error
	Seek(offset [len(unit)]byte) error
	Sum(of [unsafe.Sizeof(uintptr(0))]byte, to [min(depth, 1<<Size-1)]byte) error
}

var unit [2 * 2]byte

package device

import "github.com/resgen-go/resgen/testdata/corpus/cgo-named-types/native"

type buffer [2 * native.Size]byte

// plain does not import C.
type plain interface {
	//resilience:breaker b
	Fill(b *buffer, d *native.Depth) error
	Read() [native.Size]byte
}

var _ plain

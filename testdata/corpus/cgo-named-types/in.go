package device

// #define SIZE 16
// #define NAME "device"
// typedef int num;
// typedef struct { num x; } pt;
// static num one(void) { return 1; }
import "C"

import "github.com/resgen-go/resgen/testdata/corpus/cgo-named-types/native"

type (
	point       = C.pt
	box         = list[C.num]
	list[T any] struct{ items []T }
	kind        C.num
	count       = C.num
	page        [size]byte
	sheet       [native.Size]byte
)

const (
	size int  = C.SIZE
	name      = "a " + C.NAME
	odd  kind = 1
)

var (
	table           = [...]int{native.Size: 3}
	first           = kind(1)
	second     kind = 2
	third, err      = C.one()
	origin          = point{x: 1}
	boxed           = box{items: []C.num{1}}
)

// device talks to C.
type device interface {
	//resilience:breaker b
	Draw(p *point, b box, k kind, n C.num) (page, error)
	//resilience:breaker b
	Print(p sheet, h native.Handle, d *native.Depth) error
	//resilience:breaker b
	Mix(from [size + 1]byte, to [size]byte) error
	//resilience:breaker b
	Copy(from [size]byte, to, back *[2 * native.Size]point) ([native.Size][4]kind, error)
	native.Base
}

var _ device

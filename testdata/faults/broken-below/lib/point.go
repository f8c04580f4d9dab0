package lib

import "unsafe"

type Pointing interface {
	Point(at struct{ unsafe.Pointer }) error
}

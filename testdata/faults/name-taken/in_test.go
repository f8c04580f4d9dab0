package in

import (
	. "strings"
	ResilientDoor "testing"

	. "github.com/resgen-go/resgen/testdata/faults/name-taken/tested"
)

type ResilientBank struct{}

func (*SafeChair) Sit() error { return nil }

var (
	_ ResilientDoor.TB = Key
	_ Builder
)

func (ResilientBank) NewResilientFree() {}

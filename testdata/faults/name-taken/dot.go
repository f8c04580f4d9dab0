package in

import . "github.com/resgen-go/resgen/testdata/faults/name-taken/other"

var _ Thing

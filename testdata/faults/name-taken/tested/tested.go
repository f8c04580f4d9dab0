// Package tested exports names that wrappers would have, to tests.
package tested

import "testing"

var Key testing.TB

type ResilientWindow struct{}

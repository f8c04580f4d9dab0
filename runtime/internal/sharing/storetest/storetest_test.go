package storetest

import "testing"

func TestMemoryIsAStore(t *testing.T) { Run(t, func(*testing.T) Place { return NewMemory() }) }

package main_test

import program "github.com/resgen-go/resgen/testdata/corpus/main-of-a-test"

// User uses what the program has.
type User interface {
	//resilience:breaker b
	Use(thing program.Thing) error
}

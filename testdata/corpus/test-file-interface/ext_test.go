package tests_test

import "github.com/resgen-go/resgen/testdata/corpus/test-file-interface"

// External exists in the external test package only.
type External interface {
	//resilience:breaker b
	Do(v tests.Value) error
}

var _ External

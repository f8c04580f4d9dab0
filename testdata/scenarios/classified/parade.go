package classified

import _ "github.com/resgen-go/resgen/testdata/scenarios/classified/outcome"

// Parade names a function of a package that only its directive mentions.
//
//resilience:breaker parade classify=outcome.Of
type Parade interface {
	March() error
}

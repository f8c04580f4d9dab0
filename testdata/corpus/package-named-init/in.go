package boot

import "github.com/resgen-go/resgen/testdata/corpus/package-named-init/mid"

// Booter boots.
type Booter interface {
	mid.Base
	//resilience:breaker b
	Stop(init int) (n int, err error)
}

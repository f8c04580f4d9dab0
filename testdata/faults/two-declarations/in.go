// Package in has one method with different directives in two interfaces, and an
// interface that embeds both.
package in

import resilience "github.com/resgen-go/resgen/runtime"

type reader interface {
	//resilience:breaker a
	Close() error
}

type writer interface {
	//resilience:breaker b
	Close() error
}

//resilience:bulkhead c
type Both interface {
	reader
	writer
}

// They differ in the classify function alone, or in one that is missing.
type judged interface {
	//resilience:breaker b classify=one
	Do() error
}

type judgedOtherwise interface {
	//resilience:breaker b classify=two
	Do() error
}

type plain interface {
	//resilience:breaker b
	Do() error
}

func one(error) resilience.Outcome { return resilience.Ignored }

func two(error) resilience.Outcome { return resilience.Ignored }

//resilience:bulkhead c
type Judged interface {
	judged
	judgedOtherwise
}

//resilience:bulkhead d
type Plain interface {
	plain
	judged
}

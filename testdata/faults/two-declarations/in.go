// Package in has one method with different directives in two interfaces, and an
// interface that embeds both.
package in

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

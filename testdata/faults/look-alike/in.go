// Package in has comments that look like directives.
package in

type Store interface { //resilience:breaker a
	// resilience:breaker a
	Space() error

	//resilience: breaker a
	Blank() error

	//Resilience:breaker a
	Capital() error

	/* resilience:breaker a */
	Block() error

	Behind() error //resilience:breaker a

	//resilience:breaker a

	CutOff() error

	//resilience:breaker a
}

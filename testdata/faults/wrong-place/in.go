// Package in has directives on what is no interface.
package in

//resilience:breaker store
type Store struct {
	//resilience:breaker store
	name string
}

//resilience:breaker store
func (s Store) Get() string { return s.name }

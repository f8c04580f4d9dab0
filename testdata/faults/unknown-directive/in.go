// Package in has a misspelt directive.
package in

type Store interface {
	//resilience:braeker store
	Get() error
}

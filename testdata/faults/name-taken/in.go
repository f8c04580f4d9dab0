// Package in has the names already that its wrappers would have.
package in

import client "errors"

//resilience:breaker store
type Store interface{ Get() error }

func NewResilientStore() error { return client.New("taken") }

//resilience:breaker cache
//resilience:wrapper Shared
type Cache interface{ Get() error }

//resilience:breaker queue
//resilience:wrapper Shared
type Queue interface{ Get() error }

//resilience:breaker mail
//resilience:wrapper client
type Mail interface{ Get() error }

//resilience:breaker bank
type Bank interface{ Get() error }

//resilience:breaker post
type Post interface{ Get() error }

//resilience:breaker free
type Free interface{ Get() error }

//resilience:breaker desk
type Desk interface{ Get() error }

//resilience:breaker lamp
type Lamp interface{ Get() error }

//resilience:breaker chair
//resilience:wrapper SafeChair
type Chair interface {
	Get() error
	Sit() error
}

func (s *SafeChair) Get() error { return s.Sit() }

//resilience:breaker door
type Door interface{ Get() error }

//resilience:breaker window
type Window interface{ Get() error }

//resilience:breaker reader
//resilience:wrapper Reader
type Text interface{ Get() error }

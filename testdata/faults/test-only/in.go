// Package in has names that only its tests know.
package in

import "github.com/resgen-go/resgen/testdata/faults/test-only/lib"

//resilience:breaker shop classify=judge
type Shop interface{ Get() error }

//resilience:breaker mail
type Mail interface{ lib.Mailer }

//resilience:breaker post classify=resilience.Judge
type Post interface{ Get() error }

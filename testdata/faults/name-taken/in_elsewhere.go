//go:build !plan9

package in

//resilience:breaker lane
//resilience:wrapper SafeLane
type Lane interface{ Get() error }

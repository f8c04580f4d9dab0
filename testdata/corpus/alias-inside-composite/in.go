package starter

import "github.com/resgen-go/resgen/testdata/corpus/alias-inside-composite/kit"

// Starter starts things.
type Starter interface {
	//resilience:breaker b
	Start(thing *kit.Thing, all []kit.Thing, by map[kit.Key]*kit.Thing, f func(...kit.Thing) kit.Key) (<-chan kit.Thing, error)
}

package router

import "github.com/resgen-go/resgen/testdata/corpus/dependency-build-tags/dep"

// Router routes.
type Router interface {
	//resilience:breaker b
	Route(k dep.Key) (dep.Value, error)
}

package objects

import "github.com/resgen-go/resgen/testdata/corpus/version-suffix/storage/v1"

// Objects lists buckets.
type Objects interface {
	//resilience:breaker b
	Buckets(project string) (*storage.Buckets, error)
}

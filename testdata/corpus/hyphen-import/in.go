package poller

import "github.com/resgen-go/resgen/testdata/corpus/hyphen-import/go-spool"

// Poller polls.
type Poller interface {
	//resilience:breaker b
	Poll(max int) ([]spool.Item, error)
}

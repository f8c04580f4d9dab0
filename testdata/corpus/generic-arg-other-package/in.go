package shop

import "github.com/resgen-go/resgen/testdata/corpus/generic-arg-other-package/list"

// Shop sells.
type Shop interface {
	//resilience:breaker b
	Items(q list.Query[Item]) (list.List[Item], error)
}

// Item is sold.
type Item struct{ SKU string }

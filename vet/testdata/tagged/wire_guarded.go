//go:build guarded

package tagged

import resilience "github.com/resgen-go/resgen/runtime"

func wire(registry *resilience.Registry) (shop, error) {
	payments, err := NewResilientPayments(client{}, registry)
	return shop{payments}, err
}

package answers // want package:`.*`

import "context"

//resilience:breaker
type Prices interface {
	//resilience:fallback with=lastPrice
	Price(ctx context.Context, sku string) (int, error)

	//resilience:fallback with=fromPrice
	List(ctx context.Context, sku string) (int, error)

	//resilience:fallback with=otherwise
	Offer(ctx context.Context, sku string) (int, error)

	//resilience:fallback with=Price
	Old(ctx context.Context, sku string) (int, error)
}

// Cache returns no errors.
//
//resilience:breaker cache
type Cache[K comparable] interface {
	//resilience:fallback with=size
	Size(key K) int
}

var (
	guarded *ResilientPrices
	spare   Prices
	cached  *ResilientCache[string]
)

// lastPrice asks again in vain.
func lastPrice(ctx context.Context, sku string, err error) (int, error) {
	if sku == "" {
		return 0, err
	}
	return guarded.Price(ctx, sku) // want `lastPrice answers where this call fails, and makes it again, without end`
}

// fromPrice asks for something else.
func fromPrice(ctx context.Context, sku string) (int, error) { return guarded.Price(ctx, sku) }

// otherwise asks somebody else, perhaps.
func otherwise(ctx context.Context, sku string) (int, error) { return spare.Offer(ctx, sku) }

func size[K comparable](key K, _ error) int {
	return cached.Size("") // want `size answers where this call fails`
}

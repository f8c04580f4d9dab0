package ledger

import "github.com/resgen-go/resgen/testdata/corpus/param-shadows-import/money"

// Ledger books amounts.
type Ledger interface {
	// Post books one amount and returns the balance.
	//
	//resilience:breaker b
	Post(money money.Amount) (money.Amount, error)
}

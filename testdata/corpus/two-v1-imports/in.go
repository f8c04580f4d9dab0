package admin

import (
	accountsv1 "github.com/resgen-go/resgen/testdata/corpus/two-v1-imports/accounts/v1"
	clustersv1 "github.com/resgen-go/resgen/testdata/corpus/two-v1-imports/clusters/v1"
)

// Admin manages clusters of accounts.
type Admin interface {
	//resilience:breaker b
	Assign(a accountsv1.ID, c clustersv1.ID) (clustersv1.State, error)
}

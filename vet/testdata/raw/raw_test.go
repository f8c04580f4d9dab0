package raw

import "context"

func chargeInTest() error {
	var payments Payments = client{}
	return payments.Charge(context.Background(), 1)
}

func guardedInTest() *shop { return newShop(&ResilientPayments{}) }

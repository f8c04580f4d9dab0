// Package spare answers in place of what fails.
package spare

import "context"

// Context is an alias of another context.
type Context = context.Context

// Sum adds its arguments, and counts the error as one.
func Sum(_, _ Context, ns []int, err error) (sum int, failure error) {
	for _, n := range ns {
		sum += n
	}
	if err != nil {
		sum++
	}
	return sum, nil
}

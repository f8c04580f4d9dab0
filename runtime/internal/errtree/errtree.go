// Package errtree looks into errors that are made of several.
package errtree

import (
	"errors"
	"iter"
)

// Joined are the errors that err joins, also those of libraries that are older
// than errors.Join: go-multierror, multierr.
func Joined(err error) []error {
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	case interface{ WrappedErrors() []error }:
		return e.WrappedErrors()
	case interface{ Errors() []error }:
		return e.Errors()
	}
	return nil
}

// Chains are the ways from err down to each error that it is made of: what wraps
// one stands before it. A chain begins where errors are joined.
func Chains(err error) iter.Seq[[]error] {
	return func(yield func([]error) bool) { chains(err, yield) }
}

func chains(err error, yield func([]error) bool) bool {
	var chain []error
	for ; err != nil; err = errors.Unwrap(err) {
		if all := Joined(err); len(all) > 0 {
			for _, one := range all {
				if !chains(one, yield) {
					return false
				}
			}
			return true
		}
		chain = append(chain, err)
	}
	return len(chain) == 0 || yield(chain)
}

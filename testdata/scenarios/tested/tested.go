// Package tested has interfaces in its test files.
package tested

// Value is used by the tests.
type Value int

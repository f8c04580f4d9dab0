// Package words writes numbers of things as people do.
package words

import "fmt"

// Count is a number of things, such as "1 call" and "2 calls".
func Count[N ~int | ~uint64](n N, noun string) string { return fmt.Sprint(n, " ", Plural(noun, n)) }

// Plural is the noun as it stands behind n.
func Plural[N ~int | ~uint64](noun string, n N) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

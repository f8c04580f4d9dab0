// Package words writes numbers and durations as people do.
package words

import (
	"fmt"
	"strings"
	"time"
)

// Count is a number of things, such as "1 call" and "2 calls".
func Count[N ~int | ~uint64](n N, noun string) string { return fmt.Sprint(n, " ", Plural(noun, n)) }

// Plural is the noun as it stands behind n.
func Plural[N ~int | ~uint64](noun string, n N) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// Duration is d without the smaller units that are zero, such as "1m" and "2h".
func Duration(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-len("0s")]
		}
	}
	return text
}

// Package nearest finds the valid name that somebody most likely meant when
// they wrote a wrong one. It owns the measure of likeness and where it ends;
// how a suggestion is worded is left to the caller.
package nearest

import (
	"strings"

	"github.com/resgen-go/resgen/internal/glyph"
)

// Name returns the element of valid that is nearest to got, and false if none
// is near enough to be worth suggesting. Case does not count, nor does a letter
// of another alphabet that looks like the right one. Among equally
// near names the first of valid wins, so the answer is the same on every run.
//
// The measure is the number of letters that were added, left out, replaced or
// swapped with their neighbour. One such slip in every three letters of the
// longer name is near enough, and one in a name of two.
func Name(got string, valid []string) (string, bool) {
	wrote := []rune(strings.ToLower(glyph.Plain(got)))
	best, least, found := "", 0, false
	for _, name := range valid {
		meant := []rune(strings.ToLower(name))
		d := distance(wrote, meant)
		if d <= slips(max(len(wrote), len(meant))) && (!found || d < least) {
			best, least, found = name, d, true
		}
	}
	return best, found
}

// slips is how many slips a name of n letters may hold and still be recognized.
// A name of one letter has nothing to be recognized by.
func slips(n int) int {
	if n < 2 {
		return 0
	}
	return max(1, n/3)
}

// distance is the optimal string alignment distance: Levenshtein's, where two
// neighbouring letters that changed places count as one slip.
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, replaced)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

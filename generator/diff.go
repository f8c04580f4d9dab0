package generator

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// around is how many unchanged lines stand around a change.
const around = 3

// Diff shows how the outputs that are not as they should be would change, as
// unified diffs.
func (r Result) Diff(w io.Writer) error {
	for _, output := range r.Outdated() {
		if _, err := io.WriteString(w, output.diff()); err != nil {
			return err
		}
	}
	return nil
}

func (o Output) diff() string {
	oldName, newName := o.Shown, o.Shown
	switch o.Status() {
	case Missing:
		oldName = "/dev/null"
	case Leftover:
		newName = "/dev/null"
	}
	return fmt.Sprintf("--- %s\n+++ %s\n", oldName, newName) + unified(splitLines(o.Have), splitLines(o.Want))
}

func splitLines(text []byte) []string { return slices.Collect(strings.Lines(string(text))) }

// edit is one line that stays (' '), goes ('-') or comes ('+').
type edit struct {
	sign byte
	line string
}

// unified shows the changes from a to b in hunks.
func unified(a, b []string) string {
	edits := edits(a, b)
	var out strings.Builder
	oldLine, newLine := 1, 1
	for i := 0; i < len(edits); {
		end := hunkEnd(edits, i)
		if end == i { // no change near
			i, oldLine, newLine = i+1, oldLine+1, newLine+1
			continue
		}
		hunk := edits[i:end]
		olds, news := count(hunk, '+'), count(hunk, '-')
		fmt.Fprintf(&out, "@@ -%s +%s @@\n", span(oldLine, olds), span(newLine, news))
		for _, e := range hunk {
			fmt.Fprintf(&out, "%c%s", e.sign, e.line)
			if !strings.HasSuffix(e.line, "\n") {
				out.WriteString("\n\\ No newline at end of file\n")
			}
		}
		i, oldLine, newLine = end, oldLine+olds, newLine+news
	}
	return out.String()
}

// hunkEnd is where the hunk ends that begins at i; i itself if none begins
// there because the next change is too far away.
func hunkEnd(edits []edit, i int) int {
	end, unchanged := i, 0
	for j := i; j < len(edits); j++ {
		if edits[j].sign != ' ' {
			end, unchanged = j+1, 0
			continue
		}
		unchanged++
		if end == i && unchanged > around || unchanged > 2*around {
			break
		}
	}
	if end == i {
		return i
	}
	return min(end+around, len(edits))
}

// count is the number of edits without those of one sign.
func count(edits []edit, without byte) int {
	n := 0
	for _, e := range edits {
		if e.sign != without {
			n++
		}
	}
	return n
}

func span(line, n int) string {
	if n == 0 {
		line-- // by convention, the line before
	}
	return fmt.Sprintf("%d,%d", line, n)
}

// edits turns a into b. Common lines at both ends stay; in between, those do
// that occur once in both, as many as come in the same order, and what is
// between two of them is treated in the same way. So memory grows with the
// number of lines, not its square, and what does not change stands out.
func edits(a, b []string) []edit {
	var head, tail []edit
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head = append(head, edit{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, edit{' ', a[len(a)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	slices.Reverse(tail)
	return slices.Concat(head, middle(a, b), tail)
}

func middle(a, b []string) []edit {
	matches := inOrder(common(a, b))
	if len(matches) == 0 {
		return append(all('-', a), all('+', b)...)
	}
	var list []edit
	var last match
	for _, next := range matches {
		list = append(list, edits(a[last.a:next.a], b[last.b:next.b])...)
		list = append(list, edit{' ', a[next.a]})
		last = match{next.a + 1, next.b + 1}
	}
	return append(list, edits(a[last.a:], b[last.b:])...)
}

func all(sign byte, lines []string) []edit {
	var list []edit
	for _, line := range lines {
		list = append(list, edit{sign, line})
	}
	return list
}

// match is where a line stands that occurs once in a and once in b.
type match struct{ a, b int }

// common are the matches in the order of a.
func common(a, b []string) []match {
	inA, inB := places(a), places(b)
	var matches []match
	for i, line := range a {
		if len(inA[line]) == 1 && len(inB[line]) == 1 {
			matches = append(matches, match{i, inB[line][0]})
		}
	}
	return matches
}

func places(lines []string) map[string][]int {
	places := make(map[string][]int, len(lines))
	for i, line := range lines {
		places[line] = append(places[line], i)
	}
	return places
}

// inOrder are as many of the matches as are in the order of b, too: a longest
// increasing subsequence.
func inOrder(matches []match) []match {
	var ends []int                      // at n, which match is the least to end a sequence of n+1
	before := make([]int, len(matches)) // which match comes before one in its sequence
	for i, next := range matches {
		n, _ := slices.BinarySearchFunc(ends, next.b, func(end, b int) int { return cmp.Compare(matches[end].b, b) })
		if n == len(ends) {
			ends = append(ends, i)
		}
		ends[n] = i
		if n > 0 {
			before[i] = ends[n-1]
		}
	}
	longest := make([]match, len(ends))
	for n := len(ends) - 1; n >= 0; n-- {
		longest[n] = matches[ends[n]]
		if n > 0 {
			ends[n-1] = before[ends[n]]
		}
	}
	return longest
}

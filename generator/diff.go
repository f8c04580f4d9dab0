package generator

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// context is how many unchanged lines stand around a change.
const context = 3

// Diff shows how the outputs that are not as they should be would change, as
// unified diffs.
func (r Result) Diff(w io.Writer) error {
	for _, file := range r.Outdated() {
		if _, err := io.WriteString(w, file.diff()); err != nil {
			return err
		}
	}
	return nil
}

func (f File) diff() string {
	oldName, newName := f.Shown, f.Shown
	switch f.Status() {
	case Missing:
		oldName = "/dev/null"
	case Leftover:
		newName = "/dev/null"
	}
	return fmt.Sprintf("--- %s\n+++ %s\n", oldName, newName) + unified(splitLines(f.Have), splitLines(f.Want))
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
// there, as the next change is too far away.
func hunkEnd(edits []edit, i int) int {
	end, unchanged := i, 0
	for j := i; j < len(edits); j++ {
		if edits[j].sign != ' ' {
			end, unchanged = j+1, 0
			continue
		}
		unchanged++
		if end == i && unchanged > context || unchanged > 2*context {
			break
		}
	}
	if end == i {
		return i
	}
	return min(end+context, len(edits))
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

// edits turns a into b. Common lines at both ends stay; in between, a longest
// common subsequence does.
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
	length := commonLengths(a, b)
	var edits []edit
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			edits = append(edits, edit{' ', a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && length[i+1][j] >= length[i][j+1]:
			edits = append(edits, edit{'-', a[i]})
			i++
		default:
			edits = append(edits, edit{'+', b[j]})
			j++
		}
	}
	return edits
}

// commonLengths has at [i][j] the length of the longest common subsequence of
// a[i:] and b[j:].
func commonLengths(a, b []string) [][]int {
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	return length
}

// Package column fits text into the columns of a terminal: into eighty, which
// every terminal has and most people keep.
package column

import (
	"strings"
	"unicode/utf8"
)

// Width is how many columns a line has.
const Width = 80

// Wrap breaks text between words, but not between a number and its unit or where
// Together was used, into lines of at most Width columns. The first line keeps its spaces; the others
// begin with the indent. A word that is longer has a line of its own.
func Wrap(text, indent string) string {
	var out strings.Builder
	at := 0 // columns of the line so far
	for i, word := range strings.Split(together.Replace(text), " ") {
		wide := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+wide > Width:
			out.WriteString("\n" + indent)
			at = utf8.RuneCountInString(indent)
		default:
			out.WriteByte(' ')
			at++
		}
		out.WriteString(word)
		at += wide
	}
	return apart.Replace(out.String())
}

// Lines wraps each line of a text that is too long, and lets it go on where it
// begins.
func Lines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		words := strings.TrimLeft(line, " \t")
		indent := expanded(line[:len(line)-len(words)])
		if utf8.RuneCountInString(indent+words) > Width {
			lines[i] = Wrap(indent+words, indent)
		}
	}
	return strings.Join(lines, "\n")
}

// expanded is an indentation without tabs.
func expanded(indent string) string {
	const tab = 8
	at := 0
	for _, r := range indent {
		at++
		if r == '\t' {
			at = (at + tab - 1) / tab * tab
		}
	}
	return strings.Repeat(" ", at)
}

// Together keeps Wrap from breaking a text.
func Together(text string) string { return strings.ReplaceAll(text, " ", "\u00a0") }

var (
	together = strings.NewReplacer(" %", "\u00a0%", " ms", "\u00a0ms", " s,", "\u00a0s,")
	apart    = strings.NewReplacer("\u00a0", " ")
)

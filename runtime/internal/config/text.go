package config

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"
)

// text is the content of a file, with the places of its lines.
type text struct {
	data   []byte
	lines  []int // offset of each line
	starts []int // how many characters begin before each block
}

// block is the number of bytes between two places whose number of characters is
// known, so that a place in a long line is found quickly.
const block = 1024

// syntaxError is a fault of syntax whose line and column are not known yet.
type syntaxError struct {
	at      int // offset
	message string
}

var bom = []byte("\xEF\xBB\xBF")

// newText strips the byte order mark that some editors write, and refuses data that
// is no UTF-8 text.
func newText(data []byte) (*text, *syntaxError) {
	if len(data) > MaxSize {
		return &text{lines: []int{0}}, &syntaxError{0, fmt.Sprintf("the file is larger than %d MiB", MaxSize>>20)}
	}
	data = bytes.TrimPrefix(data, bom)
	t := &text{data: data, lines: []int{0}}
	characters := 0
	for i, b := range data {
		if i%block == 0 {
			t.starts = append(t.starts, characters)
		}
		if utf8.RuneStart(b) {
			characters++
		}
		if b == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	return t, t.check()
}

func (t *text) check() *syntaxError {
	if isWide(t.data) {
		return &syntaxError{0, "the file is UTF-16 or UTF-32; save it as UTF-8"}
	}
	if nul := bytes.IndexByte(t.data, 0); nul >= 0 {
		return &syntaxError{nul, "found a NUL byte; this is no text file"}
	}
	for i := 0; i < len(t.data); {
		r, n := utf8.DecodeRune(t.data[i:])
		if r == utf8.RuneError && n == 1 {
			return &syntaxError{i, fmt.Sprintf("byte 0x%02x is not UTF-8; save the file as UTF-8", t.data[i])}
		}
		i += n
	}
	return nil
}

// isWide reports whether a file begins as those whose characters have two or
// four bytes: with a mark, or with a NUL byte in half of a character.
func isWide(data []byte) bool {
	if len(data) < 2 {
		return false
	}
	a, b := data[0], data[1]
	return a == 0xFF && b == 0xFE || a == 0xFE && b == 0xFF || (a == 0) != (b == 0)
}

// place is the line and column of an offset, both from 1.
func (t *text) place(offset int) (line, column int) {
	line, found := slices.BinarySearch(t.lines, offset)
	if found {
		line++
	}
	return line, 1 + t.characters(offset) - t.characters(t.lines[line-1])
}

// characters is how many characters begin before offset.
func (t *text) characters(offset int) int {
	if len(t.starts) == 0 {
		return 0
	}
	b := min(offset/block, len(t.starts)-1)
	n := t.starts[b]
	for _, c := range t.data[b*block : offset] {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}

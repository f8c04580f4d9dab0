package config

import (
	"bytes"
	"encoding/json"
	"fmt"
)

const tooDeep = "brackets nest too deeply here"

// unended has the fault of a token without an end, by its first byte.
var unended = map[byte]string{
	'"': "the text that begins here does not end on its line",
	'/': "the comment that begins here does not end",
}

// shape is the state of the syntax at some offset.
type shape struct {
	open    []int  // offsets of brackets that are not closed yet
	last    byte   // first byte of the last token
	section string // name of the last member at the top level
}

// misshapen finds brackets that don't match or nest too deeply, and texts and
// comments that do not end. The parser would find most of them at a later place,
// and its recursion would not survive the depth.
func (t *text) misshapen() *syntaxError {
	s, fault := t.shape(len(t.data))
	if fault == nil && len(s.open) > 0 {
		fault = &syntaxError{len(t.data), "found the end of the file, expected " + t.closing(s.open[len(s.open)-1])}
	}
	return fault
}

// inName reports whether the name of a member is expected at an offset.
func (t *text) inName(at int) bool {
	s, _ := t.shape(at)
	return s.isName(t)
}

// isName reports whether the next token is the name of a member.
func (s *shape) isName(t *text) bool {
	return len(s.open) > 0 && t.data[s.open[len(s.open)-1]] == '{' && (s.last == '{' || s.last == ',')
}

// shape goes over the tokens up to an offset.
func (t *text) shape(upto int) (s shape, fault *syntaxError) {
	for i := 0; i < upto && fault == nil; {
		c, end := t.data[i], i+1
		switch c {
		case ' ', '\t', '\r', '\n':
			i = end
			continue
		case '/':
			if end = commentEnd(t.data, i); end > i+1 {
				i = end
				continue
			}
		case '"':
			end = textEnd(t.data, i)
			if s.isName(t) && len(s.open) == 1 && end > 0 {
				_ = json.Unmarshal(t.data[i:end], &s.section)
			}
		default:
			fault = s.bracket(t, i)
		}
		if end < 0 {
			return s, &syntaxError{i, unended[c]}
		}
		s.last, i = c, end
	}
	return s, fault
}

// bracket opens or closes a bracket, if there is one at an offset.
func (s *shape) bracket(t *text, at int) *syntaxError {
	switch c := t.data[at]; c {
	case '{', '[':
		if s.open = append(s.open, at); len(s.open) > maxDepth {
			return &syntaxError{at, tooDeep}
		}
	case '}', ']':
		if len(s.open) == 0 {
			return nil
		}
		opened := s.open[len(s.open)-1]
		if t.data[opened]+2 != c {
			return &syntaxError{at, fmt.Sprintf("found '%c', expected %s", c, t.closing(opened))}
		}
		s.open = s.open[:len(s.open)-1]
	}
	return nil
}

// closing names the bracket that closes the one at an offset. In ASCII it is
// two further.
func (t *text) closing(opened int) string {
	line, column := t.place(opened)
	c := t.data[opened]
	return fmt.Sprintf("'%c' to close the '%c' at %d:%d", c+2, c, line, column)
}

// textEnd is the offset after the text in quotes that begins at an offset, and
// -1 if the line or the file ends first.
func textEnd(data []byte, at int) int {
	for i := at + 1; i < len(data) && data[i] != '\n'; i++ {
		switch data[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return -1
}

// commentEnd is the offset after the comment that begins at an offset, at+1 if
// none does, and -1 if it does not end.
func commentEnd(data []byte, at int) int {
	rest := data[at:]
	var end []byte
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		end = []byte("\n")
	case bytes.HasPrefix(rest, []byte("/*")):
		end = []byte("*/")
	default:
		return at + 1
	}
	i := bytes.Index(rest[2:], end)
	switch {
	case i >= 0:
		return at + 2 + i + len(end)
	case rest[1] == '/':
		return len(data)
	}
	return -1
}

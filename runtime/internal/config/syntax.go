package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// maxDepth is how deep brackets may nest. The format needs four levels; a
// parser that recurses needs a limit.
const maxDepth = 32

// maxOdd is the most values that are no JSON, because each costs another parse.
const maxOdd = 20

// smallest is an example of a file.
const smallest = `{"breakers": {}}`

// document is the tree of a text.
type document struct {
	*text
	root hujson.Value
	odd  map[int]bool // offsets of values that are no JSON, such as NaN or 007; the tree has a number in their place
}

// parse reads JSON with comments and trailing commas. Values that are no JSON are
// reported later, by code that knows which values are allowed there; any other
// fault of syntax ends the reading.
func parse(t *text) (*document, *syntaxError) {
	misshapen := t.misshapen()
	if misshapen != nil && misshapen.message == tooDeep {
		return nil, misshapen
	}
	d := &document{text: t, odd: map[int]bool{}}
	data := append(bytes.Clone(t.data), '\n') // ends a line comment at the very end
	for {
		root, err := hujson.Parse(data)
		if err == nil {
			d.root = root
			return d, nil
		}
		at, reason := t.where(err)
		if misshapen != nil && misshapen.at <= at {
			return nil, misshapen
		}
		if !t.oddValue(at, reason) || len(d.odd) == maxOdd {
			return nil, &syntaxError{at, t.complaint(at, reason)}
		}
		d.odd[at] = true
		end := literalEnd(data, at)
		copy(data[at:end], bytes.Repeat([]byte("1"), end-at))
	}
}

// where takes the offset out of an error of hujson, which has it in its text
// only.
func (t *text) where(err error) (at int, reason string) {
	place, reason, _ := strings.Cut(strings.TrimPrefix(err.Error(), "hujson: line "), ": ")
	lineText, columnText, _ := strings.Cut(place, ", column ")
	line, _ := strconv.Atoi(lineText)
	column, _ := strconv.Atoi(columnText)
	if line < 1 || column < 1 || line > len(t.lines) {
		return len(t.data), reason
	}
	return min(t.lines[line-1]+column-1, len(t.data)), reason
}

// oddValue reports whether there is a word or number where a value is expected.
func (t *text) oddValue(at int, reason string) bool {
	atStart := strings.HasPrefix(reason, "invalid literal") || strings.HasSuffix(reason, "at start of value")
	return atStart && literalEnd(t.data, at) > at && !t.inName(at)
}

var expectations = []struct{ where, expected string }{
	{"after object name", "':'"},
	{"after object value", "',' or '}'"},
	{"after array value", "',' or ']'"},
	{"after top-level value", "the end of the file"},
	{"in line comment", "the end of the line"},
}

// complaint says what was found at an offset and what was expected.
func (t *text) complaint(at int, reason string) string {
	if at < len(t.data) && t.data[at] == '"' && strings.HasPrefix(reason, "invalid literal") {
		return "bad text: " + badText(t.data[at:])
	}
	expected := "a value"
	switch before, _ := t.shape(at); {
	case before.last == 0:
		expected = "an object such as " + smallest
	case t.inName(at):
		expected = "a name in double quotes or '}'"
	}
	for _, e := range expectations {
		if strings.Contains(reason, e.where) {
			expected = e.expected
		}
	}
	return fmt.Sprintf("found %s, expected %s", t.found(at), expected)
}

// found describes the text at an offset. It shows a word only if that can't be a
// secret without quotes.
func (t *text) found(at int) string {
	end := literalEnd(t.data, at)
	switch s, _ := t.shape(at); {
	case end > at && s.shown(t):
		return shorten(string(t.data[at:end]))
	case end > at:
		return "a word or number"
	}
	if at == len(t.data) {
		return "the end of the file"
	}
	r, _ := utf8.DecodeRune(t.data[at:])
	return strconv.QuoteRune(r)
}

// badText is the fault that encoding/json finds in a text.
func badText(data []byte) string {
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data[:textEnd(data, 0)], new(string)); errors.As(err, &syntax) {
		return syntax.Error()
	}
	return "it is no JSON"
}

// shown reports whether the next token is the name of a section, or in a section
// whose values are shown.
func (s *shape) shown(t *text) bool {
	section := standard.section(s.section)
	return len(s.open) == 1 && s.isName(t) || len(s.open) > 0 && section != nil && !section.secret
}

// literalEnd is the end of the word or number at an offset.
func literalEnd(data []byte, at int) int {
	for at < len(data) && isLiteral(data[at]) {
		at++
	}
	return at
}

func isLiteral(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("+-._$", c) >= 0
}

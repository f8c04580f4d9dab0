package load

import (
	"bytes"
	"go/token"
)

// cutBodies returns src with empty bodies of its top-level functions. Most of a
// file is bodies; to find where one ends costs far less than to parse it.
// Newlines stay, so that what is left keeps its lines. Source that cannot be
// cut, which is no valid Go, comes back as it is.
func cutBodies(src []byte) []byte {
	c := cutter{src: src, out: make([]byte, 0, len(src)/2)}
	c.file()
	if c.broken {
		return src
	}
	return append(c.out, src[c.copied:]...)
}

// A cutter goes over the tokens of a file, as far as they matter.
type cutter struct {
	src    []byte
	at     int  // where the next token begins
	tok    byte // the last token but newlines: word, literal, or its first byte
	text   []byte
	out    []byte
	copied int // how much of src is in out
	broken bool
}

const (
	end     = 0 // of the source
	word    = 'a'
	literal = '"'
	newline = '\n'
)

// file cuts the functions among the declarations.
func (c *cutter) file() {
	depth, start := 0, true
	for {
		begins := start && depth == 0
		t := c.next()
		switch t {
		case end:
			return
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case word:
			if begins && string(c.text) == "func" {
				t = c.function()
			}
		}
		start = t == ';' || t == newline && (start || c.endsStatement())
	}
}

// function goes over a function declaration behind its func, and empties the
// body if there is one. It returns the token that ended the declaration.
func (c *cutter) function() byte {
	depth := 0
	for {
		isType := c.tok == word && (string(c.text) == "interface" || string(c.text) == "struct")
		switch t := c.next(); t {
		case end:
			return end
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '{':
			from := c.at
			c.skipBlock()
			if depth == 0 && !isType {
				c.cut(from, c.at-1)
				return '}'
			}
		case ';', newline:
			if depth == 0 && (t == ';' || c.endsStatement()) {
				return t
			}
		}
	}
}

// cut leaves out what stands between two places, except newlines.
func (c *cutter) cut(from, to int) {
	c.out = append(c.out, c.src[c.copied:from]...)
	for range bytes.Count(c.src[from:to], []byte{newline}) {
		c.out = append(c.out, newline)
	}
	c.copied = to
}

// endsStatement says whether a newline behind the last token ends a statement.
func (c *cutter) endsStatement() bool {
	switch c.tok {
	case word:
		keyword := token.Lookup(string(c.text))
		return !keyword.IsKeyword() || keyword == token.BREAK || keyword == token.CONTINUE || keyword == token.FALLTHROUGH || keyword == token.RETURN
	case literal, ')', ']', '}':
		return true
	}
	return false
}

// next moves behind the next token, and tells what it is. A comment is none,
// but counts for the newlines in it.
func (c *cutter) next() byte {
	for c.at < len(c.src) {
		switch b := c.src[c.at]; b {
		case newline:
			c.at++
			return newline
		case ' ', '\t', '\r':
			c.at++
		case '/':
			comment := c.comment()
			if len(comment) == 0 {
				return c.token(b)
			}
			if comment[1] == '*' && bytes.IndexByte(comment, newline) >= 0 {
				return newline
			}
		default:
			return c.token(b)
		}
	}
	c.tok = end
	return end
}

// token moves behind the token that begins with b.
func (c *cutter) token(b byte) byte {
	from := c.at
	switch {
	case isQuote(b):
		c.quoted()
		c.tok = literal
	case isWord[b]:
		for c.at < len(c.src) && isWord[c.src[c.at]] {
			c.at++
		}
		c.tok, c.text = word, c.src[from:c.at]
	default:
		c.at++
		c.tok = b
	}
	return c.tok
}

// skipBlock moves behind the bracket that closes the curly one before here.
func (c *cutter) skipBlock() {
	for depth := 1; depth > 0; {
		for c.at < len(c.src) && !matters[c.src[c.at]] {
			c.at++
		}
		if c.at >= len(c.src) {
			c.broken = true
			return
		}
		switch b := c.src[c.at]; {
		case isQuote(b):
			c.quoted()
			continue
		case b == '/' && len(c.comment()) > 0:
			continue
		case b == '{':
			depth++
		case b == '}':
			depth--
		}
		c.at++
	}
	c.tok = '}'
}

// comment moves behind the comment that begins here, if there is one, and
// returns it.
func (c *cutter) comment() []byte {
	rest := c.src[c.at:]
	n := 0
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		n = bytes.IndexByte(rest, newline)
		if n < 0 {
			n = len(rest)
		}
	case bytes.HasPrefix(rest, []byte("/*")):
		n = bytes.Index(rest[2:], []byte("*/")) + 4
		if n < 4 {
			c.broken = true
			n = len(rest)
		}
	}
	c.at += n
	return rest[:n]
}

// quoted moves behind the string or rune that begins here.
func (c *cutter) quoted() {
	quote := c.src[c.at]
	for c.at++; c.at < len(c.src); c.at++ {
		switch b := c.src[c.at]; {
		case b == quote:
			c.at++
			return
		case b == '\\' && quote != '`':
			c.at++
		case b == newline && quote != '`':
			c.broken = true
			return
		}
	}
	c.broken = true
}

func isQuote(b byte) bool { return b == '"' || b == '\'' || b == '`' }

var (
	isWord  [256]bool // bytes of names, keywords and numbers
	matters [256]bool // bytes that matter within a block
)

func init() {
	for b := range isWord {
		c := byte(b)
		isWord[b] = c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		matters[b] = c == '{' || c == '}' || c == '/' || isQuote(c)
	}
}

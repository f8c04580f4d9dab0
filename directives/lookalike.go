package directives

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/resgen-go/resgen/internal/glyph"
	"github.com/resgen-go/resgen/internal/nearest"
)

// Asks reports whether Parse may find anything in a file: a directive, or a
// comment that looks like one. It is quick, because it looks at lines and not at
// syntax; so a string may ask, too.
func Asks(src []byte) bool {
	for line := range strings.SplitSeq(string(src), "\n") {
		if asks(trimEnd(line)) {
			return true
		}
	}
	return false
}

// asks looks at a line as one inside a block comment, and at every comment that
// may begin in it.
func asks(line string) bool {
	if asksInBlock(line) {
		return true
	}
	for {
		slash := strings.IndexByte(line, '/')
		if slash < 0 {
			return false
		}
		line = line[slash+1:]
		switch {
		case strings.HasPrefix(line, "/") && meant(line[1:], true), strings.HasPrefix(line, "*") && asksInBlock(line[1:]):
			return true
		}
	}
}

func asksInBlock(line string) bool {
	text, _, _ := strings.Cut(line, "*/")
	_, comment, slashes := blockLine(text)
	return meant(comment, slashes)
}

func meant(comment string, slashes bool) bool {
	_, ok := intended(comment, slashes)
	if !ok {
		_, ok = hinted(comment)
	}
	return ok
}

// lookAlike reports a line comment that is no directive though its author
// probably meant one.
func (p *parser) lookAlike(pos token.Pos, text string, group *ast.CommentGroup) {
	text = trimEnd(strings.TrimPrefix(text, "//"))
	if group == p.file.Doc && isSample(text) {
		return
	}
	if meant, ok := p.intended(pos, text, true, group); ok {
		p.report(pos, meant, group, "%s looks like a directive but is none; %s", shown("//"+text), meant.wayOut())
	}
}

// block reports the lines of a block comment that look like directives.
func (p *parser) block(pos token.Pos, text string, group *ast.CommentGroup) {
	at := pos
	for line := range strings.SplitAfterSeq(text, "\n") {
		begin, comment, slashes := blockLine(line)
		meant, ok := p.intended(pos, comment, slashes, group)
		if ok && !(group == p.file.Doc && isSample(line)) {
			p.report(at+indent(line, begin), meant, group, "%s stands in a block comment, where nothing is a directive; %s", shown(begin), meant.wayOut())
		}
		at += token.Pos(len(line))
	}
}

// shown is a comment as a message shows it, with the characters in it that only
// look as they should.
func shown(comment string) string {
	if glyph.Plain(comment) == comment {
		return strconv.Quote(comment)
	}
	return glyph.Quoted(comment)
}

// report reports what was probably meant. It is a fault where a directive could
// stand and nothing else is written like that, so that no guard is missed by a
// slip; else it is a guess.
func (p *parser) report(pos token.Pos, meant intention, group *ast.CommentGroup, format string, args ...any) {
	if meant.written && (p.documents(group) || p.inInterfaceCode(group)) {
		p.fault(pos, meant.name, format, args...)
	} else {
		p.guess(pos, meant.name, format, args...)
	}
}

// intended guesses what a comment at pos was meant to be, by where it stands.
// Among code, prose is as likely as a directive; in the doc comment of what may
// have directives, it is less so.
func (p *parser) intended(pos token.Pos, comment string, slashes bool, group *ast.CommentGroup) (intention, bool) {
	if meant, ok := intended(comment, slashes); ok {
		return meant, meant.plain || !p.amongCode(pos)
	}
	if meant, ok := hinted(comment); ok {
		inSentence := !partsOf(comment, false).colon() && goesOn(group, pos)
		return meant, p.documents(group) && !inSentence
	}
	return intention{}, false
}

// goesOn reports whether the comment at pos is in the middle of a sentence, as
// the line before it ends with a word.
func goesOn(group *ast.CommentGroup, pos token.Pos) bool {
	i := slices.IndexFunc(group.List, func(c *ast.Comment) bool { return c.Slash == pos })
	if i < 1 {
		return false
	}
	before := group.List[i-1].Text
	last, _ := utf8.DecodeLastRuneInString(trimEnd(before))
	return !meant(strings.TrimPrefix(before, "//"), true) && (last == ',' || isLetterOrDigit(last))
}

// blockLine cuts what frames a line of a block comment. The comment is what
// begins there, without its slashes if it has them.
func blockLine(line string) (begin, comment string, slashes bool) {
	begin = trimEnd(strings.TrimLeftFunc(strings.TrimPrefix(line, "/*"), isFrame))
	comment, slashes = strings.CutPrefix(begin, "//")
	return begin, comment, slashes
}

func isFrame(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == '*' }

func trimEnd(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) }

// indent is how far into line its text begins: not at all where the block
// comment begins with it.
func indent(line, text string) token.Pos {
	if strings.HasPrefix(line, "/*") {
		return 0
	}
	return token.Pos(strings.Index(line, text))
}

// isSample reports whether a line of the package's documentation is indented
// as code: there it shows how directives are written.
func isSample(line string) bool {
	return strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "  ")
}

// intention is a directive that was probably meant.
type intention struct {
	row     *Row     // nil if its name tells nothing
	name    string   // of the directive, else as it is written
	more    []string // further directives in the same line
	args    string
	plain   bool // it is written as a directive of whatever tool is
	written bool // it is written as ours but for one slip
}

// parts are those of a comment: the tool, what separates it from the name, the
// name, and the rest.
type parts struct {
	first                       bool // the tool stands right behind the slashes
	word, separator, name, rest string
}

func partsOf(text string, slashes bool) (p parts) {
	text = glyph.Plain(text)
	rest := strings.TrimLeftFunc(strings.TrimPrefix(text, "/"), isSpace)
	if strings.HasPrefix(rest, "+") || strings.HasPrefix(rest, "@") {
		rest = rest[1:]
	}
	p.first = slashes && len(rest) == len(text)
	p.word, rest = cutWhile(rest, isLetterOrDigit)
	if len(p.word) < len(command) {
		return p // most comments, and most code
	}
	p.name = strings.TrimLeftFunc(strings.TrimLeft(strings.TrimLeftFunc(rest, isSpace), ":;/=-"), isSpace)
	p.separator = rest[:len(rest)-len(p.name)]
	p.name, p.rest = letters(p.name)
	return p
}

// isSpace holds for the spaces that nobody sees, too.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || r > unicode.MaxASCII && unicode.In(r, unicode.Z, unicode.Cf)
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// tight reports whether nothing but a colon keeps the parts apart, as in a directive
// of whatever tool.
func (p parts) tight() bool { return p.first && p.separator == ":" && p.name != "" }

// colon reports whether there is one, or the semicolon that is a slip of it.
func (p parts) colon() bool { return strings.ContainsAny(p.separator, ":;") }

// intended guesses from a comment without its slashes, if it had them, whether it
// was meant to be a directive. A sentence that begins with the name of one was
// not.
func intended(text string, slashes bool) (intention, bool) {
	part := partsOf(text, slashes)
	if !part.namesTool() {
		return intention{}, false
	}
	meant := intention{name: part.name, args: strings.Trim(part.rest, ":= \t")}
	if near, ok := nearest.Name(part.name, rowNames()); ok {
		meant.row, meant.name = RowOf(near), near
	}
	meant.plain = part.tight() || slashes && strings.HasPrefix(text, Tool+":")
	meant.written = meant.plain || part.namesRow() && (part.first || part.separator == strings.TrimSpace(part.separator)) && part.separator != " "
	if meant.plain {
		return meant, true
	}
	return meant, meant.row != nil && (part.colon() || part.first) && !meant.isProse(part.rest)
}

// hinted guesses as intended does, from less: what is left of a directive once
// gofmt has put a space before it, several directives in one line, a key without its
// directive, and a longer name for a directive.
func hinted(text string) (intention, bool) {
	part := partsOf(text, false)
	if !strings.EqualFold(part.word, Tool) && !strings.EqualFold(part.word, command) || isSample(text) {
		return intention{}, false
	}
	if !part.colon() {
		return part.bare()
	}
	if meant, ok := part.list(); ok {
		return meant, true
	}
	if meant, ok := part.key(); ok {
		return meant, true
	}
	return part.compound()
}

// bare finds the name of a directive without a colon before it. In prose, its words may stand
// side by side too, so they have to be right.
func (p parts) bare() (intention, bool) {
	meant := intention{row: RowOf(p.name), name: p.name, args: strings.Trim(p.rest, ":= \t")}
	return meant, meant.row != nil && (p.word == Tool || p.word == command) && !meant.isProse(p.rest)
}

// list finds the names of several directives and nothing else.
func (p parts) list() (intention, bool) {
	names := strings.FieldsFunc(strings.ToLower(p.name+p.rest), func(r rune) bool { return isSpace(r) || strings.ContainsRune(",;+&|/", r) })
	if len(names) < 2 || slices.ContainsFunc(names, func(name string) bool { return RowOf(name) == nil }) {
		return intention{}, false
	}
	return intention{row: RowOf(names[0]), name: names[0], more: names[1:]}, true
}

// key finds an argument in the place of the name of the directive that takes it.
func (p parts) key() (intention, bool) {
	i := slices.IndexFunc(Table, func(row Row) bool { return slices.Contains(row.keys(), p.name) })
	if i < 0 || !strings.HasPrefix(p.rest, "=") {
		return intention{}, false
	}
	words := strings.Fields(p.rest)
	for i, word := range words[1:] {
		if !strings.Contains(word, "=") && !strings.HasSuffix(words[i], ",") {
			return intention{}, false // a sentence
		}
	}
	return intention{row: &Table[i], name: Table[i].Name, args: p.name + p.rest}, true
}

// compound finds the name of a directive at the end of a name, as in circuit-breaker.
func (p parts) compound() (intention, bool) {
	name, rest := cutWhile(p.name+p.rest, func(r rune) bool { return isLetterOrDigit(r) || r == '-' || r == '_' })
	i := slices.IndexFunc(Table, func(row Row) bool { return strings.HasSuffix(strings.ToLower(name), row.Name) })
	if i < 0 || p.separator != ":" {
		return intention{}, false
	}
	meant := intention{row: &Table[i], name: Table[i].Name, args: strings.Trim(rest, ":= \t")}
	return meant, !meant.isProse(rest)
}

// namesTool reports whether the word is our tool or our command in any case, or
// a slip of the tool in front of a colon and a name of ours; one in front of a
// slip of a name only where it is tight. Where only a space stands between tool
// and name the name must be right, too.
func (p parts) namesTool() bool {
	if strings.EqualFold(p.word, Tool) || strings.EqualFold(p.word, command) {
		return strings.TrimSpace(p.separator) != "" || p.namesRow()
	}
	if !p.colon() || !p.namesRow() && !p.tight() {
		return false
	}
	_, nearTool := nearest.Name(p.word, []string{Tool})
	_, nearRow := nearest.Name(p.name, rowNames())
	return nearTool && nearRow
}

// namesRow reports whether the name is that of a directive, in any case.
func (p parts) namesRow() bool { return RowOf(strings.ToLower(p.name)) != nil }

// isProse reports whether what follows the name reads as a sentence: more
// words than the directive takes, or punctuation at the end of one.
func (i intention) isProse(rest string) bool {
	for _, key := range i.row.keys() {
		if strings.Contains(rest, key+"=") {
			return false
		}
	}
	if rest != "" && !strings.ContainsAny(rest[:1], " \t:=") {
		return true
	}
	words := strings.Fields(rest)
	for _, word := range words {
		if strings.ContainsAny(word[len(word)-1:], ".,;:!?)") {
			return true
		}
	}
	if unnamed := i.row.param(""); unnamed != nil && unnamed.many() {
		return slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(typeGuards(), word) })
	}
	return len(words) > 1 || len(words) == 1 && i.row.param("") == nil
}

// wayOut says what to write instead. What was meant is a guess, so it may be
// another comment.
func (i intention) wayOut() string {
	instead := strings.TrimSpace("//" + Tool + ":" + i.name + " " + i.args)
	switch {
	case i.row == nil:
		instead = fmt.Sprintf("one of %s right behind //%s:", strings.Join(rowNames(), ", "), Tool)
	case len(i.more) > 0:
		instead = fmt.Sprintf("%s //%s:%s, each in a line of its own", instead, Tool, strings.Join(i.more, " //"+Tool+":"))
	}
	return "write " + instead + ", or reword the comment"
}

package directives

import (
	"fmt"
	"go/token"
	"regexp"
	"strings"
	"unicode"

	"github.com/resgen-go/resgen/internal/nearest"
)

// shape takes a comment without its slashes apart: what stands before the
// tool, the tool, what separates it from the name, the name, and the rest.
// Among the spaces are those that nobody sees.
var shape = regexp.MustCompile(`^(/?` + space + `[+@]?)([A-Za-z]+)(` + space + `[:;/=-]*` + space + `)([A-Za-z]*)(.*)$`)

const space = `[\s\p{Z}\p{Cf}]*`

// lookAlike reports a line comment that is no directive though its author
// probably meant one.
func (p *parser) lookAlike(pos token.Pos, text string, packageDoc bool) {
	text = strings.TrimRightFunc(strings.TrimPrefix(text, "//"), unicode.IsSpace)
	if packageDoc && isSample(text) {
		return
	}
	if meant, ok := intended(text); ok {
		p.fault(pos, meant.name, "%q looks like a directive but is none; %s", "//"+text, meant.wayOut())
	}
}

// block reports the lines of a block comment that look like directives.
func (p *parser) block(pos token.Pos, text string, packageDoc bool) {
	at := pos
	for line := range strings.SplitAfterSeq(text, "\n") {
		begin := strings.TrimRightFunc(strings.TrimLeft(strings.TrimPrefix(line, "/*"), " \t\r*"), unicode.IsSpace)
		comment, slashes := strings.CutPrefix(begin, "//")
		if !slashes {
			comment = " " + begin
		}
		meant, ok := intended(comment)
		if ok && !(packageDoc && isSample(line)) {
			p.fault(at+indent(line, begin), meant.name, "%q stands in a block comment, where nothing is a directive; %s", begin, meant.wayOut())
		}
		at += token.Pos(len(line))
	}
}

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
	kind *Kind  // nil if its name tells nothing
	name string // of the kind, else as it is written
	args string
}

// intended guesses from a comment without its slashes whether it was meant to
// be a directive. A sentence that begins with the name of one was not.
func intended(text string) (intention, bool) {
	part := shape.FindStringSubmatch(text)
	if part == nil || !namesTool(part[2], part[3], part[4]) {
		return intention{}, false
	}
	before, separator, name, rest := part[1], part[3], part[4], part[5]
	meant := intention{name: name, args: strings.Trim(rest, ":= \t")}
	if near, ok := nearest.Name(name, kindNames()); ok {
		meant.kind, meant.name = kindOf(near), near
	}
	tight := before == "" && separator == ":" && name != ""
	if tight || strings.HasPrefix(text, tool+":") {
		return meant, true
	}
	colon := strings.Contains(separator, ":")
	return meant, meant.kind != nil && (colon || before == "") && !meant.isProse(rest)
}

// namesTool reports whether word is our tool in any case, or a slip of it in
// front of a colon and a name of ours. Where only a space stands between them
// the name must be right, too.
func namesTool(word, separator, name string) bool {
	known := kindOf(strings.ToLower(name)) != nil
	if strings.EqualFold(word, tool) {
		return known || strings.TrimSpace(separator) != ""
	}
	if !known || !strings.Contains(separator, ":") {
		return false
	}
	_, near := nearest.Name(word, []string{tool})
	return near
}

// isProse reports whether what follows the name reads as a sentence: more
// words than the directive takes, or punctuation at the end of one.
func (i intention) isProse(rest string) bool {
	for _, key := range i.kind.keys() {
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
	return len(words) > 1 || len(words) == 1 && i.kind.param("") == nil
}

// wayOut says what to write instead.
func (i intention) wayOut() string {
	if i.kind == nil {
		return fmt.Sprintf("write one of %s right behind //%s:, or reword the comment", strings.Join(kindNames(), ", "), tool)
	}
	return "write " + strings.TrimSpace("//"+tool+":"+i.name+" "+i.args)
}

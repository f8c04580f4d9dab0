package extract

import (
	"bytes"
	"fmt"
	"go/format"
	"go/types"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/resgen-go/resgen/directives"
	"github.com/resgen-go/resgen/internal/carrier"
	"github.com/resgen-go/resgen/internal/closer"
	"github.com/resgen-go/resgen/internal/later"
	"github.com/resgen-go/resgen/internal/words"
)

// text is the whole file.
func (w *writer) text() ([]byte, error) {
	s := &speller{dest: w.dest, names: map[string]string{}, need: map[string]*types.Package{}}
	w.declaration(s) // to see which packages it needs
	taken := []string{w.name}
	for _, param := range w.client.params {
		taken = append(taken, param.Obj().Name())
	}
	s.settle(taken...)
	if w.answers() {
		s.blank = append(s.blank, judgePath)
	}
	body := w.declaration(s)
	var out bytes.Buffer
	fmt.Fprintf(&out, "package %s\n\n", w.dest.name)
	out.WriteString(s.imports())
	if !w.dest.asks && w.guards() != nil {
		out.WriteString("//go:generate go tool resgen\n\n")
	}
	out.Write(body)
	return format.Source(out.Bytes())
}

// declaration is the interface, and the line that holds it to the client.
func (w *writer) declaration(s *speller) []byte {
	docs := docs{}
	var methods bytes.Buffer
	commented := false
	for i, m := range w.client.methods {
		text, comments := w.method(s, docs, m)
		if i > 0 && (comments || commented) {
			methods.WriteByte('\n')
		}
		methods.WriteString(text)
		commented = comments
	}
	var out bytes.Buffer
	out.WriteString(w.doc(docs))
	fmt.Fprintf(&out, "type %s%s interface {\n%s}\n\n", w.name, w.typeParams(s), &methods)
	assertion := fmt.Sprintf("var _ %s = %s", w.name+w.typeArgs(), w.value(s))
	if len(w.client.params) > 0 {
		assertion = fmt.Sprintf("func _%s() {\n%s\n}", w.typeParams(s), assertion)
	}
	fmt.Fprintf(&out, "// A compile error here says that %s has changed.\n%s\n", w.typeName(), assertion)
	return out.Bytes()
}

// value is one of the client's type.
func (w *writer) value(s *speller) string {
	if w.behind != nil {
		selected := "new(" + s.spell(w.behind.of) + ")." + w.behind.field.Name()
		if _, pointer := types.Unalias(w.behind.field.Type()).(*types.Pointer); !pointer {
			selected = "&" + selected
		}
		return selected
	}
	holder := s.spell(w.client.holder())
	if strings.HasPrefix(holder, "*") {
		holder = "(" + holder + ")"
	}
	return holder + "(nil)"
}

// doc is the comment of the interface, with directives to edit.
func (w *writer) doc(docs docs) string {
	first := fmt.Sprintf("%s has %d of the %s of %s.", w.name, len(w.kept()), words.Count(w.all, "method"), w.typeName())
	if len(w.kept()) == w.all {
		first = fmt.Sprintf("%s has the methods of %s.", w.name, w.typeName())
	}
	paragraphs := []string{first}
	_, deprecated := docs.sentence(w.prog.position(w.client.obj.Pos()), w.client.obj)
	for _, more := range []string{w.unbounded(), deprecated} {
		if more != "" {
			paragraphs = append(paragraphs, more)
		}
	}
	var lines []string
	for _, kind := range w.guards() {
		if kind == directives.Breaker && w.answers() {
			kind += " classify=" + judge
		}
		lines = append(lines, directive(kind))
	}
	return comment(paragraphs, lines)
}

// guards are the kinds of which the interface gets a directive: those that guard
// one of its methods at least.
func (w *writer) guards() []string {
	var breaks, bounds bool
	for _, m := range w.kept() {
		breaks = breaks || isGuarded(m)
		bounds = bounds || isGuarded(m) && carrier.Of(m.Signature()).Replaceable() && !isReadLater(m)
	}
	switch {
	case bounds:
		return []string{directives.Breaker, directives.Bulkhead, directives.Timeout}
	case breaks:
		return []string{directives.Breaker, directives.Bulkhead}
	}
	return nil
}

// isGuarded reports whether a breaker stands before a method.
func isGuarded(m *types.Func) bool { return returnsError(m.Signature()) && !closer.Is(m) }

// isReadLater reports whether a timeout would cut off what a method returns.
func isReadLater(m *types.Func) bool {
	_, read := later.Of(m.Signature())
	return read
}

// judge tells failures from successes among the answers of a service: of errors
// alone, a 503 would be a success. To name it, the file imports its package.
const (
	judge     = "resiliencehttp.Judge"
	judgePath = "github.com/resgen-go/resgen/runtime/resiliencehttp"
)

// answers reports whether a method returns what the judge can be asked about.
func (w *writer) answers() bool {
	return slices.ContainsFunc(w.kept(), func(m *types.Func) bool {
		results := m.Signature().Results()
		return isGuarded(m) && results.Len() == 2 && types.TypeString(types.Unalias(results.At(0).Type()), nil) == "*net/http.Response"
	})
}

// unbounded says which methods no timeout bounds though other guards stand before
// them.
func (w *writer) unbounded() string {
	const few = 4
	var names []string
	all := true
	for _, m := range w.kept() {
		switch {
		case !isGuarded(m):
		case carrier.Of(m.Signature()).Replaceable():
			all = false
		default:
			names = append(names, m.Name())
		}
	}
	switch more := len(names) - few; {
	case w.guards() == nil:
		return "None of its methods is guarded: comments say why."
	case all:
		return "No timeout bounds its methods, because none of them takes a context."
	case !slices.Contains(w.guards(), directives.Timeout):
		return "No timeout bounds its methods, because it would cut off what is read from their results."
	case len(names) == 0:
		return ""
	case len(names) == 1:
		return "No timeout bounds " + names[0] + ": it takes no context."
	case more > 1:
		names = append(names[:few], fmt.Sprintf("%d more", more))
	}
	last := len(names) - 1
	return "No timeout bounds " + strings.Join(names[:last], ", ") + " and " + names[last] + ": they take no context."
}

func directive(words ...string) string {
	return "//" + directives.Tool + ":" + strings.Join(words, " ")
}

// method is one method, or why it is left out.
func (w *writer) method(s *speller, docs docs, m *types.Func) (text string, comments bool) {
	if why := w.dest.obstacle(m.Signature()); why != "" {
		return comment([]string{m.Name() + " is left out: it needs " + why + "."}, nil), true
	}
	first, deprecated := docs.sentence(w.prog.position(m.Origin().Pos()), m)
	why, none := w.unguarded(m, s.spell)
	var paragraphs []string
	for _, more := range []string{first, why, deprecated} {
		if more != "" {
			paragraphs = append(paragraphs, more)
		}
	}
	return comment(paragraphs, none) + m.Name() + s.signature(m.Signature()) + "\n", len(paragraphs) > 0
}

// unguarded says why a guard cannot or should not stand before a method, with
// the directive that settles it, if it needs one.
func (w *writer) unguarded(m *types.Func, spell func(types.Type) string) (why string, none []string) {
	param := carrier.Of(m.Signature())
	switch {
	case !returnsError(m.Signature()) && param.Index >= 0:
		return "It passes through unguarded, because it returns no error.", []string{directive(directives.None)}
	case !returnsError(m.Signature()):
		return "It passes through unguarded, because it returns no error.", nil
	case closer.Is(m):
		return "It is not guarded, because a refusal would keep for ever what it gives back.", []string{directive(directives.None)}
	case isReadLater(m) && param.Replaceable() && slices.Contains(w.guards(), directives.Timeout):
		reading, _ := later.Of(m.Signature())
		return "No timeout bounds it, because its " + reading.Phrase(spell) + " is read after it has returned.",
			[]string{directive(directives.None, directives.Timeout)}
	}
	return "", nil
}

// comment writes a doc comment of paragraphs and directives.
func comment(paragraphs, directives []string) string {
	const width = 100
	var out strings.Builder
	for i, paragraph := range paragraphs {
		if i > 0 {
			out.WriteString("//\n")
		}
		line := "//"
		for _, word := range strings.Fields(paragraph) {
			if line != "//" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
				out.WriteString(line + "\n")
				line = "//"
			}
			line += " " + word
		}
		out.WriteString(line + "\n")
	}
	if len(paragraphs) > 0 && len(directives) > 0 {
		out.WriteString("//\n")
	}
	for _, line := range directives {
		out.WriteString(line + "\n")
	}
	return out.String()
}

func (w *writer) typeParams(s *speller) string {
	var list []string
	for _, param := range w.client.params {
		list = append(list, param.Obj().Name()+" "+s.spell(param.Constraint()))
	}
	return inBrackets(list)
}

func (w *writer) typeArgs() string {
	var list []string
	for _, param := range w.client.params {
		list = append(list, param.Obj().Name())
	}
	return inBrackets(list)
}

func inBrackets(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "[" + strings.Join(list, ", ") + "]"
}

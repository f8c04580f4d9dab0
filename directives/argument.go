package directives

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/resgen-go/resgen/internal/glyph"
	"github.com/resgen-go/resgen/internal/nearest"
)

// mostUnits bounds a count: no bulkhead holds more permits.
const mostUnits = 1_000_000

var (
	validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	nameRule  = "a letter or digit, then letters, digits, dots, underscores and hyphens"
)

// reader reads the arguments of one directive.
type reader struct {
	*parser
	directive *Directive
}

// read reads a directive with everything that is wrong with it alone. The
// Row of one that does not exist is nil.
func (p *parser) read(d ast.Directive) Directive {
	directive := Directive{Row: RowOf(d.Name), Slash: d.Slash}
	if directive.Row == nil {
		p.unknown(d)
		return directive
	}
	args, err := d.ParseArgs()
	if err != nil {
		at := unquotable(d)
		if directive.Row.mayBeNamed() {
			directive.put(directive.Row.param(""), Ref{Pos: at}) // the default is not meant
		}
		p.fault(at, d.Name, "%s has quotes that do not match; names need none, write %s",
			d.Args[at-d.ArgsPos:], directive.Row.Usage())
		return directive
	}
	r := reader{p, &directive}
	given, before := map[*Param]bool{}, len(p.faults)
	for _, group := range r.joined(r.remark(args)) {
		if len(group) > 1 {
			r.apart(d, group, given)
		} else {
			r.argument(d, group[0], given)
		}
	}
	if len(p.faults) == before {
		r.missing(given)
	}
	return directive
}

func (p *parser) unknown(d ast.Directive) {
	word, tail := letters(d.Name)
	hint := ""
	if meant, ok := nearest.Name(glyph.Plain(word), rowNames()); ok {
		hint = "; did you mean " + meant + "?"
		if tail != "" {
			hint = "; did you mean " + meant + "? A space ends the name"
		}
	}
	p.fault(d.Slash, d.Name, "there is no such directive%s%s (allowed: %s)", glyph.Remark(d.Name), hint, strings.Join(rowNames(), ", "))
}

// letters cuts the letters at the beginning of s from the rest.
func letters(s string) (word, tail string) { return cutWhile(s, unicode.IsLetter) }

func cutWhile(s string, in func(rune) bool) (head, tail string) {
	tail = strings.TrimLeftFunc(s, in)
	return s[:len(s)-len(tail)], tail
}

// unquotable is where the argument begins that ParseArgs could not read: at
// the last quote that begins an argument and has none but readable ones before.
func unquotable(d ast.Directive) token.Pos {
	at := d.ArgsPos
	for i, c := range d.Args {
		before, _ := utf8.DecodeLastRuneInString(d.Args[:i])
		if c != '"' && c != '`' || !unicode.IsSpace(before) {
			continue
		}
		readable := ast.Directive{Args: d.Args[:i]}
		if _, err := readable.ParseArgs(); err == nil {
			at = d.ArgsPos + token.Pos(i)
		}
	}
	return at
}

// argument reads one argument, NAME or key=value.
func (r *reader) argument(d ast.Directive, arg ast.DirectiveArg, given map[*Param]bool) {
	value := Ref{Text: arg.Arg, Pos: arg.Pos}
	if strings.ContainsRune("\"`", rune(d.Args[arg.Pos-d.ArgsPos])) {
		value.Pos++
	}
	key, text, keyed := strings.Cut(arg.Arg, "=")
	if keyed {
		value = Ref{Text: text, Pos: value.Pos + token.Pos(len(key)+1)}
	} else {
		key = ""
	}
	param := r.directive.Row.param(key)
	switch {
	case keyed && (param == nil || key == ""):
		r.unknownKey(key, text, arg.Pos)
	case !keyed && r.withColon(arg, given):
	case param == nil, !keyed && given[param] && !param.many():
		r.superfluous(arg)
	case given[param] && !param.many():
		r.wrong(arg.Pos, "key %s is repeated; write it once: %s", key, r.directive.Row.Usage())
	default:
		given[param] = true
		r.directive.put(param, r.value(param, value)...)
	}
}

// unknownKey reports an argument with a key that the directive does not have. It
// may be a setting, or a name that needs no key.
func (r *reader) unknownKey(key, value string, pos token.Pos) {
	row := r.directive.Row
	named := row.mayBeNamed()
	word, _ := letters(key)
	meant, near := nearest.Name(key, row.keys())
	first, _, _ := strings.Cut(value, ",") // of several
	switch is := settingLike(first); {
	case near:
		r.wrong(pos, "unknown key %s; did you mean %s? (allowed: %s)", glyph.Quoted(key), meant, row.Usage())
	case named && is != "" && word != "":
		r.setting(pos, key+"="+value)
	case named && is != "":
		r.wrong(pos, "%s", row.Section().instead(strings.TrimLeft(key+"="+value, "="), is))
	case named && slices.Contains([]string{"", "name", "id", row.Name, row.Noun()}, strings.ToLower(key)) && refused(value) == "":
		r.wrong(pos, "a name has no key; write //%s:%s %s", Tool, row.Name, value)
	default:
		r.wrong(pos, "unknown key %s (allowed: %s)", glyph.Quoted(key), row.Usage())
	}
}

func (r *reader) superfluous(arg ast.DirectiveArg) {
	hint := ""
	word, _ := letters(arg.Arg)
	if meant, ok := nearest.Name(word, r.directive.Row.keys()); ok && len(word) > 1 { // one letter is like any short key
		hint = "; did you mean " + meant + "=?"
	}
	r.wrong(arg.Pos, "argument %s is one too many%s (allowed: %s)", glyph.Quoted(arg.Arg), hint, r.directive.Row.Usage())
}

// missing reports what the directive cannot do without.
func (r *reader) missing(given map[*Param]bool) {
	row := r.directive.Row
	if row.AnyOf && len(given) == 0 {
		r.wrong(r.directive.Slash, "at least one argument is needed: %s", row.Usage())
	}
	for i := range row.Params {
		if param := &row.Params[i]; param.Required && !given[param] {
			r.wrong(r.directive.Slash, "%s is missing; write %s", param.usage(), row.Usage())
		}
	}
}

// wrong reports a fault of the directive.
func (r *reader) wrong(pos token.Pos, format string, args ...any) {
	r.fault(pos, r.directive.Row.Name, format, args...)
}

// value reads the value of an argument.
func (r *reader) value(param *Param, value Ref) []Ref {
	switch param.Form {
	case OneName:
		return []Ref{r.checked(value, param.Section)}
	case NameList:
		return r.names(param, value)
	case CountList:
		return r.counts(param, value)
	case Function, StandIn, Key:
		return r.function(param, value)
	case KindList:
		return []Ref{r.kind(value)}
	default:
		return []Ref{r.wrapper(value)}
	}
}

// kind reads a directive that a method is opted out of.
func (r *reader) kind(value Ref) Ref {
	written := func(kind Ref) bool { return kind.Text == value.Text }
	switch {
	case !slices.Contains(typeGuards(), value.Text):
		r.wrong(value.Pos, "there is no guard %s to opt out of%s", glyph.Quoted(value.Text), meantKinds(value.Text))
		return Ref{Pos: value.Pos}
	case slices.ContainsFunc(r.directive.Kinds(), written):
		r.wrong(value.Pos, "%s is written twice; write it once", value.Text)
	}
	return value
}

// meantKinds is the end of a message about a text that is no kind of a guard.
func meantKinds(text string) string {
	var meant []string
	for _, word := range strings.FieldsFunc(glyph.Plain(text), func(c rune) bool { return !isLetterOrDigit(c) }) {
		if near, ok := nearest.Name(word, typeGuards()); ok {
			meant = append(meant, near)
		}
	}
	if len(meant) == 0 {
		return fmt.Sprintf(" (allowed: %s; //%s:%s alone opts out of all)", strings.Join(typeGuards(), ", "), Tool, None)
	}
	return fmt.Sprintf("; did you mean %s? (allowed: %s)", strings.Join(meant, " "), strings.Join(typeGuards(), ", "))
}

// wrapper reads the name of a type to be declared.
func (r *reader) wrapper(value Ref) Ref {
	if why := noWrapper(value.Text, r.file.Name.Name); why != "" {
		r.wrong(value.Pos, "%s cannot name the wrapper type%s", glyph.Quoted(value.Text), why)
		return Ref{Pos: value.Pos}
	}
	if plain := glyph.Plain(value.Text); plain != value.Text && token.IsIdentifier(plain) && !strings.ContainsFunc(plain, beyondASCII) {
		r.guess(value.Pos, r.directive.Row.Name, "the name is %s; write %s if that is meant", glyph.Shown(value.Text), plain)
	}
	return value
}

func beyondASCII(r rune) bool { return r > unicode.MaxASCII }

// noWrapper says why name cannot name a wrapper type of package pkg; it is empty
// if it can.
func noWrapper(name, pkg string) string {
	switch {
	case !token.IsIdentifier(name) || name == "_" || name == "init":
		return "; write a Go identifier"
	case name == "main" && pkg == "main":
		return ", as it is the function that a program starts with; choose another name"
	case doc.IsPredeclared(name):
		return ", as it would hide the one of Go itself; choose another name"
	}
	return ""
}

// function reads the name of a function, "Func" or "pkg.Func".
func (r *reader) function(param *Param, value Ref) []Ref {
	pkg, function, qualified := strings.Cut(value.Text, ".")
	if !token.IsIdentifier(pkg) || qualified && !token.IsIdentifier(function) {
		what, written := "a function", "Func"
		if param.Form == Key {
			what, written = "a parameter or a function", "parameter or %[2]s=Func"
		}
		r.wrong(value.Pos, "%s cannot be "+what+"; write %[2]s="+written+", or %[2]s=pkg.Func for one of an imported package", glyph.Quoted(value.Text), param.Key)
		return nil
	}
	return []Ref{value}
}

// names reads a list of names, each of which counts once and may have a count behind
// a colon.
func (r *reader) names(param *Param, value Ref) []Ref {
	var list []Ref
	seen := map[string]bool{}
	for _, item := range split(value) {
		text, count, counted := strings.Cut(item.Text, ":")
		if strings.Contains(item.Text, "/") {
			text, counted = item.Text, false // a colon belongs to the instance, such as that of a port
		}
		name := r.checkedInstance(Ref{Text: text, Pos: item.Pos}, param.Section)
		if counted && name.Text != "" {
			name.Count = r.count(text, param.Section, Ref{Text: count, Pos: item.Pos + token.Pos(len(text)+1)})
		}
		switch {
		case name.Text == "":
		case seen[name.Text]:
			r.wrong(name.Pos, "%s %s is checked twice; name it once", param.Section.Noun, name.Text)
		default:
			list = append(list, name)
		}
		seen[name.Text] = true
	}
	return list
}

// counts reads a list of names, each with a count behind a colon.
func (r *reader) counts(param *Param, value Ref) []Ref {
	var list []Ref
	of := param.Section
	for _, item := range split(value) {
		name, count, counted := strings.Cut(item.Text, ":")
		if turned, ok := turnedRound(item.Text); ok {
			r.wrong(item.Pos, "%s does not say of which %s to reserve how many %ss; write %s", glyph.Quoted(item.Text), of.Noun, of.Unit, turned)
			continue
		}
		ref := r.checked(Ref{Text: name, Pos: item.Pos}, of)
		switch {
		case counted:
			ref.Count = r.count(name, of, Ref{Text: count, Pos: item.Pos + token.Pos(len(name)+1)})
		case ref.Text != "":
			r.wrong(item.Pos, "%s %s has no count; write %[2]s:n, n from 1 to %d", of.Noun, name, mostUnits)
		}
		list = append(list, ref)
	}
	return list
}

// turnedRound puts the name of a reservation before its count, with a colon
// between them, where they are written otherwise: as 4:tills, tills=4 or 4*tills.
func turnedRound(item string) (string, bool) {
	parts := strings.FieldsFunc(item, func(r rune) bool { return strings.ContainsRune(":=*/×", r) })
	if len(parts) != 2 || strings.Contains(item, ":") && settingLike(parts[0]) == "" {
		return "", false
	}
	name, count := parts[0], parts[1]
	if isNumber(name) {
		name, count = count, name
	}
	return name + ":" + count, refused(name) == "" && settingLike(name) == "" && isNumber(count)
}

// count reads how much to reserve; 0 says that it was reported.
func (r *reader) count(name string, of *Section, value Ref) Count {
	n, err := strconv.ParseUint(value.Text, 10, 32)
	switch {
	case err == nil && 1 <= n && n <= mostUnits:
		return Count{N: int(n), Pos: value.Pos}
	case of.Limited() && isExpr(value.Text):
		return Count{Expr: value.Text, Pos: value.Pos}
	}
	r.wrong(value.Pos, "%s cannot be the number of %ss of %s %q; write a whole number from 1 to %d%s",
		glyph.Quoted(value.Text), of.Unit, of.Noun, name, mostUnits, orExpr(of))
	return Count{Pos: value.Pos}
}

// isExpr reports whether a text is what a call may know its number by: a parameter, its
// length, or a function.
func isExpr(text string) bool {
	if inside, ok := strings.CutPrefix(text, "len("); ok {
		param, closed := strings.CutSuffix(inside, ")")
		return closed && token.IsIdentifier(param)
	}
	pkg, function, qualified := strings.Cut(text, ".")
	return token.IsIdentifier(pkg) && (!qualified || token.IsIdentifier(function))
}

func orExpr(of *Section) string {
	if of.Limited() {
		return ", len(PARAM), a parameter or a function of the parameters"
	}
	return ""
}

// checked returns the name of an entry of a section, or an empty Ref if it had to
// report it.
func (r *reader) checked(name Ref, of *Section) Ref {
	why := refused(name.Text)
	if names := strings.Split(name.Text, ","); len(names) > 1 && !slices.ContainsFunc(names, func(one string) bool { return refused(one) != "" }) {
		why = fmt.Sprintf("%q is more than one name; a directive names one %s", name.Text, of.Noun)
	}
	if is := settingLike(name.Text); is != "" {
		why = of.instead(name.Text, is)
	}
	if why != "" {
		r.wrong(name.Pos, "%s", why)
		return Ref{Pos: name.Pos}
	}
	if last := name.Text[len(name.Text)-1:]; strings.ContainsAny(last, ".-_") {
		r.guess(name.Pos, r.directive.Row.Name, "the name %s ends with %q; write %s if that is no part of it",
			name.Text, last, strings.TrimRight(name.Text, ".-_"))
	}
	return name
}

// checkedInstance is checked for a name that may have one of its instances behind a
// slash.
func (r *reader) checkedInstance(name Ref, of *Section) Ref {
	base, instance, is := strings.Cut(name.Text, "/")
	checked := r.checked(Ref{Text: base, Pos: name.Pos}, of)
	switch {
	case !is || checked.Text == "":
		return checked
	case instance == "":
		r.wrong(name.Pos, "%s names no instance of %s; write one behind the slash, or %[2]s for any of them", glyph.Quoted(name.Text), base)
		return Ref{Pos: name.Pos}
	}
	return name
}

// BaseOf is the name of an entry without its instance.
func BaseOf(name string) string {
	base, _, _ := strings.Cut(name, "/")
	return base
}

// refused says why name cannot name an entry of the settings; it is empty if it
// can.
func refused(name string) string {
	switch {
	case name == "":
		return "a name is empty; a name is " + nameRule + "; a list has no spaces, as in A,B"
	case name == "default":
		return "the name default is kept for the settings of names that the JSON file lacks; choose another"
	case !validName.MatchString(name):
		return glyph.Quoted(name) + " is not a valid name; a name is " + nameRule + didYouMeanName(name)
	default:
		return ""
	}
}

// split cuts a list at its commas.
func split(list Ref) []Ref {
	var items []Ref
	at := list.Pos
	for text := range strings.SplitSeq(list.Text, ",") {
		items = append(items, Ref{Text: text, Pos: at})
		at += token.Pos(len(text) + 1)
	}
	return items
}

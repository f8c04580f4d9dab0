package directives

import (
	"go/ast"
	"go/doc"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/resgen-go/resgen/internal/nearest"
)

// mostPermits bounds the count of a reservation: no bulkhead holds more.
const mostPermits = 1_000_000

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
// Kind of one that does not exist is nil.
func (p *parser) read(d ast.Directive) Directive {
	directive := Directive{Kind: kindOf(d.Name), Slash: d.Slash}
	if directive.Kind == nil {
		p.unknown(d)
		return directive
	}
	args, err := d.ParseArgs()
	if err != nil {
		at := unquotable(d)
		directive.Name.Pos = at
		p.fault(at, d.Name, "%s has quotes that do not match; names need none, write %s",
			d.Args[at-d.ArgsPos:], directive.Kind.Usage())
		return directive
	}
	r := reader{p, &directive}
	given, before := map[*Param]bool{}, len(p.faults)
	for _, arg := range args {
		r.argument(d, arg, given)
	}
	if len(p.faults) == before {
		r.missing(given)
	}
	return directive
}

func (p *parser) unknown(d ast.Directive) {
	word, tail := letters(d.Name)
	hint := ""
	if meant, ok := nearest.Name(word, kindNames()); ok {
		hint = "; did you mean " + meant + "?"
		if tail != "" {
			hint = "; did you mean " + meant + "? A space ends the name"
		}
	}
	p.fault(d.Slash, d.Name, "there is no such directive%s (allowed: %s)", hint, strings.Join(kindNames(), ", "))
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
		if c != '"' && c != '`' || i > 0 && !unicode.IsSpace(before) {
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
	value := Ref{arg.Arg, arg.Pos}
	if strings.ContainsRune("\"`", rune(d.Args[arg.Pos-d.ArgsPos])) {
		value.Pos++
	}
	key, text, keyed := strings.Cut(arg.Arg, "=")
	if keyed {
		value = Ref{text, value.Pos + token.Pos(len(key)+1)}
	} else {
		key = ""
	}
	param := r.directive.Kind.param(key)
	switch {
	case keyed && (param == nil || key == ""):
		r.unknownKey(key, arg.Pos)
	case param == nil, !keyed && given[param]:
		r.superfluous(arg)
	case given[param]:
		r.wrong(arg.Pos, "key %s is repeated; write it once: %s", key, r.directive.Kind.Usage())
	default:
		given[param] = true
		param.read(r, value)
	}
}

func (r *reader) unknownKey(key string, pos token.Pos) {
	hint := ""
	if meant, ok := nearest.Name(key, r.directive.Kind.keys()); ok {
		hint = "; did you mean " + meant + "?"
	}
	r.wrong(pos, "unknown key %q%s (allowed: %s)", key, hint, r.directive.Kind.Usage())
}

func (r *reader) superfluous(arg ast.DirectiveArg) {
	hint := ""
	word, _ := letters(arg.Arg)
	if meant, ok := nearest.Name(word, r.directive.Kind.keys()); ok {
		hint = "; did you mean " + meant + "=?"
	}
	r.wrong(arg.Pos, "argument %q is one too many%s (allowed: %s)", arg.Arg, hint, r.directive.Kind.Usage())
}

// missing reports what the directive cannot do without.
func (r *reader) missing(given map[*Param]bool) {
	kind := r.directive.Kind
	if kind.AnyOf && len(given) == 0 {
		r.wrong(r.directive.Slash, "at least one argument is needed: %s", kind.Usage())
	}
	for i := range kind.Params {
		if param := &kind.Params[i]; param.Required && !given[param] {
			r.wrong(r.directive.Slash, "%s is missing; write %s", param.Value, kind.Usage())
		}
	}
}

// wrong reports a fault of the directive.
func (r *reader) wrong(pos token.Pos, format string, args ...any) {
	r.fault(pos, r.directive.Kind.Name, format, args...)
}

func (r *reader) name(value Ref) {
	r.directive.Name = r.checked(value)
}

// timeout reads the name of a timeout, where a duration is easily written.
func (r *reader) timeout(value Ref) {
	if _, err := time.ParseDuration(value.Text); err == nil {
		r.wrong(value.Pos, "%s looks like a duration; name the timeout here and write its duration in the settings, timeouts.NAME.duration", value.Text)
		value.Text = ""
		r.directive.Name = value
		return
	}
	r.name(value)
}

// wrapper reads the name of a type to be declared.
func (r *reader) wrapper(value Ref) {
	if why := noWrapper(value.Text, r.file.Name.Name); why != "" {
		r.wrong(value.Pos, "%q cannot name the wrapper type%s", value.Text, why)
		return
	}
	r.directive.Name = value
}

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

func (r *reader) classify(value Ref) {
	pkg, function, qualified := strings.Cut(value.Text, ".")
	if !token.IsIdentifier(pkg) || qualified && !token.IsIdentifier(function) {
		r.wrong(value.Pos, "%q cannot be a function; write classify=Func, or classify=pkg.Func for one of an imported package", value.Text)
		return
	}
	r.directive.Classify = value
}

// check reads the breakers of gates.
func (r *reader) check(value Ref) {
	seen := map[string]bool{}
	for _, item := range split(value) {
		breaker := r.checked(item)
		switch {
		case breaker.Text == "":
		case seen[breaker.Text]:
			r.wrong(breaker.Pos, "breaker %s is checked twice; name it once", breaker.Text)
		default:
			r.directive.Check = append(r.directive.Check, breaker)
		}
		seen[breaker.Text] = true
	}
}

func (r *reader) preload(value Ref) {
	r.directive.Preload = r.reservations(value)
}

func (r *reader) lease(value Ref) {
	r.directive.Lease = r.reservations(value)
}

func (r *reader) reservations(value Ref) []Reservation {
	var list []Reservation
	for _, item := range split(value) {
		name, count, counted := strings.Cut(item.Text, ":")
		reservation := Reservation{Bulkhead: r.checked(Ref{name, item.Pos})}
		switch {
		case counted:
			reservation.At = item.Pos + token.Pos(len(name)+1)
			reservation.N = r.count(name, Ref{count, reservation.At})
		case reservation.Bulkhead.Text != "":
			r.wrong(item.Pos, "bulkhead %s has no count; write %s:n, n from 1 to %d", name, name, mostPermits)
		}
		list = append(list, reservation)
	}
	return list
}

// count reads how many permits to reserve; 0 says that it was reported.
func (r *reader) count(bulkhead string, value Ref) int {
	n, err := strconv.ParseUint(value.Text, 10, 32)
	if err == nil && 1 <= n && n <= mostPermits {
		return int(n)
	}
	r.wrong(value.Pos, "%q cannot be the number of permits of bulkhead %q; write a whole number from 1 to %d", value.Text, bulkhead, mostPermits)
	return 0
}

// checked returns a name, or an empty Ref if it had to report it.
func (r *reader) checked(name Ref) Ref {
	if why := refused(name.Text); why != "" {
		r.wrong(name.Pos, "%s", why)
		return Ref{Pos: name.Pos}
	}
	return name
}

// refused says why name cannot name a breaker, bulkhead or timeout; it is
// empty if it can.
func refused(name string) string {
	switch {
	case name == "":
		return "a name is empty; a name is " + nameRule + "; a list has no spaces, as in A,B"
	case name == "default":
		return "the name default is kept for the settings of names that the JSON file lacks; choose another"
	case !validName.MatchString(name):
		return strconv.Quote(name) + " is not a valid name; a name is " + nameRule
	default:
		return ""
	}
}

// split cuts a list at its commas.
func split(list Ref) []Ref {
	var items []Ref
	at := list.Pos
	for text := range strings.SplitSeq(list.Text, ",") {
		items = append(items, Ref{text, at})
		at += token.Pos(len(text) + 1)
	}
	return items
}

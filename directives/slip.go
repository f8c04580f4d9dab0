package directives

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/resgen-go/resgen/internal/glyph"
	"github.com/resgen-go/resgen/internal/nearest"
)

// A setting is easily written where a name belongs, because most libraries take
// settings in code.

// sort is what a text looks like that is a setting.
type sort string

const (
	number     sort = "a number"
	percentage sort = "a percentage"
	rate       sort = "a rate"
	duration   sort = "a duration"
	boolean    sort = "a boolean"
	strategy   sort = "a strategy"
	object     sort = "JSON"
)

var (
	amount       = `^[<>=~+-]*[0-9][0-9_,.]*`
	asPercentage = regexp.MustCompile(amount + `(%|pct|percent)$`)
	asRate       = regexp.MustCompile(amount + `(/[a-z0-9]*|rps|qps|tps|rpm|hz)$`)
	asDuration   = regexp.MustCompile(amount + `(nanos|micros|millis|msecs?|secs?|mins?|hrs?|((nano|micro|milli)?second|minute|hour|day)s?)$`)
	asISO        = regexp.MustCompile(`^(P[0-9.]+[DWMY](T.*)?|PT[0-9.]+[HMS].*)$`)
	asNumber     = regexp.MustCompile(amount + `(calls?|permits?|failures?|errors?|slots?|threads?|requests?|times)$|^[<>=~+-]+[0-9]`)
	asBoolean    = []string{"true", "false", "yes", "no", "on", "off", "enabled", "disabled"}
	asStrategy   = []string{"STATIC_THRESHOLD", "CONSECUTIVE_FAILURES", "CANARY_RATE_THRESHOLD", "PACED_RATE_THRESHOLD", "NONE", "FIXED", "ADAPTIVE"}
)

// settingLike returns what sort of setting a text looks like; empty if it looks
// like none.
func settingLike(text string) sort {
	lower := strings.ToLower(glyph.Plain(text))
	_, noDuration := time.ParseDuration(text)
	switch {
	case strings.ContainsAny(text, "{}"):
		return object
	case isNumber(lower), asNumber.MatchString(lower):
		return number
	case noDuration == nil, asDuration.MatchString(lower), asISO.MatchString(text):
		return duration
	case asPercentage.MatchString(lower):
		return percentage
	case asRate.MatchString(lower):
		return rate
	case slices.Contains(asBoolean, lower):
		return boolean
	case slices.Contains(asStrategy, text):
		return strategy
	}
	return ""
}

// isNumber reports whether a text is a number as Go, JSON or people write it. Two
// dots make it a version or an address, which may be a name.
func isNumber(text string) bool {
	digits := strings.NewReplacer("_", "", ",", "").Replace(text)
	_, notInt := strconv.ParseInt(digits, 0, 64)
	_, notFloat := strconv.ParseFloat(digits, 64)
	return strings.ContainsAny(digits, "0123456789") && (notInt == nil || notFloat == nil)
}

// instead says where a setting belongs that stands in place of a name.
func (s *Section) instead(text string, is sort) string {
	shown := text
	if glyph.Plain(text) != text {
		shown = glyph.Shown(text)
	}
	said := shown + " looks like " + string(is) + "; name the " + s.Noun + " here and write "
	place := s.Name + ".NAME"
	if setting := s.settings[is]; setting != "" {
		_, noun, _ := strings.Cut(string(is), " ")
		return said + "the " + noun + " in the settings, " + place + "." + setting
	}
	return said + "its settings in the settings file, " + place
}

// asName is the name that was probably meant with a text that is none: without
// what frames it or ends a sentence, in the letters that it seems to have.
func asName(text string) (string, bool) {
	name := strings.TrimRight(strings.Trim(glyph.Plain(text), " \"'`()[]<>"), ",;:!?./")
	return name, name != text && refused(name) == "" && settingLike(name) == ""
}

// didYouMeanName is the end of a message about a text that is no name.
func didYouMeanName(text string) string {
	if name, ok := asName(text); ok {
		return "; did you mean " + name + "?"
	}
	return ""
}

// A space ends an argument, so one that is written with spaces falls apart.

// joined puts arguments together that spaces have taken apart, as in classify =
// judge. What is left apart is one argument, too.
func (r *reader) joined(args []ast.DirectiveArg) [][]ast.DirectiveArg {
	var groups [][]ast.DirectiveArg
	for i, arg := range args {
		if i > 0 && r.belong(groups[len(groups)-1], arg) {
			groups[len(groups)-1] = append(groups[len(groups)-1], arg)
		} else {
			groups = append(groups, []ast.DirectiveArg{arg})
		}
	}
	return groups
}

// belong reports whether an argument goes on with what stands before it. A comma
// does so only within a list: behind a name it is a slip.
func (r *reader) belong(before []ast.DirectiveArg, arg ast.DirectiveArg) bool {
	first, last := before[0].Arg, before[len(before)-1].Arg
	if len(before) == 1 && isNumber(last) && settingLike(last+arg.Arg) != "" && !isNumber(arg.Arg) {
		return true // with its unit
	}
	key, _, _ := strings.Cut(arg.Arg, "=")
	if key != "" && r.directive.Row.param(key) != nil {
		return len(arg.Arg) == len(key) && endsWith(last, "=:")
	}
	list := len(before) > 1 || strings.ContainsAny(first, "=:{[")
	return endsWith(last, "=:") || beginsWith(arg.Arg, "=:") || list && (endsWith(last, ",") || beginsWith(arg.Arg, ","))
}

func beginsWith(s, chars string) bool { return s != "" && strings.ContainsAny(s[:1], chars) }
func endsWith(s, chars string) bool   { return s != "" && strings.ContainsAny(s[len(s)-1:], chars) }

// apart reads an argument that spaces have taken apart: it tells of the spaces
// where that is all that is wrong, else of the rest.
func (r *reader) apart(d ast.Directive, group []ast.DirectiveArg, given map[*Param]bool) {
	var words []string
	for _, arg := range group {
		words = append(words, arg.Arg)
	}
	whole := strings.Join(words, "")
	text := strings.TrimLeft(whole, "=:,")
	key, value, keyed := strings.Cut(strings.Replace(text, ":", "=", 1), "=")
	param := r.directive.Row.param(key)
	switch {
	case keyed && param != nil && key != "" && value == "":
		given[param] = true
		r.wrong(group[0].Pos, "%q lacks what belongs behind the equals sign; write %s", strings.Join(words, " "), param.usage())
	case keyed && param != nil && key != "":
		given[param] = true
		r.wrong(group[0].Pos, "%q has spaces in it, which end an argument; write %s=%s",
			strings.Join(words, " "), key, text[len(text)-len(value):])
	default:
		r.argument(d, ast.DirectiveArg{Arg: whole, Pos: group[0].Pos}, given)
	}
}

// remark is a comment behind the arguments, where there can be none. It is
// reported, and taken off.
func (r *reader) remark(args []ast.DirectiveArg) []ast.DirectiveArg {
	i := slices.IndexFunc(args, func(arg ast.DirectiveArg) bool {
		return strings.HasPrefix(arg.Arg, "//") || strings.HasPrefix(arg.Arg, "#") || strings.HasPrefix(arg.Arg, "--") || strings.HasPrefix(arg.Arg, "/*")
	})
	if i < 0 {
		return args
	}
	r.wrong(args[i].Pos, "%q begins a comment, which a directive cannot have behind it; put it in a line of its own", args[i].Arg)
	return args[:i]
}

// setting reports one that is written with its name.
func (r *reader) setting(pos token.Pos, text string) {
	section := r.directive.Row.Section()
	r.wrong(pos, "%s looks like a setting; name the %s here and write its settings in the settings file, %s.NAME", glyph.Shown(text), section.Noun, section.Name)
}

// withColon reports a key that has a colon in the place of its equals sign.
func (r *reader) withColon(arg ast.DirectiveArg, given map[*Param]bool) bool {
	row := r.directive.Row
	key, value, ok := strings.Cut(arg.Arg, ":")
	near, known := nearest.Name(key, row.keys())
	switch {
	case ok && !known && row.mayBeNamed() && token.IsIdentifier(key) && settingLike(value) != "":
		r.setting(arg.Pos, arg.Arg)
	case ok && known:
		given[row.param(near)] = true
		r.wrong(arg.Pos, "%q has a colon in place of the equals sign; write %s=%s", arg.Arg, near, value)
	default:
		return false
	}
	return true
}

package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/resgen-go/resgen/runtime/internal/redact"
	"github.com/resgen-go/resgen/runtime/internal/setting"
	"github.com/tailscale/hujson"
)

// object is the value as an object, or a fault.
func (r *reader) object(v hujson.Value, path string) (*hujson.Object, bool) {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		r.wrong(v, path, "an object")
	}
	return object, ok
}

// value reads the value of a field, or reports what is wrong with it.
func (r *reader) value(f *setting.Field, path string, v hujson.Value) (value any, ok bool) {
	value, ok = r.typed(f, v)
	switch text, isText := r.textOf(v); {
	case !ok && isText && f.OneOf != nil:
		r.fault(v.StartOffset, path, "%s is unknown; %s", r.describe(v), suggestAmong(text, f.OneOf))
	case !ok:
		r.wrong(v, path, expected(f)+r.guess(f, text))
	case !r.inRange(f, v, value):
		r.fault(v.StartOffset, path, "%s%s", f.Outside(value, r.describe(v)), r.otherUnit(f, v))
		ok = false
	default:
		if doubt := f.Doubt(r.written(v), value); doubt != "" {
			r.warn(v.StartOffset, path, "%s", doubt)
		}
	}
	return value, ok
}

// written is a number or text as it stands in the file, without quotes.
func (r *reader) written(v hujson.Value) string {
	if text, ok := r.textOf(v); ok {
		return text
	}
	return r.raw(v)
}

// otherUnit suggests what a number outside the range was probably meant to be.
func (r *reader) otherUnit(f *setting.Field, v hujson.Value) string {
	if r.secret {
		return ""
	}
	_, isNumber := r.numberOf(v)
	if meant, ok := f.Meant(r.raw(v)); isNumber && ok {
		return fmt.Sprintf("; a number is seconds, did you mean %q?", meant)
	}
	return ""
}

// inRange reports whether a value is in the range of a field. A number of seconds is
// compared also before it is rounded to nanoseconds, as the schema compares it.
func (r *reader) inRange(f *setting.Field, v hujson.Value, value any) bool {
	seconds, isNumber := r.numberOf(v)
	return f.Range.Holds(value) && (f.Type != setting.Duration || !isNumber || f.Range.HoldsSeconds(seconds))
}

// typed reads a value as the Go type of a field.
func (r *reader) typed(f *setting.Field, v hujson.Value) (value any, ok bool) {
	text, isText := r.textOf(v)
	number, isNumber := r.numberOf(v)
	switch {
	case f.Type == setting.Int:
		return whole(number), isNumber && number == math.Trunc(number)
	case f.Type == setting.Float:
		return number, isNumber
	case f.Type == setting.Duration && isNumber:
		return setting.Seconds(r.raw(v)), true
	case f.Type == setting.Duration:
		d, err := setting.ParseDuration(text)
		return d, isText && err == nil
	case f.Type == setting.Bool:
		raw := r.raw(v)
		return raw == "true", raw == "true" || raw == "false"
	default:
		return text, isText && (f.OneOf == nil || slices.Contains(f.OneOf, text))
	}
}

// whole is a number without a fraction as an int, or the nearest int if none is as
// large.
func whole(number float64) int {
	switch {
	case number >= math.MaxInt:
		return math.MaxInt
	case number <= math.MinInt:
		return math.MinInt
	}
	return int(number)
}

func (r *reader) textOf(v hujson.Value) (string, bool) {
	literal, ok := v.Value.(hujson.Literal)
	if !ok || literal.Kind() != '"' {
		return "", false
	}
	return literal.String(), true
}

// numberOf is the value as a number, infinite if no float64 is as large.
func (r *reader) numberOf(v hujson.Value) (float64, bool) {
	if v.Value.Kind() != '0' || r.odd[v.StartOffset] {
		return 0, false
	}
	number, _ := strconv.ParseFloat(r.raw(v), 64)
	return number, true
}

// raw is the value as the file writes it.
func (r *reader) raw(v hujson.Value) string { return string(r.data[v.StartOffset:v.EndOffset]) }

// wrong reports a value of a wrong type.
func (r *reader) wrong(v hujson.Value, path, expected string) {
	is, hint := "is not", ""
	switch kind := v.Value.Kind(); {
	case r.odd[v.StartOffset]:
		is = "is no JSON value, expected"
	case kind == 'n':
		hint = "; leave it out to have the default"
	}
	r.fault(v.StartOffset, path, "%s %s %s%s", r.describe(v), is, expected, hint)
}

// describe is a value as messages show it: without secrets.
func (r *reader) describe(v hujson.Value) string {
	text, isText := r.textOf(v)
	safe := redact.Text(text)
	switch v.Value.(type) {
	case *hujson.Object:
		return "an object"
	case *hujson.Array:
		return "an array"
	}
	switch {
	case r.secret:
		return "the value"
	case isText && safe != text:
		return quote(safe)
	default:
		return shorten(r.raw(v))
	}
}

// expected says which values a field takes.
func expected(f *setting.Field) string {
	switch f.Type {
	case setting.Int:
		return "a whole number in " + f.Allowed()
	case setting.Float:
		return "a number in " + f.Allowed()
	case setting.Duration:
		return "a duration in " + f.Allowed() + "; write " + setting.DurationForms
	default:
		return f.Allowed()
	}
}

// guess suggests what a text was probably meant to be that a field does not take.
func (r *reader) guess(f *setting.Field, text string) string {
	if f.Type != setting.Duration || r.secret {
		return ""
	}
	if meant := f.Doubt(text, setting.Seconds(text)); meant != "" {
		meant, _ := f.Meant(text)
		return fmt.Sprintf("; did you mean %q or %q?", meant, text+"s")
	}
	near, ok := setting.NearDuration(text)
	if d, err := setting.ParseDuration(near); ok && err == nil && f.Range.Holds(d) {
		return "; did you mean " + quote(near) + "?"
	}
	return ""
}

// longest is how many bytes of a text in the file a message repeats.
const longest = 60

// shorten cuts a text that would make a message unreadable.
func shorten(text string) string {
	if len(text) <= longest {
		return text
	}
	end := longest
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

func quote(text string) string { return strconv.Quote(shorten(redact.Text(text))) }

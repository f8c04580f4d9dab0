// Package setting says what a setting is: a field of a struct whose tags give
// its name, default, range and meaning. Checking, schema, help and documents
// are all derived from these tags, so they can't drift apart.
//
//	type Settings struct {
//		Threshold int           `setting:"threshold" default:"3" range:"[1,1000000]" doc:"failures that open it"`
//		Trials    int           `setting:"trials" default:"=threshold" range:"[1,1000000]" doc:"trials that decide"`
//		Rate      float64       `setting:"rate" default:"21" range:"(0,100]" doc:"percent that opens it"`
//		Delay     time.Duration `setting:"delay" default:"20s" range:"[0s,8760h]" doc:"stay in OPEN"`
//		Window    string        `setting:"window" default:"CALLS" oneof:"CALLS,SECONDS" doc:"what is counted"`
//		Limit     *int          `setting:"limit" range:"[0,1000000]" doc:"waiting calls at most, unbounded when absent"`
//		Prefix    string        `setting:"prefix" default:"app" doc:"begins every name"`
//	}
//
// A field is an int, float64, [time.Duration], bool or string, or a pointer to
// one of these: then it is optional, and nil means off. default "=other" takes
// the value of another setting. range is in interval notation: a bracket
// includes the bound, a parenthesis excludes it, and an empty bound is none; a
// duration has both. usual:"1m" is the longest duration that a number without a
// unit may mean without a warning; beyond names a way out for values above the
// range. Fields without a setting tag are no settings; those of an embedded struct
// count as the struct's own. Rules between fields are methods: [Checker], [Warner].
//
// The package knows nothing of JSON, of files and of the meaning of a setting.
package setting

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// Type is the type of a setting's value.
type Type uint8

// The types and the Go types of their values.
const (
	Int      Type = iota // int
	Float                // float64
	Duration             // time.Duration
	Bool                 // bool
	Text                 // string, one of Field.OneOf where it has any
)

// Field describes one setting. It is shared: don't change it.
type Field struct {
	Name     string        // as the file spells it
	Type     Type          // type of the value
	Default  any           // value when nothing is given; nil: off, or see Like
	Like     string        // the setting whose value is the default, if any
	Range    Range         // allowed numbers and durations
	OneOf    []string      // allowed texts; nil: any
	Beyond   string        // a way out where a value is above the range
	Optional bool          // nil is a value and means off
	Usual    time.Duration // longest that may be a number of seconds without a warning; 0: see usualLongest
	Doc      string        // its meaning, without a final period
	index    []int
}

// Problem is a broken rule between settings.
type Problem struct {
	Field   string // name of the setting to blame
	Other   string // name of the setting it does not fit, if that is one; a rule looks at no third
	Message string // starts with the value: "3 is below failureThreshold (5)"
}

// Checker is a settings struct with rules between its fields. When Check is called
// each field is valid by itself: a field that was not has its default, and problems
// that name it are dropped.
type Checker interface{ Check() []Problem }

// Warner is a settings struct with combinations that are allowed but mean something
// else than they say, such as a minimum that the window can't hold. Warn is called
// when Check finds nothing.
type Warner interface{ Warn() []Problem }

var described sync.Map // reflect.Type → []Field

// Describe returns the settings of the struct that settings points to, in their
// order. It panics if a tag is wrong.
func Describe(settings any) []Field {
	t := reflect.TypeOf(settings).Elem()
	if fields, ok := described.Load(t); ok {
		return fields.([]Field)
	}
	fields := describe(t)
	described.Store(t, fields)
	return fields
}

// Defaults gives every setting of the struct that settings points to its default.
func Defaults(settings any) { Fill(settings, nil) }

// Fill sets every setting of the struct that settings points to: to the given
// value of its name, else to its default. A given value has the type of its
// [Type].
func Fill(settings any, given map[string]any) {
	fields := Describe(settings)
	for _, f := range fields {
		if v, ok := given[f.Name]; ok {
			f.Set(settings, v)
		} else {
			f.Set(settings, f.Default)
		}
	}
	for _, f := range fields {
		if _, ok := given[f.Name]; !ok && f.Like != "" {
			f.Set(settings, lookup(fields, f.Like).Get(settings))
		}
	}
}

// Get returns the setting's value in the struct that settings points to, and
// nil if it is off.
func (f *Field) Get(settings any) any {
	v := reflect.ValueOf(settings).Elem().FieldByIndex(f.index)
	if !f.Optional {
		return v.Interface()
	}
	if v.IsNil() {
		return nil
	}
	return v.Elem().Interface()
}

// Set sets the setting in the struct that settings points to. nil is the zero
// value: off, if the setting is optional.
func (f *Field) Set(settings, value any) {
	v := reflect.ValueOf(settings).Elem().FieldByIndex(f.index)
	if value == nil {
		v.SetZero()
		return
	}
	if f.Optional {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	v.Set(reflect.ValueOf(value))
}

// Allowed says in words or as a range what the setting may be: "[1, 1000000]",
// "COUNT_BASED or TIME_BASED".
func (f *Field) Allowed() string {
	switch f.Type {
	case Bool:
		return "true or false"
	case Text:
		if f.OneOf == nil {
			return "text in double quotes"
		}
		return strings.Join(f.OneOf, " or ")
	default:
		return f.Range.String()
	}
}

func lookup(fields []Field, name string) *Field {
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &fields[i]
}

func describe(t reflect.Type) []Field {
	var fields []Field
	for _, sf := range reflect.VisibleFields(t) {
		name, ok := sf.Tag.Lookup("setting")
		if !ok {
			continue
		}
		f, err := describeField(name, sf)
		if err != nil {
			panic(fmt.Sprintf("setting: %v.%s: %v", t, sf.Name, err))
		}
		fields = append(fields, f)
	}
	for _, f := range fields {
		if other := lookup(fields, f.Like); f.Like != "" && (other == nil || other.Like != "" || other.Type != f.Type) {
			panic(fmt.Sprintf("setting: %v: the default of %s is no setting of its type with a value: %s", t, f.Name, f.Like))
		}
	}
	return fields
}

func describeField(name string, sf reflect.StructField) (f Field, err error) {
	f = Field{Name: name, Doc: sf.Tag.Get("doc"), Beyond: sf.Tag.Get("beyond"), index: sf.Index}
	if f.Type, f.Optional, err = typeOf(sf.Type); err != nil {
		return f, err
	}
	if f.Range, err = parseRange(f.Type, sf.Tag.Get("range")); err != nil {
		return f, err
	}
	if f.Type == Duration && !f.Range.ofDurations() {
		return f, fmt.Errorf("the range of a duration is from 0s or later to a bound that is inside, not %v", f.Range)
	}
	if usual := sf.Tag.Get("usual"); usual != "" {
		if f.Usual, err = ParseDuration(usual); err != nil || f.Type != Duration || !f.Range.Holds(f.Usual) {
			return f, fmt.Errorf("bad usual %q", usual)
		}
	}
	if oneOf := sf.Tag.Get("oneof"); oneOf != "" {
		f.OneOf = strings.Split(oneOf, ",")
	}
	text, ok := sf.Tag.Lookup("default")
	if like, is := strings.CutPrefix(text, "="); is {
		f.Like = like
		return f, nil
	}
	if !ok {
		if !f.Optional {
			return f, fmt.Errorf("no default")
		}
		return f, nil
	}
	if f.Default, err = parse(f.Type, text); err != nil {
		return f, err
	}
	return f, f.Accepts(f.Default)
}

// Outside says that a value is not in the range, as a message shows the value.
func (f *Field) Outside(value any, shown string) string {
	text := fmt.Sprintf("%s is outside %v", shown, f.Range)
	if f.Beyond != "" && compare(value, f.Range.High) > 0 {
		text += "; " + f.Beyond
	}
	return text
}

// Accepts returns an error if a value, which has the setting's type, is not allowed.
func (f *Field) Accepts(value any) error {
	if f.OneOf != nil && !slices.Contains(f.OneOf, value.(string)) {
		return fmt.Errorf("%s is not %s", Format(value), f.Allowed())
	}
	if !f.Range.Holds(value) {
		return errors.New(f.Outside(value, Format(value)))
	}
	return nil
}

func typeOf(t reflect.Type) (of Type, optional bool, err error) {
	if t.Kind() == reflect.Pointer {
		of, _, err = typeOf(t.Elem())
		return of, true, err
	}
	switch t {
	case reflect.TypeFor[int]():
		return Int, false, nil
	case reflect.TypeFor[float64]():
		return Float, false, nil
	case reflect.TypeFor[time.Duration]():
		return Duration, false, nil
	case reflect.TypeFor[bool]():
		return Bool, false, nil
	case reflect.TypeFor[string]():
		return Text, false, nil
	}
	return 0, false, fmt.Errorf("%v can't be a setting", t)
}

package setting

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/resgen-go/resgen/internal/words"
)

// Range is an interval of ints, floats or durations. A nil bound is none, so
// the zero Range holds everything.
type Range struct {
	Low, High         any  // of the setting's type
	LowOpen, HighOpen bool // the bound itself is outside
}

// Holds reports whether value, which has the type of the bounds, is inside.
func (r Range) Holds(value any) bool {
	if r.Low != nil {
		if c := compare(value, r.Low); c < 0 || c == 0 && r.LowOpen {
			return false
		}
	}
	if r.High != nil {
		if c := compare(value, r.High); c > 0 || c == 0 && r.HighOpen {
			return false
		}
	}
	return true
}

// HoldsSeconds reports whether a duration of so many seconds is inside, compared
// before it is rounded to nanoseconds, as a schema compares it.
func (r Range) HoldsSeconds(s float64) bool {
	low, high := r.Low.(time.Duration), r.High.(time.Duration)
	return Range{low.Seconds(), high.Seconds(), r.LowOpen, r.HighOpen}.Holds(s)
}

// ofDurations reports whether the range may be that of a duration setting. It must
// exclude the longest duration, which longer ones are read as.
func (r Range) ofDurations() bool {
	low, hasLow := r.Low.(time.Duration)
	_, hasHigh := r.High.(time.Duration)
	return hasLow && hasHigh && low >= 0 && !r.HighOpen
}

// String is the range in interval notation: "(0, 100]". A bound that is none is
// left out: "[1, )".
func (r Range) String() string {
	var low, high string
	left, right := "[", "]"
	if r.Low != nil {
		low = Format(r.Low)
	}
	if r.High != nil {
		high = Format(r.High)
	}
	if r.LowOpen || r.Low == nil {
		left = "("
	}
	if r.HighOpen || r.High == nil {
		right = ")"
	}
	return left + low + ", " + high + right
}

// Format writes a value as messages show it; nil is "off", a duration is
// without zero units: "1h", not "1h0m0s".
func Format(value any) string {
	switch v := value.(type) {
	case nil:
		return "off"
	case time.Duration:
		return words.Duration(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

func compare(a, b any) int {
	switch a := a.(type) {
	case int:
		return cmp.Compare(a, b.(int))
	case time.Duration:
		return cmp.Compare(a, b.(time.Duration))
	default:
		return cmp.Compare(a.(float64), b.(float64))
	}
}

// parseRange reads interval notation, as in the tags.
func parseRange(of Type, text string) (r Range, err error) {
	if text == "" {
		return r, nil
	}
	low, high, ok := strings.Cut(strings.Trim(text, "[]()"), ",")
	if !ok || of == Bool || of == Text {
		return r, fmt.Errorf("bad range %q", text)
	}
	r.LowOpen, r.HighOpen = text[0] == '(', text[len(text)-1] == ')'
	if r.Low, err = parseBound(of, low); err != nil {
		return r, err
	}
	r.High, err = parseBound(of, high)
	return r, err
}

func parseBound(of Type, text string) (any, error) {
	if text = strings.TrimSpace(text); text == "" {
		return nil, nil
	}
	return parse(of, text)
}

// parse reads a value as the tags spell it.
func parse(of Type, text string) (any, error) {
	switch of {
	case Int:
		return strconv.Atoi(text)
	case Float:
		return strconv.ParseFloat(text, 64)
	case Duration:
		return ParseDuration(text)
	case Bool:
		return strconv.ParseBool(text)
	default:
		return text, nil
	}
}

package setting

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Patterns are regular expressions, which every dialect reads alike, for the
// texts of durations in a range. They look at each part of a text by itself, as
// far as an expression can see: that the parts of "30m45m" are too long
// together is up to [Range.Nearest].
type Patterns struct {
	Enough string // matches the texts that are not below the range
	Above  string // matches the texts that are above it
}

// ofDurations reports whether the range can be that of a duration setting.
func (r Range) ofDurations() bool {
	low, hasLow := r.Low.(time.Duration)
	_, hasHigh := r.High.(time.Duration)
	return hasLow && hasHigh && low >= 0 && !r.HighOpen
}

// Patterns returns the patterns for the texts that [DurationPattern] matches.
// The range is that of a duration setting.
func (r Range) Patterns() Patterns {
	return Patterns{
		Enough: enough(r.Low.(time.Duration), r.LowOpen),
		Above:  `(^|[^\d.,])(` + somePart(r.High.(time.Duration), true) + `)`,
	}
}

func enough(low time.Duration, open bool) string {
	const twoParts = `[^-]*[1-9].*[A-Zµμa-z].*[1-9]`
	switch {
	case low > 0:
		return `^(` + twoParts + `|([^-]*[^\d.,-])?(` + somePart(low, open) + `))`
	case open:
		return `^[^-]*[1-9]`
	default:
		return `^[^-]|^[^1-9]*$`
	}
}

// parts are the units of both forms of a duration.
var parts = []struct {
	unit string
	long time.Duration
}{
	{`ns`, time.Nanosecond},
	{`[uµμ]s`, time.Microsecond},
	{`ms`, time.Millisecond},
	{`[sS]`, time.Second},
	{`(M|m([^s]|$))`, time.Minute},
	{`[hH]`, time.Hour},
	{`D`, 24 * time.Hour},
	{`W`, 7 * 24 * time.Hour},
}

// somePart matches one part of a duration that is longer than limit or, unless
// longer is asked for, as long.
func somePart(limit time.Duration, longer bool) string {
	var all []string
	for _, p := range parts {
		ratio := ratio{int64(limit), int64(p.long)}
		number := ratio.greater()
		if equal := ratio.equal(); !longer && equal != "" {
			number += `|` + equal
		}
		all = append(all, `0*(`+number+`)`+p.unit)
	}
	return strings.Join(all, `|`)
}

// ratio of two whole numbers, the first of them not negative.
type ratio struct{ of, to int64 }

// greater matches the decimals, without zeros in front, that are greater than
// the ratio.
func (r ratio) greater() string {
	whole := r.whole()
	all := []string{`[1-9]\d{` + strconv.Itoa(len(whole)) + `,}`}
	for i := range whole {
		if above := digitAbove(whole[i]); above != "" {
			all = append(all, whole[:i]+above+anyDigits(len(whole)-i-1))
		}
	}
	return `(` + strings.Join(all, `|`) + `)([.,]\d*)?|` + whole + `[.,](` + r.greaterFraction() + `)`
}

// greaterFraction matches the digits behind the mark that make a decimal greater.
func (r ratio) greaterFraction() string {
	fixed, cycle := r.fraction()
	var all []string
	for i := range fixed {
		if above := digitAbove(fixed[i]); above != "" {
			all = append(all, fixed[:i]+above+`\d*`)
		}
	}
	if cycle == "" {
		return strings.Join(append(all, fixed+`0*[1-9]\d*`), `|`)
	}
	for i := range cycle {
		if above := digitAbove(cycle[i]); above != "" {
			all = append(all, fixed+`(`+cycle+`)*`+cycle[:i]+above+`\d*`)
		}
	}
	return strings.Join(all, `|`)
}

// equal matches the decimals, without zeros in front, that are the ratio. It is
// empty if none is.
func (r ratio) equal() string {
	switch fixed, cycle := r.fraction(); {
	case cycle != "":
		return ""
	case fixed == "":
		return r.whole() + `([.,]0*)?`
	default:
		return r.whole() + `[.,]` + fixed + `0*`
	}
}

// whole is the digits before the mark, none for zero.
func (r ratio) whole() string {
	if r.of < r.to {
		return ""
	}
	return strconv.FormatInt(r.of/r.to, 10)
}

// fraction is the digits behind the mark, by long division: those that stand
// once, and those that come again for ever.
func (r ratio) fraction() (fixed, cycle string) {
	var digits []byte
	seen := map[int64]int{} // from a rest to the place of its digit
	for rest := r.of % r.to; rest != 0; rest %= r.to {
		if at, again := seen[rest]; again {
			return string(digits[:at]), string(digits[at:])
		}
		seen[rest] = len(digits)
		rest *= 10
		digits = append(digits, '0'+byte(rest/r.to))
	}
	return string(digits), ""
}

// digitAbove matches the digits above one; there is none above 9.
func digitAbove(digit byte) string {
	switch digit {
	case '9':
		return ""
	case '8':
		return "9"
	}
	return "[" + string(digit+1) + "-9]"
}

func anyDigits(n int) string {
	if n <= 1 {
		return `\d`[:2*n]
	}
	return `\d{` + strconv.Itoa(n) + `}`
}

// judge is a pair of patterns, compiled.
type judge struct{ enough, above *regexp.Regexp }

var judges sync.Map // Range → judge

func (r Range) judge() judge {
	if j, ok := judges.Load(r); ok {
		return j.(judge)
	}
	p := r.Patterns()
	j := judge{regexp.MustCompile(p.Enough), regexp.MustCompile(p.Above)}
	judges.Store(r, j)
	return j
}

// HoldsText reports whether a duration that is written as text, in a form that
// [ParseDuration] reads, is inside by what [Range.Patterns] can see.
func (r Range) HoldsText(text string) bool {
	// Rounding takes less than a microsecond off a part, so what is well
	// between the bounds needs no pattern.
	if d, err := ParseDuration(text); err == nil && r.Low.(time.Duration) < d && d < r.High.(time.Duration)-time.Microsecond {
		return true
	}
	j := r.judge()
	return j.enough.MatchString(text) && !j.above.MatchString(text)
}

// HoldsSeconds reports whether a duration of so many seconds is inside, before
// it is rounded to nanoseconds.
func (r Range) HoldsSeconds(s float64) bool {
	low, high := r.Low.(time.Duration), r.High.(time.Duration)
	return Range{low.Seconds(), high.Seconds(), r.LowOpen, r.HighOpen}.Holds(s)
}

// Nearest is the duration inside that is nearest to d.
func (r Range) Nearest(d time.Duration) time.Duration {
	low, high := r.Low.(time.Duration), r.High.(time.Duration)
	if r.LowOpen {
		low++
	}
	return max(low, min(d, high))
}

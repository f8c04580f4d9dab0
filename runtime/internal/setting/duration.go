package setting

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// The two ways of writing a duration as text, as regular expressions that every
// dialect reads alike. Years and months have no fixed length, so ISO 8601 is
// read from weeks down.
const (
	goForm  = `[+-]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)`
	isoForm = `[+-]?P(` + isoDate + `(T` + isoTime + `)?|T` + isoTime + `)`
	isoDate = `(` + isoNumber + `W(` + isoNumber + `D)?|` + isoNumber + `D)`
	isoTime = `(` + isoNumber + `H(` + isoNumber + `M)?(` + isoNumber + `S)?|` +
		isoNumber + `M(` + isoNumber + `S)?|` + isoNumber + `S)`
	isoNumber = `\d+([.,]\d+)?`
)

// DurationPattern is the regular expression for the durations that
// [ParseDuration] reads. It is for editors: a program that matched it would link
// package regexp, which is larger than all that reads settings.
const DurationPattern = `^(` + goForm + `|` + isoForm + `)$`

// DurationForms shows a person how to write a duration.
const DurationForms = `"20s", "1m30s", "PT20S" or a number of seconds`

// ErrDuration is the fault of a text that is no duration.
var ErrDuration = errors.New("no duration; allowed are " + DurationForms)

// ParseDuration reads Go's durations ("20s", "1m30s") and those of ISO 8601
// ("PT20S", "P1DT2H3.5S"). One that is longer than a [time.Duration] holds,
// some 292 years, becomes the longest one, and one that is shorter a
// nanosecond: zero often has a meaning of its own.
func ParseDuration(text string) (time.Duration, error) {
	unsigned, negative := strings.CutPrefix(text, "-")
	if !negative {
		unsigned = strings.TrimPrefix(text, "+")
	}
	d, ok := parseGo(unsigned)
	if iso, is := strings.CutPrefix(unsigned, "P"); is {
		d, ok = parseISO(iso)
	}
	if !ok {
		return 0, ErrDuration
	}
	if d == 0 && strings.ContainsAny(text, "123456789") {
		d = 1
	}
	if negative {
		d = -d
	}
	return d, nil
}

// NearDuration is the duration that a text was probably meant to be that is none:
// "2 s", "20S", "pt5m" or "20".
func NearDuration(text string) (string, bool) {
	words := strings.Fields(text)
	for i := 1; i < len(words); i++ {
		if endsInNumber(words[i-1]) && strings.TrimLeft(words[i], digits+".,") != words[i] {
			return "", false // two numbers, or one of which nobody knows where it ends
		}
	}
	dense := strings.Join(words, "")
	for _, meant := range []string{dense, strings.ToLower(dense), strings.ToUpper(dense), dense + "s"} {
		if _, err := ParseDuration(meant); err == nil {
			return meant, true
		}
	}
	return "", false
}

// parseGo reads a duration of Go without a sign. The standard library judges
// whether it is one by zeros in place of its digits: they are not too long.
func parseGo(text string) (d time.Duration, ok bool) {
	zeros := strings.Map(func(r rune) rune {
		if '1' <= r && r <= '9' {
			return '0'
		}
		return r
	}, text)
	_, err := time.ParseDuration("+" + zeros)
	if err != nil || endsInNumber(text) && text != "0" {
		return 0, false
	}
	return parseTimes(text, 1), true
}

// An isoUnit is a letter of ISO 8601, and the length that it stands for.
type isoUnit struct {
	letter string
	times  time.Duration
	unit   string // of Go
}

var (
	isoDays  = []isoUnit{{"W", 7 * 24, "h"}, {"D", 24, "h"}}
	isoHours = []isoUnit{{"H", 1, "h"}, {"M", 1, "m"}, {"S", 1, "s"}}
)

// parseISO reads what stands after the P.
func parseISO(text string) (d time.Duration, ok bool) {
	date, clock, timed := strings.Cut(text, "T")
	days, areDays := sumOf(date, isoDays)
	hours, areHours := sumOf(clock, isoHours)
	return sumUp(days, hours), text != "" && areDays && areHours && timed == (clock != "")
}

// sumOf adds numbers of the units, each of which may stand once, in this order.
func sumOf(text string, units []isoUnit) (sum time.Duration, ok bool) {
	for _, u := range units {
		number, rest, found := strings.Cut(text, u.letter)
		if !found {
			continue
		}
		number = strings.Replace(number, ",", ".", 1)
		if !isNumber(number) {
			return 0, false
		}
		sum, text = sumUp(sum, parseTimes(number+u.unit, u.times)), rest
	}
	return sum, text == ""
}

// sumUp is a + b, and at most the longest duration. Neither is negative.
func sumUp(a, b time.Duration) time.Duration {
	if b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

const digits = "0123456789"

func endsInNumber(text string) bool { return strings.TrimRight(text, digits+".,") != text }

// isNumber reports whether a text is digits, or digits on both sides of a point.
func isNumber(text string) bool {
	whole, fraction, parted := strings.Cut(text, ".")
	return isDigits(whole) && (!parted || isDigits(fraction))
}

func isDigits(text string) bool { return text != "" && strings.Trim(text, digits) == "" }

// parseTimes is a number of Go durations of one length.
func parseTimes(text string, times time.Duration) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil || d > math.MaxInt64/times {
		return math.MaxInt64
	}
	return d * times
}

// Seconds is a JSON number of seconds as a duration, to the nanosecond. It is zero
// only for zero, and at most the longest duration.
func Seconds(number string) time.Duration {
	if d, err := ParseDuration(number + "s"); err == nil {
		return d // a float64 could not tell a year from a year and a nanosecond
	}
	s, _ := strconv.ParseFloat(number, 64) // infinite if it is beyond all
	ns := math.Round(s * float64(time.Second))
	switch {
	case ns == 0 && s != 0:
		return time.Duration(math.Copysign(1, s))
	case ns >= math.MaxInt64:
		return math.MaxInt64
	case ns <= math.MinInt64:
		return -math.MaxInt64
	}
	return time.Duration(ns)
}

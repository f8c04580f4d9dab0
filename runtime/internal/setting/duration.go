package setting

import (
	"errors"
	"math"
	"regexp"
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
// [ParseDuration] reads.
const DurationPattern = `^(` + goForm + `|` + isoForm + `)$`

// DurationForms shows a person how to write a duration.
const DurationForms = `"20s", "1m30s", "PT20S" or a number of seconds`

var (
	goDuration  = regexp.MustCompile(`^` + goForm + `$`)
	isoDuration = regexp.MustCompile(`^` + isoForm + `$`)
	isoPart     = regexp.MustCompile(`(\d+)([.,]\d+)?([WDHMS])`)
)

// ErrDuration is the fault of a text that is no duration.
var ErrDuration = errors.New("no duration; allowed are " + DurationForms)

// ParseDuration reads Go's durations ("20s", "1m30s") and those of ISO 8601
// ("PT20S", "P1DT2H3.5S"). One that is longer than a [time.Duration] holds,
// some 292 years, becomes the longest one, and one that is shorter a
// nanosecond: zero often has a meaning of its own.
func ParseDuration(text string) (time.Duration, error) {
	unsigned, negative := strings.CutPrefix(text, "-")
	var d time.Duration
	switch {
	case goDuration.MatchString(text):
		d = parseTimes(unsigned, 1)
	case isoDuration.MatchString(text):
		d = parseISO(unsigned)
	default:
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

var parted = regexp.MustCompile(`\d\s+[\d.,]|[.,]\s+\d`)

// NearDuration is the duration that somebody most likely meant with a text that
// is none: "2 s", "20S", "pt5m" or "20".
func NearDuration(text string) (string, bool) {
	if parted.MatchString(text) {
		return "", false // two numbers, or one of which nobody knows where it ends
	}
	dense := strings.Join(strings.Fields(text), "")
	for _, meant := range []string{dense, strings.ToLower(dense), strings.ToUpper(dense), dense + "s"} {
		if _, err := ParseDuration(meant); err == nil {
			return meant, true
		}
	}
	return "", false
}

func parseISO(text string) (sum time.Duration) {
	for _, part := range isoPart.FindAllStringSubmatch(text, -1) {
		number, times, unit := part[1]+strings.Replace(part[2], ",", ".", 1), time.Duration(1), strings.ToLower(part[3])
		switch unit {
		case "w":
			times, unit = 7*24, "h"
		case "d":
			times, unit = 24, "h"
		}
		d := parseTimes(number+unit, times)
		if d > math.MaxInt64-sum {
			return math.MaxInt64
		}
		sum += d
	}
	return sum
}

// parseTimes is a number of Go durations of one length.
func parseTimes(text string, times time.Duration) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil || d > math.MaxInt64/times {
		return math.MaxInt64
	}
	return d * times
}

// Seconds is a JSON number of seconds as a duration, to the nanosecond: zero only
// for zero, and at most the longest one.
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

package setting

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// usualLongest is the duration above which a number without a unit brings a
// warning, for settings without the tag usual.
const usualLongest = 2 * time.Minute

// counted parts a duration that is written as a number of one unit, as a JSON
// number or a text.
func counted(written string) (number, unit string, ok bool) {
	number = strings.TrimRight(written, "sm")
	unit = written[len(number):]
	_, known := doubtful[unit]
	return number, unit, known && isNumber(number)
}

// doubtful is from how many of a unit on nobody writes that unit: 300 minutes
// are "5h", 10000 seconds "3h".
var doubtful = map[string]float64{"": 0, "m": 100, "s": 10_000}

// Doubt is a warning about an allowed value with a unit that is probably wrong. It
// says what the value means and what was meant; without a doubt it is empty.
// written is the number or text in the file, without quotes.
func (f *Field) Doubt(written string, value any) string {
	switch value := value.(type) {
	case time.Duration:
		return f.doubtDuration(written, value)
	case float64:
		if f.isPercent() && 0 < value && value <= 1 {
			return fmt.Sprintf("%s means %[1]s percent; if the share %[1]s was meant, write %s", written, Format(percent(value)))
		}
	}
	return ""
}

func (f *Field) doubtDuration(written string, value time.Duration) string {
	number, unit, ok := counted(written)
	if !ok || value <= f.usual() {
		return ""
	}
	n, _ := strconv.ParseFloat(number, 64)
	meant, ok := f.Meant(number)
	if !ok || n < doubtful[unit] {
		return ""
	}
	shown, because := strconv.Quote(written), ""
	if unit == "" {
		shown, because = written, ", because a number without a unit is seconds"
	}
	return fmt.Sprintf("%s means %s%s; if that was meant, write %q, else %q", shown, Format(value), because, Format(value), meant)
}

// Meant is the duration that a number was probably meant to be that is too large as
// seconds: milliseconds, or round nanoseconds, which is how programs in Go write
// durations. It is never longer than an hour.
func (f *Field) Meant(number string) (text string, ok bool) {
	if f.Type != Duration {
		return "", false
	}
	for _, unit := range []string{"ms", "ns"} {
		d, err := ParseDuration(number + unit)
		round := unit == "ms" || d%time.Millisecond == 0
		if err == nil && round && d <= time.Hour && f.Range.Holds(d) {
			return number + unit, true
		}
	}
	return "", false
}

// usual is the longest duration that may be a number of seconds without a warning.
func (f *Field) usual() time.Duration {
	if f.Usual > 0 {
		return f.Usual
	}
	return usualLongest
}

func (f *Field) isPercent() bool { return f.Type == Float && f.Range.High == 100.0 }

// percent avoids what a float64 makes of 0.07 × 100.
func percent(share float64) float64 {
	p, _ := strconv.ParseFloat(strconv.FormatFloat(share*100, 'g', 12, 64), 64)
	return p
}

package setting

import (
	"flag"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var textRanges = []Range{
	{Low: time.Duration(0), High: 8760 * time.Hour},
	{Low: time.Duration(0), High: 8760 * time.Hour, LowOpen: true},
	{Low: time.Millisecond, High: 8760 * time.Hour},
	{Low: 10 * time.Millisecond, High: time.Minute},
	{Low: 7 * time.Second, High: 7 * time.Second},
	{Low: time.Second, High: 5 * time.Hour / 2, LowOpen: true},
	{Low: time.Nanosecond, High: 999999999 * time.Nanosecond, LowOpen: true},
}

var durationParts = regexp.MustCompile(`(\d*)([.,](\d*))?(ns|[uµμ]s|ms|[sSmMhHDW])`)

// exact are the parts of a text in nanoseconds, without rounding.
func exact(text string) (all []*big.Rat, negative bool) {
	for _, m := range durationParts.FindAllStringSubmatch(text, -1) {
		number, ok := new(big.Rat).SetString("0" + m[1] + "." + m[3] + "0")
		if !ok {
			panic(text)
		}
		all = append(all, number.Mul(number, new(big.Rat).SetInt64(int64(lengths[m[4]]))))
	}
	return all, strings.HasPrefix(text, "-")
}

var lengths = map[string]time.Duration{
	"ns": 1, "us": time.Microsecond, "µs": time.Microsecond, "μs": time.Microsecond, "ms": time.Millisecond,
	"s": time.Second, "S": time.Second, "m": time.Minute, "M": time.Minute, "h": time.Hour, "H": time.Hour,
	"D": 24 * time.Hour, "W": 7 * 24 * time.Hour,
}

// inside is the rule, by exact arithmetic.
func (r Range) inside(text string) bool {
	low := new(big.Rat).SetInt64(int64(r.Low.(time.Duration)))
	high := new(big.Rat).SetInt64(int64(r.High.(time.Duration)))
	var positive []*big.Rat
	parts, negative := exact(text)
	for _, p := range parts {
		if p.Cmp(high) > 0 {
			return false
		}
		if p.Sign() > 0 {
			positive = append(positive, p)
		}
	}
	switch {
	case len(positive) == 0:
		return low.Sign() == 0 && !r.LowOpen
	case negative:
		return false
	case len(positive) == 1:
		c := positive[0].Cmp(low)
		return c > 0 || c == 0 && !r.LowOpen
	}
	return true
}

// A hundred texts would miss most digits of most bounds.
func init() { _ = flag.Set("rapid.checks", "5000") }

func TestAPartOfATextIsHeldAgainstTheRangeExactly(t *testing.T) {
	verdicts := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(textRanges).Draw(t, "range")
		text := textNear(t, r)
		if _, err := ParseDuration(text); err != nil {
			t.Fatalf("%q is no duration", text)
		}
		want := r.inside(text)
		if got := r.HoldsText(text); got != want {
			t.Fatalf("%v holds %q: %v", r, text, got)
		}
		verdicts[want]++
	})
	if verdicts[true] == 0 || verdicts[false] == 0 {
		t.Errorf("the texts are all alike: %v", verdicts)
	}
}

// textNear draws a text with parts at the bounds of a range, beside them and
// anywhere.
func textNear(t *rapid.T, r Range) string {
	sign := rapid.SampledFrom([]string{"", "", "", "", "+", "-"}).Draw(t, "sign")
	part := func(unit string) string { return numberNear(t, r, lengths[unit]) + unit }
	if rapid.Bool().Draw(t, "ISO") {
		text := sign + "P"
		if rapid.Bool().Draw(t, "days") {
			text += part(rapid.SampledFrom([]string{"D", "W"}).Draw(t, "unit"))
			if rapid.Bool().Draw(t, "no time") {
				return text
			}
		}
		text += "T"
		units := []string{"H", "M", "S"}
		from := rapid.IntRange(0, 2).Draw(t, "from")
		for _, unit := range units[from:rapid.IntRange(from+1, 3).Draw(t, "to")] {
			text += part(unit)
		}
		return text
	}
	units := rapid.SliceOfN(rapid.SampledFrom([]string{"ns", "us", "µs", "μs", "ms", "s", "m", "h"}), 1, 3).Draw(t, "units")
	text := sign
	for _, unit := range units {
		text += part(unit)
	}
	return strings.ReplaceAll(text, ",", ".")
}

// numberNear draws a decimal with digits before the mark, as both forms have.
func numberNear(t *rapid.T, r Range, unit time.Duration) string {
	bound := rapid.SampledFrom([]any{r.Low, r.High, time.Duration(0), unit}).Draw(t, "bound").(time.Duration)
	number := new(big.Rat).SetFrac64(int64(bound), int64(unit))
	digits := rapid.IntRange(0, 25).Draw(t, "digits")
	step := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil))
	number.Add(number, step.Mul(step, new(big.Rat).SetInt64(rapid.Int64Range(-2, 2).Draw(t, "steps"))))
	text := number.Abs(number).FloatString(digits)
	if rapid.Bool().Draw(t, "comma") {
		text = strings.Replace(text, ".", ",", 1)
	}
	return rapid.SampledFrom([]string{"", "0", "00"}).Draw(t, "zeros") + text
}

func TestEveryNumberOfSecondsIsHeldBeforeItIsRounded(t *testing.T) {
	r := Range{Low: time.Millisecond, High: time.Hour}
	tests := map[float64]bool{0.001: true, 0.0009999999: false, 3600: true, 3600.0000000001: false, 0: false, -1: false, 1: true}
	for seconds, want := range tests {
		if got := r.HoldsSeconds(seconds); got != want {
			t.Errorf("%v holds %v seconds: %v", r, seconds, got)
		}
	}
}

func ExampleRange_Nearest() {
	r := Range{Low: time.Millisecond, High: time.Hour}
	d, _ := ParseDuration("30m45m")
	fmt.Println(r.HoldsText("30m45m"), r.HoldsText("75m"), Format(r.Nearest(d)))
	// Output: true false 1h
}

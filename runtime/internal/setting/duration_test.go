package setting

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseDurationReadsEveryForm(t *testing.T) {
	tests := map[string]time.Duration{
		"20s":         20 * time.Second,
		"1m30s":       90 * time.Second,
		"1.5h":        90 * time.Minute,
		".5s":         500 * time.Millisecond,
		"300ms":       300 * time.Millisecond,
		"7µs":         7 * time.Microsecond,
		"0":           0,
		"0s":          0,
		"+20s":        20 * time.Second,
		"-20s":        -20 * time.Second,
		"PT20S":       20 * time.Second,
		"PT1M30S":     90 * time.Second,
		"PT0.5S":      500 * time.Millisecond,
		"PT0,5S":      500 * time.Millisecond,
		"PT36H":       36 * time.Hour,
		"P1D":         24 * time.Hour,
		"P2W":         14 * 24 * time.Hour,
		"P1W1DT1H":    (8*24 + 1) * time.Hour,
		"P1DT2H3.5S":  26*time.Hour + 3500*time.Millisecond,
		"-PT20S":      -20 * time.Second,
		"0.1ns":       1,
		"-0.01ns":     -1,
		"PT0.000000S": 0,
		"9999999999h": math.MaxInt64,
		"P999999W":    math.MaxInt64,
	}
	for text, want := range tests {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestParseDurationRefusesTheRest(t *testing.T) {
	for _, text := range []string{
		"", "20", "s", "20 s", " 20s", "20sec", "1d", "20S", "1e3s", "--20s", ".s", "NaN", "Infinity",
		"P", "PT", "P1DT", "pt20s", "P1Y", "P1M", "P1H", "PT1D", "PT20", "PT20S5M", "P.5D", "PT-20S", "20s\n",
	} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error", text, got)
		}
	}
}

func TestSecondsAreExactToTheNanosecond(t *testing.T) {
	tests := map[string]time.Duration{
		"20":                   20 * time.Second,
		"0.3":                  300 * time.Millisecond,
		"1.000001":             time.Second + time.Microsecond,
		"31536000.000000001":   8760*time.Hour + 1,
		"-2":                   -2 * time.Second,
		"2e1":                  20 * time.Second,
		"3E-1":                 300 * time.Millisecond,
		"1e300":                math.MaxInt64,
		"-1e300":               -math.MaxInt64,
		"1e999":                math.MaxInt64,
		"99999999999999999999": math.MaxInt64,
		"0":                    0,
		"0e5":                  0,
		"1e-12":                1,
		"-1e-12":               -1,
		"0.0000000000001":      1,
	}
	for number, want := range tests {
		if got := Seconds(number); got != want {
			t.Errorf("Seconds(%s) = %v, want %v", number, got, want)
		}
	}
}

func TestEveryDurationSurvivesBeingWrittenAndRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := time.Duration(rapid.Int64Range(-math.MaxInt64, math.MaxInt64).Draw(t, "duration"))
		for _, text := range []string{want.String(), Format(want), isoText(want)} {
			if got, err := ParseDuration(text); err != nil || got != want {
				t.Fatalf("%d written as %q is read as %d, %v", want, text, got, err)
			}
		}
	})
}

func TestAnyTextIsReadAsADurationOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[+-]?P?(T?[0-9.,]{0,3}[WDHMShmsnu]{0,2}){0,4}`).Draw(t, "text")
		d, err := ParseDuration(text)
		std, stdErr := time.ParseDuration(text)
		tiny := std == 0 && d.Abs() == 1
		if stdErr == nil && (err != nil || d != std && !tiny) {
			t.Fatalf("%q is %v, %v; the standard library says %v", text, d, err, std)
		}
	})
}

func isoText(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	day := 24 * time.Hour
	return fmt.Sprintf("%sP%dDT%dH%dM%d.%09dS", sign, d/day, d%day/time.Hour, d%time.Hour/time.Minute,
		d%time.Minute/time.Second, d%time.Second)
}

func TestNearDurationIsWhatWasMeant(t *testing.T) {
	for text, want := range map[string]string{
		"2 s": "2s", " 1m  30s ": "1m30s", "20S": "20s", "pt5m": "PT5M", "20": "20s", "1.5": "1.5s", "20 seconds": "", "1 1 s": "", "1. 5s": "", "1 .5s": "", "": "", "s": "",
	} {
		if got, ok := NearDuration(text); got != want || ok != (want != "") {
			t.Errorf("for %q it is %q, want %q", text, got, want)
		}
	}
}

var (
	fuzzedPart = regexp.MustCompile(`(\d*)([.,]\d*)?(ns|us|µs|μs|ms|[smhSMHDW])`)
	lengths    = map[string]int64{
		"ns": 1, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9, "S": 1e9, "m": 60e9, "M": 60e9, "h": 3600e9, "H": 3600e9,
		"D": 24 * 3600e9, "W": 7 * 24 * 3600e9,
	}
)

// exact is the sum of the parts of a text in nanoseconds, without rounding.
func exact(text string) (sum *big.Rat, parts int64) {
	sum = new(big.Rat)
	for _, m := range fuzzedPart.FindAllStringSubmatch(text, -1) {
		number, _ := new(big.Rat).SetString("0" + m[1] + "." + strings.TrimLeft(m[2], ",.") + "0")
		sum.Add(sum, number.Mul(number, new(big.Rat).SetInt64(lengths[m[3]])))
		parts++
	}
	if strings.HasPrefix(text, "-") {
		sum.Neg(sum)
	}
	return sum, parts
}

// FuzzParseDuration holds what is read against the standard library, exact
// arithmetic and the pattern that the schema has.
func FuzzParseDuration(f *testing.F) {
	for _, text := range []string{"20s", "1m30s", ".5h", "3.s", "-0", "+7µs", "PT20S", "-P1W2DT3H4M5,6S", "P0.1D", "9999999999h", "0.1ns", "1.5", "2 s", "300", "", "PT"} {
		f.Add(text)
	}
	pattern := regexp.MustCompile(DurationPattern)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 200 {
			return // exact arithmetic is slow
		}
		d, err := ParseDuration(text)
		if (err == nil) != pattern.MatchString(text) {
			t.Fatalf("%q is %v, %v, and the schema says otherwise", text, d, err)
		}
		if near, ok := NearDuration(text); ok {
			if _, err := ParseDuration(near); err != nil {
				t.Errorf("%q was meant for %q, which is none: %v", text, near, err)
			}
		}
		std, stdErr := time.ParseDuration(text)
		tiny := std == 0 && d.Abs() == 1
		if stdErr == nil && (err != nil || d != std && !tiny) {
			t.Errorf("%q is %v, %v; the standard library says %v", text, d, err, std)
		}
		if err != nil {
			return
		}
		want, parts := exact(text)
		if want.Sign() == 0 != (d == 0) || want.Sign() < 0 != (d < 0) {
			t.Errorf("%q is %d", text, d)
		}
		longest := new(big.Rat).SetInt64(math.MaxInt64)
		if new(big.Rat).Abs(want).Cmp(longest) >= 0 {
			if d.Abs() != math.MaxInt64 {
				t.Errorf("%q is beyond all and becomes %d", text, d)
			}
			return
		}
		off := new(big.Rat).Sub(want, new(big.Rat).SetInt64(int64(d)))
		if off.Abs(off).Cmp(new(big.Rat).SetInt64(7*24*max(1, parts))) > 0 { // a part of a week is cut to whole nanoseconds for each hour
			t.Errorf("%q is %d, which is off by %s ns", text, d, off.FloatString(3))
		}
	})
}

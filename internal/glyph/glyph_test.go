package glyph_test

import (
	"testing"

	"github.com/resgen-go/resgen/internal/glyph"
)

func TestFieldG15StrangeCharactersAreShownWithTheirCodePoints(t *testing.T) {
	for s, want := range map[string]string{
		"":                      "",
		"payments":              "payments",
		"pаyments":              "pаyments (а is U+0430, which looks like a)",
		"раyments":              "раyments (р is U+0440, which looks like p, а is U+0430, which looks like a)",
		"οrders":                "οrders (ο is U+03BF, which looks like o)",
		"pay\u200bments":        "pay\u200bments (it has U+200B, which nobody sees)",
		"\ufeffpayments":        "\ufeffpayments (it has U+FEFF, which nobody sees)",
		"pay\u00a0ments":        "pay\u00a0ments (it has U+00A0, which looks like a space)",
		"“payments”":            "“payments” (“ is U+201C, which looks like \", ” is U+201D, which looks like \")",
		"a–b":                   "a–b (– is U+2013, which looks like -)",
		"a：b":                   "a：b (： is U+FF1A, which looks like :)",
		"größe":                 "größe (ö is U+00F6, ß is U+00DF)",
		"größе":                 "größе (е is U+0435, which looks like e)",
		"caf\u0065\u0301":       "caf\u0065\u0301 (it has U+0301, which nobody sees)",
		"аеор":                  "аеор (а is U+0430, which looks like a, е is U+0435, which looks like e, о is U+043E, which looks like o, and others)",
		"ｐａｙ":                   "ｐａｙ (ｐ is U+FF50, which looks like p, ａ is U+FF41, which looks like a, ｙ is U+FF59, which looks like y)",
		"аа":                    "аа (а is U+0430, which looks like a)",
		"日本":                    "日本 (日 is U+65E5, 本 is U+672C)",
		"grö\u200bße":           "grö\u200bße (it has U+200B, which nobody sees)",
		"grö\u00a0ße":           "grö\u00a0ße (it has U+00A0, which looks like a space)",
		"a\tb":                  "a\tb",
		"payments\u2060.\u00ad": "payments\u2060.\u00ad (it has U+2060, which nobody sees, it has U+00AD, which nobody sees)",
	} {
		if got := glyph.Shown(s); got != want {
			t.Errorf("Shown(%q) is\n%s, want\n%s", s, got, want)
		}
	}
}

func TestPlainIsWhatATextLooksLike(t *testing.T) {
	for s, want := range map[string]string{
		"resilience:breaker":             "resilience:breaker",
		"rеsіlіеnсе：brеakеr":             "resilience:breaker",
		"resil\u200bience:\u00a0breaker": "resilience: breaker",
		"‘a’ — “b”":                      `'a' - "b"`,
		"größe":                          "größe",
		"ＡＺａｚ０９～！":                       "AZaz09~!",
	} {
		if got := glyph.Plain(s); got != want {
			t.Errorf("Plain(%q) is %q, want %q", s, got, want)
		}
	}
}

func TestQuotedShowsWhatHasToBeQuoted(t *testing.T) {
	const want = `"pаy ments" (а is U+0430, which looks like a)`
	if got := glyph.Quoted("pаy ments"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

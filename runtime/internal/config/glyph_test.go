package config

import (
	"strings"
	"testing"
)

func TestFieldG15LettersOfOtherAlphabetsAreShown(t *testing.T) {
	for text, want := range map[string]string{
		`{"breakers": {"pаyments": {}}}`:                           "a letter or digit first (а is U+0430, which looks like a)",
		`{"breakers": {"payments": {"failurеThreshold": 3}}}`:      "no such setting (е is U+0435, which looks like e); did you mean failureThreshold?",
		`{"brеakers": {}}`:                                         "no such section (е is U+0435, which looks like e); did you mean breakers?",
		"{\"breakers\": {\"pay\u200bments\": {}}}":                 "(it has U+200B, which nobody sees)",
		"{\"breakers\": {\"payments\": {\"test\u00addelay\": 1}}}": "(it has U+00AD, which nobody sees); did you mean testDelay?",
	} {
		_, err := Parse("r.json", []byte(text), Process{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

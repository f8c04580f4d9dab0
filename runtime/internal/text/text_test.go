package text

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

type broken struct{ with any }

func (b broken) Error() string { panic(b.with) }

type noted struct{ text string }

func (n *noted) Error() string { return n.text }

func TestOfAnyError(t *testing.T) {
	for want, err := range map[string]error{
		"":                          nil,
		"down":                      errors.New("down"),
		"<nil>":                     (*noted)(nil),
		"!PANIC: boom":              broken{"boom"},
		"!PANIC: down":              broken{errors.New("down")},
		"!PANIC: text.broken":       broken{broken{broken{"boom"}}},
		"!PANIC: x (x wraps <nil>)": broken{fmt.Errorf("x (x wraps %w)", (*noted)(nil))},
	} {
		if got := Of(err); got != want {
			t.Errorf("%T is %q, want %q", err, got, want)
		}
	}
}

func TestCutKeepsWhatFits(t *testing.T) {
	for _, c := range []struct {
		text, want string
		limit      int
	}{
		{"", "", 4}, {"abcd", "abcd", 4}, {"abcde", "abcd", 4}, {"abé", "ab", 3}, {"abé", "abé", 4}, {"é", "", 1},
		{"日本語", "日本", 8}, {"日本語", "日本", 6}, {"a\x80\x80\x80\x80\x80\x80", "a\x80\x80", 6}, {"𝄞𝄞", "𝄞", 7},
	} {
		if got := Cut(c.text, c.limit); got != c.want {
			t.Errorf("%q cut at %d is %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}

func TestCutBreaksNoCharacter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, limit := rapid.String().Draw(t, "text"), rapid.IntRange(0, 40).Draw(t, "limit")
		got := Cut(text, limit)
		if len(got) > limit || !utf8.ValidString(got) || !strings.HasPrefix(text, got) {
			t.Errorf("%q cut at %d is %q", text, limit, got)
		}
		if _, next := utf8.DecodeRuneInString(text[len(got):]); got != text && len(got)+next <= limit {
			t.Errorf("%q cut at %d is %q: one more fits", text, limit, got)
		}
	})
}

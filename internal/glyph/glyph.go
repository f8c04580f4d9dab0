// Package glyph finds characters that are not what they look like: letters of
// another alphabet that look like ours, punctuation that an editor made pretty,
// and characters that nobody sees. It owns which these are and how a message
// shows them; what is to become of such a text is left to the caller.
package glyph

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// alike are characters with the one of ASCII that they look like, which stands
// before them here. They are seldom asked for, so nobody waits for the table.
var alike = sync.OnceValue(func() map[rune]rune {
	return pairs(
		"aаαɑ", "bЬь", "cсϲⅽ", "dԁⅾ", "eеєε", "gɡց", "hһհ", "iіιıⅰ", "jјϳ", "kкκ", "lⅼ", "mмⅿ", "nոηп", "oоοօ", "pрρ",
		"qԛզ", "rг", "sѕſ", "tтτ", "uυս", "vνѵⅴ", "wԝω", "xхχⅹ", "yуγ", "zᴢ",
		"AАΑ", "BВΒ", "CСϹⅭ", "DⅮ", "EЕΕ", "HНΗ", "IІΙⅠ", "JЈ", "KКΚ", "LⅬ", "MМΜⅯ", "NΝ", "OОΟ", "PРΡ", "SЅ", "TТΤ",
		"VⅤ", "XХΧⅩ", "YҮΥ", "ZΖ",
		"\"“”„‟«»″", "'‘’‚‛′ʼ", "-‐‑‒–—―−﹣", ":∶꞉ː﹕։", ";;﹔", ",،、﹐", ".․·•。", "/∕⁄", "=═﹦", "%٪﹪",
	)
})

func pairs(groups ...string) map[rune]rune {
	all := map[rune]rune{}
	for _, group := range groups {
		first, size := utf8.DecodeRuneInString(group)
		for _, r := range group[size:] {
			all[r] = first
		}
	}
	for r := rune('！'); r <= '～'; r++ { // full-width
		all[r] = r - '！' + '!'
	}
	return all
}

// isHidden holds for characters that show as nothing, or only as part of the one
// before them.
func isHidden(r rune) bool {
	return r > unicode.MaxASCII && unicode.In(r, unicode.Cf, unicode.Cc, unicode.M, unicode.Zl, unicode.Zp)
}

// plain is the ASCII that r looks like, and false if it looks like none.
func plain(r rune) (string, bool) {
	like, ok := alike()[r]
	switch {
	case ok:
		return string(like), true
	case isHidden(r):
		return "", true
	case r > unicode.MaxASCII && unicode.IsSpace(r):
		return " ", true
	}
	return string(r), false
}

// Plain is s as it looks: characters that look like some of ASCII are replaced by
// these, and those that nobody sees are left out.
func Plain(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		like, _ := plain(r)
		b.WriteString(like)
	}
	return b.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Shown is s with its strange characters behind it in parentheses, each with its
// code point, and s alone if it has none.
func Shown(s string) string { return s + Remark(s) }

// Quoted is like Shown for a text that has to be quoted.
func Quoted(s string) string { return strconv.Quote(s) + Remark(s) }

// Remark tells of the strange characters of s in parentheses, after a space; it
// is empty if there are none. Where some look like others, only these are strange;
// else all are that are beyond ASCII.
func Remark(s string) string {
	var others, deceiving []string
	seen := map[rune]bool{}
	for _, r := range s {
		if r < utf8.RuneSelf || seen[r] {
			continue
		}
		seen[r] = true
		text, deceives := described(r)
		if deceives {
			deceiving = append(deceiving, text)
		}
		others = append(others, text)
	}
	if len(deceiving) > 0 {
		others = deceiving
	}
	if len(others) == 0 {
		return ""
	}
	return " (" + strings.Join(atMost(3, others), ", ") + ")"
}

func described(r rune) (text string, deceives bool) {
	like, deceives := plain(r)
	switch {
	case !deceives:
		return fmt.Sprintf("%c is %U", r, r), false
	case like == "":
		return fmt.Sprintf("it has %U, which nobody sees", r), true
	case like == " ":
		return fmt.Sprintf("it has %U, which looks like a space", r), true
	}
	return fmt.Sprintf("%c is %U, which looks like %s", r, r, like), true
}

func atMost(n int, list []string) []string {
	if len(list) > n {
		return append(list[:n:n], "and others")
	}
	return list
}

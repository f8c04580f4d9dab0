// Package redact cuts secrets out of texts that people read: the user and
// password of anything that looks like a URL. It rather cuts too much, because a
// password may have any character in it.
package redact

import (
	"strings"
	"unicode"

	"github.com/resgen-go/resgen/runtime/internal/text"
)

const (
	scheme = "://"
	cut    = "…"
)

// Text is a text without secrets: "redis://…@db:6379". A line with several URLs
// loses all between the first and the last user.
func Text(text string) string {
	if !strings.Contains(text, "@") && !(strings.Contains(text, scheme) && strings.Contains(text, "?")) {
		return text
	}
	var safe strings.Builder
	for line := range strings.Lines(text) {
		safe.WriteString(cutLine(line))
	}
	return safe.String()
}

func cutLine(line string) string {
	before, rest, isURL := strings.Cut(line, scheme)
	if !isURL {
		return cutUsers(line)
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = cut + rest[at:]
	}
	return cutUsers(before) + cutParameters(scheme+rest)
}

// cutUsers cuts what may be a user and a password out of each word.
func cutUsers(line string) string {
	var safe strings.Builder
	for len(line) > 0 {
		word := line[:wordEnd(line)]
		line = line[len(word):]
		if colon, at := strings.IndexByte(word, ':'), strings.LastIndexByte(word, '@'); colon >= 0 && colon < at {
			word = cut + word[at:]
		}
		safe.WriteString(word)
	}
	return safe.String()
}

// wordEnd is where the first word ends, after the space behind it.
func wordEnd(line string) int {
	space := strings.IndexFunc(line, unicode.IsSpace)
	if space < 0 {
		return len(line)
	}
	return space + len(line[space:]) - len(strings.TrimLeftFunc(line[space:], unicode.IsSpace))
}

// cutParameters cuts the parameters of URLs, where some clients have a password.
func cutParameters(line string) string {
	before, rest, isURL := strings.Cut(line, scheme)
	if !isURL {
		return line
	}
	if query := strings.IndexFunc(rest, func(r rune) bool { return ends(r) || r == '?' }); query >= 0 && rest[query] == '?' {
		tail := strings.TrimLeftFunc(rest[query+1:], func(r rune) bool { return !ends(r) })
		if len(tail) < len(rest)-query-1 {
			return before + scheme + rest[:query+1] + cut + cutParameters(tail)
		}
	}
	return before + scheme + cutParameters(rest)
}

// ends reports whether a URL in a text ends there.
func ends(r rune) bool { return r == '"' || unicode.IsSpace(r) }

// Error is err with its text redacted; err itself if nothing in it is secret.
func Error(err error) error {
	if err == nil {
		return nil
	}
	whole := text.Of(err)
	safe := Text(whole)
	if safe == whole {
		return err
	}
	return &redacted{err, safe}
}

type redacted struct {
	err  error
	text string
}

func (r *redacted) Error() string { return r.text }
func (r *redacted) Unwrap() error { return r.err }

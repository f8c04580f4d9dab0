// Package redact cuts secrets out of texts that people read: the user and
// password of anything that looks like a URL. It rather cuts too much, because a
// password may have any character in it.
package redact

import (
	"regexp"
	"strings"

	"github.com/resgen-go/resgen/runtime/internal/text"
)

var (
	parameters = regexp.MustCompile(`(://[^\s"?]*\?)[^\s"]+`) // where some clients have a password
	unschemed  = regexp.MustCompile(`\S*:\S*@`)
)

// Text is a text without secrets: "redis://…@db:6379". A line with several URLs
// loses all between the first and the last user.
func Text(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		lines[i] = cutLine(line)
	}
	return strings.Join(lines, "")
}

func cutLine(line string) string {
	before, rest, isURL := strings.Cut(line, "://")
	if !isURL {
		return unschemed.ReplaceAllString(line, "…@")
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = "…" + rest[at:]
	}
	return parameters.ReplaceAllString(unschemed.ReplaceAllString(before, "…@")+"://"+rest, "${1}…")
}

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

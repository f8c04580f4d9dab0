// Package text asks errors for their text. They come from clients, probes and
// sources of settings, so their methods may do anything; none may break the one
// who only wants to tell of an error.
package text

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// Of is the text of err. A nil error has none, a nil pointer of a type that does
// not expect it has "<nil>", and an error that panics has what it panicked with,
// all as package log/slog has it.
func Of(err error) (text string) {
	if err == nil {
		return ""
	}
	defer func() {
		if r := recover(); r != nil {
			text = ofPanicking(err, r)
		}
	}()
	return err.Error()
}

func ofPanicking(err error, with any) string {
	if v := reflect.ValueOf(err); v.Kind() == reflect.Pointer && v.IsNil() {
		return "<nil>"
	}
	return "!PANIC: " + OfPanic(with)
}

// OfPanic is what a panic was raised with. If that panics too, its type must do.
func OfPanic(with any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T", with)
		}
	}()
	return fmt.Sprint(with)
}

// Cut is the beginning of text that fits into limit bytes and ends with a whole
// character. It keeps no longer text in memory.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit
	for back := 1; back < utf8.UTFMax && end > 0 && !utf8.RuneStart(text[end]); back++ {
		end--
	}
	return strings.Clone(text[:end])
}

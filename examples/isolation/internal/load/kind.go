package load

import (
	"net/http"
	"strings"
)

// Kind is what came of a request.
type Kind uint8

const (
	OK       Kind = iota // answered below 400
	Refused              // 503 or 429: a guard had no room, nothing was called
	TimedOut             // 504, or no answer in time
	Failed               // any other answer, or no connection
)

// Kinds are all of them, in order.
var Kinds = []Kind{OK, Refused, TimedOut, Failed}

// String is the kind in a word or two.
func (k Kind) String() string {
	return [...]string{"ok", "refused", "timed out", "failed"}[k]
}

// kindOf tells from the status of an answer, or from the error where there was
// none (code 0).
func kindOf(code uint16, err string) Kind {
	switch {
	case code == http.StatusServiceUnavailable, code == http.StatusTooManyRequests:
		return Refused
	case code == http.StatusGatewayTimeout, code == 0 && isTimeout(err):
		return TimedOut
	case code == 0, code >= 400:
		return Failed
	}
	return OK
}

// isTimeout knows the error of an http.Client by its text: that is all that is
// left of it.
func isTimeout(err string) bool {
	return strings.Contains(err, "Client.Timeout exceeded") || strings.Contains(err, "i/o timeout")
}

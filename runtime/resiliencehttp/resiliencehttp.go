// Package resiliencehttp answers HTTP requests whose work a guard refused, and
// judges the answers of HTTP services.
package resiliencehttp

import (
	"math"
	"net/http"
	"strconv"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/answer"
)

// Refuse answers a request whose work ended with err, if a guard is the reason,
// and reports whether it was:
//
//   - A refusal, also one that err wraps or joins with others, is 503 Service
//     Unavailable. Retry-After has the seconds until another try makes sense,
//     rounded up, where that is known; of several refusals the longest.
//   - A call that outlived its timeout, and a deadline that passed before a call
//     began, are 504 Gateway Timeout.
//
// Every other error, and nil, is left to the caller. The body says what to do and
// names nothing of the service; err is for the log.
func Refuse(w http.ResponseWriter, err error) bool {
	switch a := answer.To(err); a.Kind {
	case answer.Refused, answer.Gone:
		if a.Known {
			w.Header().Set("Retry-After", strconv.FormatFloat(math.Ceil(a.RetryAfter.Seconds()), 'f', 0, 64))
		}
		http.Error(w, "The service is busy. Please try again later.", http.StatusServiceUnavailable)
	case answer.TimedOut:
		http.Error(w, "The service did not answer in time.", http.StatusGatewayTimeout)
	default:
		return false
	}
	return true
}

// Answer answers a request in place of a method ServeHTTP whose work ended with err,
// as its fallback, with=resiliencehttp.Answer: as [Refuse] does, and with 500 Internal
// Server Error where that leaves err to the caller.
func Answer(w http.ResponseWriter, _ *http.Request, err error) {
	if !Refuse(w, err) {
		http.Error(w, "Something went wrong.", http.StatusInternalServerError)
	}
}

// Judge says what the end of a call means for the service that was called: an
// error is a failure, an answer is judged by JudgeStatus.
func Judge(resp *http.Response, err error) resilience.Outcome {
	if err != nil || resp == nil {
		return resilience.Failure
	}
	return JudgeStatus(resp.StatusCode)
}

// JudgeStatus takes 429 Too Many Requests and what is not below 500 for a failure.
// Every other status is an answer of a service that works, and a success.
func JudgeStatus(code int) resilience.Outcome {
	if code == http.StatusTooManyRequests || code >= http.StatusInternalServerError {
		return resilience.Failure
	}
	return resilience.Success
}

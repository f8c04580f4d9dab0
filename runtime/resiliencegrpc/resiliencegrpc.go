// Package resiliencegrpc answers gRPC calls whose work a guard refused, and judges
// the status codes of gRPC services.
package resiliencegrpc

import (
	"context"
	"errors"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/answer"
	"github.com/resgen-go/resgen/runtime/internal/errtree"
)

// Status returns the status of a call whose work ended with err, if a guard is
// the reason, and reports whether it is:
//
//   - A refusal, also one that err wraps or joins with others, is Unavailable. Its
//     RetryInfo has the time until another try makes sense, where that is known;
//     of several refusals the longest.
//   - A call that outlived its timeout, and a deadline that passed before a call
//     began, are DeadlineExceeded.
//   - A caller that had cancelled before a call began is Canceled.
//
// For every other error, and nil, it returns nil and false. The message says what
// to do and names nothing of the service; err is for the log.
func Status(err error) (*status.Status, bool) {
	switch a := answer.To(err); a.Kind {
	case answer.Refused:
		return refused(a), true
	case answer.TimedOut:
		return status.New(codes.DeadlineExceeded, "the service did not answer in time"), true
	case answer.Gone:
		return status.New(codes.Canceled, "the caller has gone"), true
	}
	return nil, false
}

func refused(a answer.Answer) *status.Status {
	s := status.New(codes.Unavailable, "the service is busy, please try again later")
	if !a.Known {
		return s
	}
	detailed, err := s.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(a.RetryAfter)})
	if err != nil { // can't be: the code is not OK, and the detail can be encoded
		return s
	}
	return detailed
}

// UnaryServerInterceptor answers with Status where a guard is the reason for an
// error of the handler. Interceptors before it can still look into that error.
func UnaryServerInterceptor(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	resp, err := handler(ctx, req)
	return resp, answered(err)
}

// StreamServerInterceptor does the same for streams.
func StreamServerInterceptor(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	return answered(handler(srv, stream))
}

// answered gives an error the status by which it is answered.
func answered(err error) error {
	if s, ok := Status(err); ok {
		return &statusError{err, s}
	}
	return err
}

// statusError is an error whose status is all that the caller sees of it.
type statusError struct {
	error
	status *status.Status
}

func (e *statusError) GRPCStatus() *status.Status { return e.status }
func (e *statusError) Unwrap() error              { return e.error }

// Judge says what an error of a gRPC client means for the service that was
// called; a package of clients can name it in its directives:
//
//	//resilience:breaker classify=resiliencegrpc.Judge
//
// By their codes, Unavailable, DeadlineExceeded, ResourceExhausted, Internal,
// Unknown and DataLoss are failures, and so is an error without a code. Canceled
// is ignored, because somebody has gone and not the service. Every other code is
// an answer of a service that works, and a success, as is a nil error. An error
// that joins several is judged by the worst.
func Judge(err error) resilience.Outcome {
	if err == nil {
		return resilience.Success
	}
	outcome := resilience.Ignored
	for chain := range errtree.Chains(err) {
		switch judge(chain) {
		case resilience.Failure:
			return resilience.Failure
		case resilience.Success:
			outcome = resilience.Success
		}
	}
	return outcome
}

// judge looks at an error and what it wraps.
func judge(chain []error) resilience.Outcome {
	for _, err := range chain {
		if coded, is := err.(interface{ GRPCStatus() *status.Status }); is {
			return judgeCode(coded.GRPCStatus().Code())
		}
	}
	if errors.Is(chain[len(chain)-1], context.Canceled) {
		return resilience.Ignored
	}
	return resilience.Failure
}

func judgeCode(code codes.Code) resilience.Outcome {
	switch code {
	case codes.Unavailable, codes.DeadlineExceeded, codes.ResourceExhausted, codes.Internal, codes.Unknown, codes.DataLoss:
		return resilience.Failure
	case codes.Canceled:
		return resilience.Ignored
	}
	return resilience.Success
}

package main

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	resilience "github.com/resgen-go/resgen/runtime"
)

//go:generate go tool resgen

// Health is gRPC's own generated client with guards around it. All methods of
// the embedded interface are guarded; of a stream, that is its opening.
//
//resilience:breaker classify=classifyCode
//resilience:bulkhead
type Health interface {
	healthpb.HealthClient

	// Check is declared once more to have a timeout, too. Watch has none: its
	// stream would end with it.
	//
	//resilience:timeout
	Check(ctx context.Context, in *healthpb.HealthCheckRequest, opts ...grpc.CallOption) (*healthpb.HealthCheckResponse, error)
}

// classifyCode says what a status means for the server: one about the request
// shows that the server is well.
func classifyCode(err error) resilience.Outcome {
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.ResourceExhausted, codes.Internal, codes.Unknown, codes.DataLoss:
		return resilience.Failure
	}
	return resilience.Success
}

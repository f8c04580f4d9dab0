package main

import (
	"context"

	"google.golang.org/grpc"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	_ "github.com/resgen-go/resgen/runtime/resiliencegrpc" // its judge
)

//go:generate go tool resgen

// Health is gRPC's own generated client with guards around it. All methods of
// the embedded interface are guarded; of a stream, that is its opening.
//
//resilience:breaker classify=resiliencegrpc.Judge
//resilience:bulkhead
type Health interface {
	healthpb.HealthClient

	// Check is declared once more to have a timeout, too. Watch has none: its
	// stream would end with it.
	//
	//resilience:timeout
	Check(ctx context.Context, in *healthpb.HealthCheckRequest, opts ...grpc.CallOption) (*healthpb.HealthCheckResponse, error)
}

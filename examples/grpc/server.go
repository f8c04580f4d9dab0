package main

import (
	"context"
	"net"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// server is a gRPC server on loopback that has nothing but its health, and can
// fall sick.
type server struct {
	*grpc.Server
	address string
	health  *health.Server
	sick    atomic.Bool
	calls   atomic.Int64 // that reached it, without streams
}

func startServer() (*server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{address: listener.Addr().String(), health: health.NewServer()}
	s.Server = grpc.NewServer(grpc.UnaryInterceptor(s.intercept))
	healthpb.RegisterHealthServer(s, s.health)
	go s.Serve(listener)
	return s, nil
}

// intercept counts the calls, and fails them while the server is sick.
func (s *server) intercept(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	s.calls.Add(1)
	if s.sick.Load() {
		return nil, status.Error(codes.Unavailable, "out of order")
	}
	return handler(ctx, req)
}

package main

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"

	resilience "github.com/resgen-go/resgen/runtime"
)

func TestTheTourMeetsAStreamAnOutageAndARecovery(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out strings.Builder
	if err := run(ctx, &out); err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`[0-9.]+ms`).ReplaceAllString(out.String(), "a while")
	want := `stream: SERVING
stream: NOT_SERVING
the server answers: SERVING
the server answers: rpc error: code = NotFound desc = unknown service
the server answers: rpc error: code = Unavailable desc = out of order
the server answers: rpc error: code = Unavailable desc = out of order
the server is not asked: resilience: main.Health.Check refused: breaker health is OPEN; try again in a while
the server answers: SERVING
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestOptionsReachTheWrappedClient(t *testing.T) {
	server, err := startServer()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	conn, err := grpc.NewClient(server.address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	registry, err := resilience.New(resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	client, err := NewResilientHealth(healthpb.NewHealthClient(conn), registry)
	if err != nil {
		t.Fatal(err)
	}
	var header metadata.MD
	services, err := client.List(t.Context(), &healthpb.HealthListRequest{}, grpc.Header(&header))
	if err != nil || len(services.Statuses) != 1 || header.Len() == 0 {
		t.Errorf("services %v, header %v, error %v", services, header, err)
	}
}

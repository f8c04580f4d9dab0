// Command grpc puts guards around a client that protoc generated, and shows what
// they do on a real gRPC connection:
//
//	go run ./examples/grpc
//
// Health embeds the generated interface, so nothing of it is written again but
// the method that is to be guarded differently.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	resilience "github.com/resgen-go/resgen/runtime"
)

const settings = `{
	"breakers": {"health": {"failureThreshold": 2, "successThreshold": 1, "testDelay": "200ms"}},
	"timeouts": {"health": {"duration": "1s"}},
}`

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "grpc:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	server, err := startServer()
	if err != nil {
		return err
	}
	defer server.Stop()
	conn, err := grpc.NewClient(server.address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	registry, err := resilience.New(resilience.Settings("settings", []byte(settings)), resilience.Logger(nil))
	if err != nil {
		return err
	}
	defer registry.Close()
	client, err := NewResilientHealth(healthpb.NewHealthClient(conn), registry)
	if err != nil {
		return err
	}
	t := tour{out, server, client}
	if err := t.stream(ctx); err != nil {
		return err
	}
	return t.outage(ctx)
}

// tour leads through what a guarded client meets.
type tour struct {
	out    io.Writer
	server *server
	client Health
}

// stream opens a stream through the guards, which then goes on without them.
func (t tour) stream(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	changes, err := t.client.Watch(ctx, &healthpb.HealthCheckRequest{})
	if err != nil {
		return err
	}
	for _, next := range []healthpb.HealthCheckResponse_ServingStatus{healthpb.HealthCheckResponse_NOT_SERVING, healthpb.HealthCheckResponse_SERVING} {
		change, err := changes.Recv()
		if err != nil {
			return err
		}
		fmt.Fprintln(t.out, "stream:", change.Status)
		t.server.health.SetServingStatus("", next)
	}
	return nil
}

// outage lets the server fall sick and recover.
func (t tour) outage(ctx context.Context) error {
	t.check(ctx, "")
	t.check(ctx, "nobody") // not found: an answer, so no failure
	t.server.sick.Store(true)
	after := t.untilRefused(ctx)
	t.server.sick.Store(false)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(after):
	}
	return t.check(ctx, "")
}

// untilRefused returns when it makes sense to try again.
func (t tour) untilRefused(ctx context.Context) time.Duration {
	var refusal *resilience.RefusalError
	for ctx.Err() == nil {
		if errors.As(t.check(ctx, ""), &refusal) {
			after, _ := refusal.RetryAfter()
			return after
		}
	}
	return 0
}

// check asks for the health of a service and tells what came of it.
func (t tour) check(ctx context.Context, service string) error {
	before := t.server.calls.Load()
	answer, err := t.client.Check(ctx, &healthpb.HealthCheckRequest{Service: service}, grpc.WaitForReady(true))
	asked := "the server answers:"
	if t.server.calls.Load() == before {
		asked = "the server is not asked:"
	}
	if err != nil {
		fmt.Fprintln(t.out, asked, err)
		return err
	}
	fmt.Fprintln(t.out, asked, answer.Status)
	return nil
}

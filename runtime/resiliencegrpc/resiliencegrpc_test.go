package resiliencegrpc_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/answer/answertest"
	"github.com/resgen-go/resgen/runtime/resiliencegrpc"
)

// server is a health service whose methods end with an error.
type server struct {
	healthpb.UnimplementedHealthServer
	err error
}

func (s *server) Check(context.Context, *healthpb.HealthCheckRequest) (*healthpb.HealthCheckResponse, error) {
	return new(healthpb.HealthCheckResponse), s.err
}

func (s *server) Watch(*healthpb.HealthCheckRequest, grpc.ServerStreamingServer[healthpb.HealthCheckResponse]) error {
	return s.err
}

// serve starts it behind the interceptors, with one before them that keeps the
// errors it sees.
func serve(t *testing.T, s *server, seen *error) healthpb.HealthClient {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	log := func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		resp, err := handler(ctx, req)
		*seen = err
		return resp, err
	}
	g := grpc.NewServer(grpc.ChainUnaryInterceptor(log, resiliencegrpc.UnaryServerInterceptor),
		grpc.StreamInterceptor(resiliencegrpc.StreamServerInterceptor))
	healthpb.RegisterHealthServer(g, s)
	go g.Serve(listener)
	t.Cleanup(g.Stop)
	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return healthpb.NewHealthClient(conn)
}

// retryAfter is what a status says of it; 0: nothing.
func retryAfter(s *status.Status) time.Duration {
	for _, detail := range s.Details() {
		if info, is := detail.(*errdetails.RetryInfo); is {
			return info.RetryDelay.AsDuration()
		}
	}
	return 0
}

func TestFieldL05GuardsAnswerCalls(t *testing.T) {
	g := answertest.New(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	over, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	open, openLonger := g.Open("outer"), g.Open("inner")
	shorter, longer := 90*time.Second, 600*time.Second
	for name, c := range map[string]struct {
		err   error
		code  codes.Code
		after time.Duration // at the most, and ten seconds less at the least
	}{
		"nothing wrong":       {nil, codes.OK, 0},
		"an error":            {errors.New("broken"), codes.Unknown, 0},
		"a status":            {status.Error(codes.NotFound, "nobody"), codes.NotFound, 0},
		"open":                {open, codes.Unavailable, shorter},
		"wrapped":             {fmt.Errorf("charge: %w", fmt.Errorf("pay: %w", open)), codes.Unavailable, shorter},
		"joined":              {errors.Join(status.Error(codes.NotFound, "nobody"), open), codes.Unavailable, shorter},
		"the longest wait":    {fmt.Errorf("both: %w", errors.Join(open, openLonger)), codes.Unavailable, longer},
		"a guard further in":  {g.Nested(open), codes.Unavailable, shorter},
		"full":                {g.Full(), codes.Unavailable, 0},
		"timed out":           {g.Late(), codes.DeadlineExceeded, 0},
		"timed out, wrapped":  {fmt.Errorf("pick: %w", g.Late()), codes.DeadlineExceeded, 0},
		"the caller has gone": {g.Done(gone), codes.Canceled, 0},
		"no time left":        {g.Done(over), codes.DeadlineExceeded, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var seen error
			client := serve(t, &server{err: c.err}, &seen)
			_, err := client.Check(t.Context(), new(healthpb.HealthCheckRequest))
			check(t, status.Convert(err), c.code, c.after)
			stream, err := client.Watch(t.Context(), new(healthpb.HealthCheckRequest))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := stream.Recv(); c.code != codes.OK {
				check(t, status.Convert(err), c.code, c.after)
			}
			if c.err != nil && seen.Error() != c.err.Error() {
				t.Errorf("an interceptor before ours sees %v, want %v", seen, c.err)
			}
			var want, got *resilience.RefusalError
			if errors.As(c.err, &want) && !(errors.As(seen, &got) && got == want) {
				t.Errorf("an interceptor before ours does not find %v", want)
			}
		})
	}
}

func check(t *testing.T, got *status.Status, code codes.Code, after time.Duration) {
	t.Helper()
	if wait := retryAfter(got); got.Code() != code || wait > after+time.Second || wait < after-10*time.Second {
		t.Errorf("got %v after %v, want %v after %v", got, wait, code, after)
	}
	for _, inside := range answertest.Secret {
		if strings.Contains(got.Message(), inside) {
			t.Errorf("the message tells of %s: %s", inside, got.Message())
		}
	}
}

func TestFieldL05JudgeByCode(t *testing.T) {
	want := map[codes.Code]resilience.Outcome{
		codes.Canceled: resilience.Ignored, codes.Unknown: resilience.Failure, codes.DeadlineExceeded: resilience.Failure,
		codes.ResourceExhausted: resilience.Failure, codes.Internal: resilience.Failure, codes.Unavailable: resilience.Failure,
		codes.DataLoss: resilience.Failure,
	}
	for code := codes.OK; code <= codes.Unauthenticated; code++ {
		err := status.Error(code, "as told")
		for _, err := range []error{err, fmt.Errorf("wrapped: %w", err)} {
			if code == codes.OK {
				err = nil
			}
			if got := resiliencegrpc.Judge(err); got != want[code] {
				t.Errorf("%v: %v, want %v", err, got, want[code])
			}
		}
	}
}

func TestFieldL05JudgeByEveryErrorJoined(t *testing.T) {
	notFound, down, gone := status.Error(codes.NotFound, ""), status.Error(codes.Unavailable, ""), status.Error(codes.Canceled, "")
	for _, c := range []struct {
		err  error
		want resilience.Outcome
	}{
		{errors.Join(notFound, down), resilience.Failure},
		{errors.Join(notFound, gone), resilience.Success},
		{fmt.Errorf("all: %w", errors.Join(gone, context.Canceled)), resilience.Ignored},
		{errors.Join(notFound, errors.New("no status")), resilience.Failure},
		{context.DeadlineExceeded, resilience.Failure},
	} {
		if got := resiliencegrpc.Judge(c.err); got != c.want {
			t.Errorf("%v: %v, want %v", c.err, got, c.want)
		}
	}
}

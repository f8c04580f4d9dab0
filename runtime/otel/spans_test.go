package otel_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	resilience "github.com/resgen-go/resgen/runtime"
	resgenotel "github.com/resgen-go/resgen/runtime/otel"
)

func newTraced(t *testing.T) *resilience.Guard {
	registry, err := resilience.New(resilience.Logger(nil), resgenotel.Spans(),
		resilience.Settings("resilience.json", []byte(`{"breakers": {"payments": {"failureThreshold": 1}}}`)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { registry.Close() })
	wiring, err := resilience.Wire(registry, "example.com/a", "a.Client", new(int))
	if err != nil {
		t.Fatal(err)
	}
	guard := wiring.Guard("Do", resilience.Guards{Breaker: "payments"})
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	return guard
}

func call(ctx context.Context, guard *resilience.Guard, err error) {
	var c resilience.Call
	defer c.Release()
	if c.Begin(ctx, guard) == nil {
		c.Finish(err)
	}
}

func TestMetricsSpansTellOfRefusalsAndChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		guard := newTraced(t)
		recorder := tracetest.NewSpanRecorder()
		tracer := trace.NewTracerProvider(trace.WithSpanProcessor(recorder)).Tracer("test")
		ctx, span := tracer.Start(t.Context(), "checkout")
		call(ctx, guard, nil)
		call(ctx, guard, errors.New("down"))
		time.Sleep(5 * time.Second)
		call(ctx, guard, nil)
		span.End()
		events := recorder.Ended()[0].Events()
		want := []struct {
			name       string
			attributes map[string]string
		}{
			{"resgen.breaker.changed", map[string]string{
				"resgen.breaker.name": "payments", "resgen.breaker.from": "closed", "resgen.breaker.to": "open",
				"resgen.breaker.reason": "1 of the last 2 calls failed",
			}},
			{"resgen.refused", map[string]string{
				"resgen.method.name": "a.Client.Do", "resgen.refusal.kind": "open", "resgen.refusal.by": "payments", "resgen.refusal.retry_after": "15",
				"resgen.refusal.message": "resilience: a.Client.Do refused: breaker payments is OPEN; try again in 15s",
			}},
		}
		if len(events) != len(want) {
			t.Fatalf("%d events: %v", len(events), events)
		}
		for i, w := range want {
			if events[i].Name != w.name || len(events[i].Attributes) != len(w.attributes) {
				t.Errorf("event %d is %v", i, events[i])
			}
			for _, a := range events[i].Attributes {
				if got := a.Value.String(); got != w.attributes[string(a.Key)] {
					t.Errorf("%s: %s is %q, want %q", w.name, a.Key, got, w.attributes[string(a.Key)])
				}
			}
		}
	})
}

func TestMetricsSpansThatDoNotRecordCostNothing(t *testing.T) {
	guard := newTraced(t)
	call(t.Context(), guard, errors.New("down"))
	tracer := trace.NewTracerProvider(trace.WithSampler(trace.NeverSample())).Tracer("test")
	ctx, _ := tracer.Start(t.Context(), "checkout")
	for name, ctx := range map[string]context.Context{"no span": context.Background(), "one that is not sampled": ctx} {
		if got := testing.AllocsPerRun(1000, func() { call(ctx, guard, nil) }); got > 0 {
			t.Errorf("%s: %v allocations a refusal", name, got)
		}
	}
}

func TestTraceIDIsThatOfASampledSpan(t *testing.T) {
	if id, ok := resgenotel.TraceID(t.Context()); ok {
		t.Errorf("without a span it is %s", id)
	}
	for sampler, want := range map[trace.Sampler]bool{trace.AlwaysSample(): true, trace.NeverSample(): false} {
		ctx, span := trace.NewTracerProvider(trace.WithSampler(sampler)).Tracer("test").Start(t.Context(), "checkout")
		if id, ok := resgenotel.TraceID(ctx); ok != want || ok && id != span.SpanContext().TraceID().String() {
			t.Errorf("%s: %q %v", sampler.Description(), id, ok)
		}
	}
}

package otel

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	resilience "github.com/resgen-go/resgen/runtime"
)

// Spans is an option of resilience.New by which the span of a call tells what guards
// did to it: an event resgen.refused of each refusal, and an event
// resgen.breaker.changed of each change of its breaker that the call brought about or
// saw. The span is that of the caller's context. Where none records nothing is done.
func Spans() resilience.Option {
	return resilience.ObserveInCall(func(ctx context.Context) resilience.Observer {
		if span := trace.SpanFromContext(ctx); span.IsRecording() {
			return recording{span}
		}
		return nil
	})
}

// TraceID is the trace of a context, where it is sampled, for [resilience.Exemplars]:
// the exemplars of durations are then traces that can be looked up.
func TraceID(ctx context.Context) (id string, ok bool) {
	span := trace.SpanContextFromContext(ctx)
	if !span.IsSampled() {
		return "", false
	}
	return span.TraceID().String(), true
}

// recording is a span that records.
type recording struct{ span trace.Span }

// Observe implements resilience.Observer.
func (r recording) Observe(e resilience.Event) {
	switch e := e.(type) {
	case resilience.Refused:
		r.span.AddEvent("resgen.refused", trace.WithTimestamp(e.At), trace.WithAttributes(refusal(e.Error)...))
	case resilience.Transition:
		r.span.AddEvent("resgen.breaker.changed", trace.WithAttributes(
			attribute.String("resgen.breaker.name", e.Breaker),
			attribute.String("resgen.breaker.from", strings.ToLower(e.From.String())),
			attribute.String("resgen.breaker.to", strings.ToLower(e.To.String())),
			attribute.String("resgen.breaker.reason", e.Reason),
		))
	}
}

// refusal says who refused what and why. There is no error text of a dependency in it.
func refusal(err *resilience.RefusalError) []attribute.KeyValue {
	all := []attribute.KeyValue{
		attribute.String("resgen.method.name", err.Method),
		attribute.String("resgen.refusal.kind", err.Kind.String()),
		attribute.String("resgen.refusal.by", err.Name),
		attribute.String("resgen.refusal.message", err.Error()),
	}
	if len(err.Gates) > 0 {
		all = append(all, attribute.StringSlice("resgen.refusal.gates", err.Gates))
	}
	if wait, known := err.RetryAfter(); known {
		all = append(all, attribute.Float64("resgen.refusal.retry_after", wait.Seconds()))
	}
	return all
}

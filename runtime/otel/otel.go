// Package otel tells OpenTelemetry of the breakers, bulkheads, rate limits and
// timeouts of a registry. It reads one snapshot for each collection, so calls pay
// nothing:
//
//	registry, err := resilience.New(resilience.Watch("resilience.json"), resilience.Count())
//	...
//	stop, err := resgenotel.Observe(registry, otel.Meter("resgen"))
//
// OpenTelemetry has no convention for breakers or bulkheads, so names begin with
// resgen. They are those that package prometheus has, with dots, and with the unit
// beside the name; docs/metrics.md has them all.
//
// What calls take, with the option resilience.Time, is a histogram that no instrument
// can take over. A reader asks [Durations] for it. [Spans] tells the spans of calls of their refusals.
package otel

import (
	"context"
	"fmt"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/metrics"
)

// Observe makes an instrument of the meter for each metric, and lets its reader ask
// the registry. Stop ends that.
func Observe(registry *resilience.Registry, meter metric.Meter) (stop func() error, err error) {
	instruments := make([]metric.Float64Observable, len(metrics.Table))
	observables := make([]metric.Observable, len(metrics.Table))
	for i, m := range metrics.Table {
		if instruments[i], err = instrument(meter, m); err != nil {
			return nil, fmt.Errorf("resilience: %w", err)
		}
		observables[i] = instruments[i]
	}
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		snapshot := registry.Snapshot()
		for i, m := range metrics.Table {
			m.Read(&snapshot, func(value float64, labels ...string) {
				o.ObserveFloat64(instruments[i], value, metric.WithAttributes(attributes(m, labels)...))
			})
		}
		return nil
	}, observables...)
	if err != nil {
		return nil, fmt.Errorf("resilience: %w", err)
	}
	return registration.Unregister, nil
}

func instrument(meter metric.Meter, m metrics.Metric) (metric.Float64Observable, error) {
	name := "resgen." + m.Name
	if m.Counter {
		return meter.Float64ObservableCounter(name, metric.WithUnit(m.Unit), metric.WithDescription(m.Help))
	}
	return meter.Float64ObservableGauge(name, metric.WithUnit(m.Unit), metric.WithDescription(m.Help))
}

// attributes are the labels with their values. An empty one is absent, as it is for
// Prometheus.
func attributes(m metrics.Metric, values []string) []attribute.KeyValue {
	all := make([]attribute.KeyValue, 0, len(values))
	for i, value := range values {
		if value != "" {
			all = append(all, attribute.String(key(m.Labels, i), value))
		}
	}
	return all
}

// key is the attribute of a label. The first names what the metric is about, such as
// resgen.breaker.name, and the others say something of it: resgen.breaker.state.
func key(labels []string, i int) string {
	switch {
	case i > 0:
		return "resgen." + labels[0] + "." + labels[i]
	case slices.Contains(nameless, labels[0]):
		return "resgen." + labels[0]
	}
	return "resgen." + labels[0] + ".name"
}

// nameless are the first labels whose values are no names.
var nameless = []string{"result", "fate"}

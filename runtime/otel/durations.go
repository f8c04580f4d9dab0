package otel

import (
	"context"
	"encoding/hex"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/metrics"
)

// Durations returns what tells a reader how long the calls of each method took, as
// exponential histograms. The registry needs the option resilience.Time:
//
//	reader := metric.NewPeriodicReader(exporter, metric.WithProducer(resgenotel.Durations(registry)))
func Durations(registry *resilience.Registry) metric.Producer {
	return &producer{registry, time.Now()}
}

type producer struct {
	registry *resilience.Registry
	began    time.Time
}

// Produce implements metric.Producer.
func (p *producer) Produce(context.Context) ([]metricdata.ScopeMetrics, error) {
	snapshot := p.registry.Snapshot()
	if len(snapshot.Calls) == 0 {
		return nil, nil
	}
	var points []metricdata.ExponentialHistogramDataPoint[float64]
	for i := range snapshot.Calls {
		point := exponential(&snapshot.Calls[i])
		point.StartTime, point.Time = p.began, snapshot.At
		points = append(points, point)
	}
	m := metrics.Duration
	return []metricdata.ScopeMetrics{{
		Scope: instrumentation.Scope{Name: "github.com/resgen-go/resgen/runtime/otel"},
		Metrics: []metricdata.Metrics{{
			Name: "resgen." + m.Name, Description: m.Help, Unit: m.Unit,
			Data: metricdata.ExponentialHistogram[float64]{Temporality: metricdata.CumulativeTemporality, DataPoints: points},
		}},
	}}, nil
}

// exponential is a point without its times.
func exponential(c *resilience.CallsSnapshot) metricdata.ExponentialHistogramDataPoint[float64] {
	p := metrics.PowersOf(c)
	return metricdata.ExponentialHistogramDataPoint[float64]{
		Attributes:     attribute.NewSet(attributes(metrics.Duration, metrics.Labels(c))...),
		Count:          c.Count,
		Sum:            time.Duration(c.Sum).Seconds(),
		Scale:          metrics.Scale,
		ZeroCount:      p.Zero,
		ZeroThreshold:  p.Tiny.Seconds(),
		PositiveBucket: metricdata.ExponentialBucket{Offset: int32(p.First - 1), Counts: p.Counts}, // counted by lower bounds
		Exemplars:      exemplars(c),
	}
}

// exemplars are those whose trace is an id of OpenTelemetry.
func exemplars(c *resilience.CallsSnapshot) (all []metricdata.Exemplar[float64]) {
	for _, b := range c.Buckets {
		if b.Exemplar == nil {
			continue
		}
		if id, err := hex.DecodeString(b.Exemplar.Trace); err == nil {
			all = append(all, metricdata.Exemplar[float64]{Time: b.Exemplar.At, Value: time.Duration(b.Exemplar.Took).Seconds(), TraceID: id})
		}
	}
	return all
}

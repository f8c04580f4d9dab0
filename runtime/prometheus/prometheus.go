// Package prometheus tells Prometheus of the breakers, bulkheads, rate limits and
// timeouts of a registry. It reads a snapshot when it is asked, so calls pay nothing:
//
//	registry, err := resilience.New(resilience.Watch("resilience.json"), resilience.Count())
//	...
//	prometheus.MustRegister(resgenprom.Collector(registry))
//
// docs/metrics.md has the names. They begin with resgen_, and their labels are the
// names of guards, never errors, so that a service has as many series as its settings
// have names and instances. With the option resilience.Time there is a histogram of
// each method.
package prometheus

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/metrics"
)

// Option sets up a collector.
type Option func(*collector)

// Name tells several registries of a process apart: every series has the label
// registry with this name.
func Name(registry string) Option {
	return func(c *collector) { c.labels = prometheus.Labels{"registry": registry} }
}

// Collector returns a collector of the registry. To register two collectors of one
// name, or two without, is an error of Prometheus's registry. A closed registry goes
// on telling its last figures.
func Collector(registry *resilience.Registry, options ...Option) prometheus.Collector {
	c := &collector{registry: registry}
	for _, option := range options {
		option(c)
	}
	for _, metric := range metrics.Table {
		c.descs = append(c.descs, c.desc(metric))
	}
	c.duration = c.desc(metrics.Duration)
	return c
}

func (c *collector) desc(m metrics.Metric) *prometheus.Desc {
	return prometheus.NewDesc(name(m), m.Help, m.Labels, c.labels)
}

type collector struct {
	registry *resilience.Registry
	labels   prometheus.Labels
	descs    []*prometheus.Desc // of the rows of the table
	duration *prometheus.Desc
}

// name is that of a metric by Prometheus's rules: the unit and the kind are in it.
func name(m metrics.Metric) string {
	name := "resgen_" + strings.ReplaceAll(m.Name, ".", "_")
	if m.Unit == "s" {
		name += "_seconds"
	}
	if m.Counter {
		name += "_total"
	}
	return name
}

// Describe implements prometheus.Collector. What it tells never changes.
func (c *collector) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range c.descs {
		descs <- desc
	}
	descs <- c.duration
}

// Collect implements prometheus.Collector. All figures are of one snapshot.
func (c *collector) Collect(series chan<- prometheus.Metric) {
	snapshot := c.registry.Snapshot()
	for i, metric := range metrics.Table {
		kind := prometheus.GaugeValue
		if metric.Counter {
			kind = prometheus.CounterValue
		}
		metric.Read(&snapshot, func(value float64, labels ...string) {
			series <- prometheus.MustNewConstMetric(c.descs[i], kind, value, labels...)
		})
	}
	for i := range snapshot.Calls {
		series <- &histogram{c.duration, &snapshot.Calls[i]}
	}
}

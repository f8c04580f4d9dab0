package prometheus

import (
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/metrics"
)

// histogram is both a classic and a native one: a server that reads the text format
// sees steps, one that takes native histograms the powers of √2 too.
type histogram struct {
	desc  *prometheus.Desc
	calls *resilience.CallsSnapshot
}

// Desc implements prometheus.Metric.
func (h *histogram) Desc() *prometheus.Desc { return h.desc }

// Write implements prometheus.Metric.
func (h *histogram) Write(to *dto.Metric) error {
	to.Label = prometheus.MakeLabelPairs(h.desc, metrics.Labels(h.calls))
	to.Histogram = &dto.Histogram{
		SampleCount: &h.calls.Count,
		SampleSum:   proto.Float64(time.Duration(h.calls.Sum).Seconds()),
	}
	for _, step := range metrics.Steps(h.calls) {
		to.Histogram.Bucket = append(to.Histogram.Bucket, &dto.Bucket{
			UpperBound:      proto.Float64(step.UpTo.Seconds()),
			CumulativeCount: &step.Count,
			Exemplar:        exemplar(step.Exemplar),
		})
	}
	native(to.Histogram, metrics.PowersOf(h.calls))
	return nil
}

// native adds the buckets of a native histogram, each as the difference from the one
// before.
func native(h *dto.Histogram, p metrics.Powers) {
	h.Schema = proto.Int32(metrics.Scale)
	h.ZeroThreshold = proto.Float64(p.Tiny.Seconds())
	h.ZeroCount = &p.Zero
	if len(p.Counts) == 0 {
		return
	}
	h.PositiveSpan = []*dto.BucketSpan{{Offset: proto.Int32(int32(p.First)), Length: proto.Uint32(uint32(len(p.Counts)))}}
	before := uint64(0)
	for _, n := range p.Counts {
		h.PositiveDelta = append(h.PositiveDelta, int64(n-before))
		before = n
	}
}

// longest is the longest trace that Prometheus takes: an exemplar whose labels have
// more than 128 characters, or are no text, would spoil the whole scrape.
const longest = 128 - len("trace_id")

func exemplar(e *resilience.Exemplar) *dto.Exemplar {
	if e == nil || len(e.Trace) > longest || !utf8.ValidString(e.Trace) {
		return nil
	}
	return &dto.Exemplar{
		Label:     []*dto.LabelPair{{Name: proto.String("trace_id"), Value: &e.Trace}},
		Value:     proto.Float64(time.Duration(e.Took).Seconds()),
		Timestamp: timestamppb.New(e.At),
	}
}

package load

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Record is what came back from one endpoint.
type Record struct {
	Total  *Tally   // after the warm-up
	Slices []*Tally // from the start, by the moment at which a request was sent

	plan Plan
	late *hdrhistogram.Histogram
}

// Answer is what came of one request.
type Answer struct {
	Number int           // of the request, from 0
	Sent   time.Duration // since the start
	Kind   Kind
	Took   time.Duration
}

// NewRecord returns an empty one.
func NewRecord(p Plan) *Record {
	r := &Record{Total: NewTally(), plan: p, late: newHistogram()}
	for range (p.Lasts() + p.Slice - 1) / p.Slice {
		r.Slices = append(r.Slices, NewTally())
	}
	return r
}

// Add keeps an answer.
func (r *Record) Add(a Answer) {
	r.Slices[min(int(a.Sent/r.plan.Slice), len(r.Slices)-1)].Add(a.Kind, a.Took)
	if a.Sent < r.plan.WarmUp {
		return
	}
	r.Total.Add(a.Kind, a.Took)
	due := time.Duration(a.Number+1) * time.Second / time.Duration(r.plan.Rate) // the end of its period
	keep(r.late, max(0, a.Sent-due))
}

// Late is by how much requests after the warm-up were sent later than planned, at
// the 99th percentile: a generator that can't keep up measures itself.
func (r *Record) Late() time.Duration { return quantile(r.late, 0.99) }

// Offered is the rate after the warm-up, as it really was, in requests per
// second.
func (r *Record) Offered() float64 { return float64(r.Total.Sent()) / r.plan.Over.Seconds() }

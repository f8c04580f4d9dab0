package main

import (
	"github.com/resgen-go/resgen/examples/isolation/internal/chart"
	"github.com/resgen-go/resgen/examples/isolation/internal/load"
	"github.com/resgen-go/resgen/examples/isolation/internal/stand"
	resilience "github.com/resgen-go/resgen/runtime"
)

// trace is a line and how its points come from a cell.
type trace struct {
	chart.Style
	points func(experiment, cell) []chart.Point
}

// One colour for each way to divide the permits, the lower line so wide that it
// shows under the other. What matters less is thin and dashed.
var (
	one  = chart.Style{Color: chart.Vermillion, Width: 1.5}
	each = chart.Style{Color: chart.Blue, Width: 3}

	warmingUp = chart.Style{Name: "warm-up, not counted", Color: chart.Shade, Solid: true}
)

func named(s chart.Style, name string) chart.Style {
	s.Name = name
	return s
}

func minor(s chart.Style, name string) chart.Style {
	s.Dashed, s.Width = true, 1
	return named(s, name)
}

var successTraces = []trace{
	{named(one, "/b, one pool"), answers(ofShared, ofB, success)},
	{named(each, "/b, a pool each"), answers(ofSplit, ofB, success)},
	{minor(one, "/a, one pool"), answers(ofShared, ofA, success)},
	{minor(each, "/a, a pool each"), answers(ofSplit, ofA, success)},
}

func latencyTraces(endpoint func(side) *load.Record) []trace {
	return []trace{
		{named(one, "p50, one pool"), answers(ofShared, endpoint, quantile(0.5))},
		{named(each, "p50, a pool each"), answers(ofSplit, endpoint, quantile(0.5))},
		{minor(one, "p99, one pool"), answers(ofShared, endpoint, quantile(0.99))},
		{minor(each, "p99, a pool each"), answers(ofSplit, endpoint, quantile(0.99))},
	}
}

func poolTraces(figure func(resilience.BulkheadSnapshot) int) []trace {
	of := func(pool string) func(stand.Gauges) int {
		return func(g stand.Gauges) int { return figure(g.Pools[pool]) }
	}
	return []trace{
		{named(one, "the one pool"), readings(ofShared, of("shared"))},
		{named(each, "the pool of B"), readings(ofSplit, of("b"))},
		{minor(each, "the pool of A"), readings(ofSplit, of("a"))},
	}
}

func inUse(pool resilience.BulkheadSnapshot) int   { return pool.InUse }
func waiting(pool resilience.BulkheadSnapshot) int { return pool.Waiting }

var servingTraces = []trace{
	{named(one, "/b, one pool"), readings(ofShared, servingB)},
	{named(each, "/b, a pool each"), readings(ofSplit, servingB)},
	{minor(one, "/a, one pool"), readings(ofShared, servingA)},
	{minor(each, "/a, a pool each"), readings(ofSplit, servingA)},
}

func servingA(g stand.Gauges) int { return g.ServingA }
func servingB(g stand.Gauges) int { return g.ServingB }

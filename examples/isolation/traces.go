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

// One colour for each way to divide the permits; what matters less is pale. The
// lower a line lies, the wider it is, so that it shows under those on top of it.
var (
	one       = chart.Style{Color: chart.Vermillion, Width: 1}
	each      = chart.Style{Color: chart.Blue, Width: 2.4}
	minorOne  = chart.Style{Color: chart.PaleVermillion, Width: 4}
	minorEach = chart.Style{Color: chart.PaleBlue, Width: 5.4}

	uncounted = chart.Style{Name: "not counted", Color: chart.Shade, Solid: true}
	striking  = chart.Style{Name: "the state of A begins", Color: chart.Grey, Width: 1, Dashed: true}
)

func named(s chart.Style, name string) chart.Style {
	s.Name = name
	return s
}

var successTraces = []trace{
	{named(one, "/b, one pool"), answers(ofShared, ofB, share(load.OK))},
	{named(each, "/b, a pool each"), answers(ofSplit, ofB, share(load.OK))},
	{named(minorOne, "/a, one pool"), answers(ofShared, ofA, share(load.OK))},
	{named(minorEach, "/a, a pool each"), answers(ofSplit, ofA, share(load.OK))},
}

// kindTraces are the bad answers of an endpoint by kind: with one pool a thin
// line, with a pool each a wide one below it.
func kindTraces(endpoint func(side) *load.Record) []trace {
	var traces []trace
	for _, of := range []struct {
		partition string
		side      func(cell) side
		width     float64
	}{{"one pool", ofShared, 1}, {"a pool each", ofSplit, 4}} {
		for _, k := range load.Kinds[load.Refused:] {
			s := chart.Style{Name: k.String() + ", " + of.partition, Color: kindStyles[k].Color, Width: of.width}
			if of.width > 1 {
				s.Color = chart.Pale(s.Color)
			}
			traces = append(traces, trace{s, answers(of.side, endpoint, share(k))})
		}
	}
	return traces
}

func latencyTraces(endpoint func(side) *load.Record) []trace {
	return []trace{
		{named(one, "p50, one pool"), answers(ofShared, endpoint, quantile(0.5))},
		{named(each, "p50, a pool each"), answers(ofSplit, endpoint, quantile(0.5))},
		{named(minorOne, "p99, one pool"), answers(ofShared, endpoint, quantile(0.99))},
		{named(minorEach, "p99, a pool each"), answers(ofSplit, endpoint, quantile(0.99))},
	}
}

func poolTraces(figure func(resilience.BulkheadSnapshot) int) []trace {
	of := func(pool string) func(stand.Gauges) int {
		return func(g stand.Gauges) int { return figure(g.Pools[pool]) }
	}
	return []trace{
		{named(one, "the one pool"), readings(ofShared, of("shared"))},
		{named(each, "the pool of B"), readings(ofSplit, of("b"))},
		{named(minorEach, "the pool of A"), readings(ofSplit, of("a"))},
	}
}

func inUse(pool resilience.BulkheadSnapshot) int   { return pool.InUse }
func waiting(pool resilience.BulkheadSnapshot) int { return pool.Waiting }

var servingTraces = []trace{
	{named(one, "/b, one pool"), readings(ofShared, servingB)},
	{named(each, "/b, a pool each"), readings(ofSplit, servingB)},
	{named(minorOne, "/a, one pool"), readings(ofShared, servingA)},
	{named(minorEach, "/a, a pool each"), readings(ofSplit, servingA)},
}

func servingA(g stand.Gauges) int { return g.ServingA }
func servingB(g stand.Gauges) int { return g.ServingB }

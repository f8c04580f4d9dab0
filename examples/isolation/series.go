package main

import (
	"math"

	"github.com/resgen-go/resgen/examples/isolation/internal/chart"
	"github.com/resgen-go/resgen/examples/isolation/internal/load"
	"github.com/resgen-go/resgen/examples/isolation/internal/stand"
)

func ofShared(c cell) side { return c.shared }
func ofSplit(c cell) side  { return c.split }

func ofA(s side) *load.Record { return s.a }
func ofB(s side) *load.Record { return s.b }

// answers is a series with a point in the middle of each slice of time, and a
// gap where the figure is not known.
func answers(of func(cell) side, endpoint func(side) *load.Record, figure func(*load.Tally) (float64, bool)) func(experiment, cell) []chart.Point {
	return func(e experiment, c cell) []chart.Point {
		var points []chart.Point
		for i, tally := range endpoint(of(c)).Slices {
			y, known := figure(tally)
			if !known {
				y = math.NaN()
			}
			points = append(points, chart.Point{X: (float64(i) + 0.5) * e.slice.Seconds(), Y: y})
		}
		return points
	}
}

// share is the percentage of a kind among the answers.
func share(k load.Kind) func(*load.Tally) (float64, bool) {
	return func(t *load.Tally) (float64, bool) { return t.Percent(k) }
}

// quantile is the time in milliseconds that a part of the good answers took at
// most.
func quantile(part float64) func(*load.Tally) (float64, bool) {
	return func(t *load.Tally) (float64, bool) {
		took, known := t.Quantile(part, load.OK)
		return 1000 * took.Seconds(), known
	}
}

// readings is a series of the means of a gauge, five in each slice of time.
func readings(of func(cell) side, figure func(stand.Gauges) int) func(experiment, cell) []chart.Point {
	return func(e experiment, c cell) []chart.Point {
		fine := e.slice / 5
		means := make([]mean, e.lasts()/fine)
		for _, g := range of(c).gauges {
			means[min(int(g.At/fine), len(means)-1)].add(figure(g))
		}
		points := make([]chart.Point, len(means))
		for i, m := range means {
			points[i] = chart.Point{X: (float64(i) + 0.5) * fine.Seconds(), Y: m.value()}
		}
		return points
	}
}

// mean of what was added; NaN before.
type mean struct{ sum, n int }

func (m *mean) add(x int) { m.sum, m.n = m.sum+x, m.n+1 }

func (m mean) value() float64 { return float64(m.sum) / float64(m.n) }

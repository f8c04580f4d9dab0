package chart

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// Ticks are few, round and labelled: powers of ten on a logarithmic axis, else
// the smallest step that gives at most six.
func (a Axis) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	if a.Log {
		for at := math.Pow(10, math.Ceil(math.Log10(low))); at <= high; at *= 10 {
			ticks = append(ticks, tick(at))
		}
		return ticks
	}
	step := stepFor(high - low)
	for i := math.Ceil(low / step); i*step <= high; i++ {
		ticks = append(ticks, tick(i*step))
	}
	return ticks
}

func tick(at float64) plot.Tick {
	return plot.Tick{Value: at, Label: strconv.FormatFloat(at, 'g', 6, 64)}
}

func stepFor(span float64) float64 {
	for step := math.Pow(10, math.Floor(math.Log10(span))-1); ; step *= 10 {
		for _, times := range []float64{1, 2, 2.5, 5} {
			if span/(step*times) <= 5.3 {
				return step * times
			}
		}
	}
}

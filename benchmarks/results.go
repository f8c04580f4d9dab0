package main

import (
	"fmt"
	"slices"
	"testing"
)

// A point is one figure of the report.
type point struct {
	section, path string
	goroutines    int
}

// series is what the rounds found for one point.
type series struct {
	ns            []float64 // a call, in wall time
	allocs, bytes int64     // a call
}

type results map[point]*series

func (r results) addRound() error {
	for _, section := range sections {
		for _, path := range section.paths {
			if err := r.add(section, path); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r results) add(section section, path path) error {
	client := path.make()
	for _, goroutines := range goroutines {
		got := testing.Benchmark(func(b *testing.B) { section.measure(b, client, goroutines) })
		if got.N == 0 {
			return fmt.Errorf("%s, %s: a call did not end as it should", section.name, path.name)
		}
		at := point{section.name, path.name, goroutines}
		if r[at] == nil {
			r[at] = new(series)
		}
		r[at].ns = append(r[at].ns, float64(got.T.Nanoseconds())/float64(got.N))
		r[at].allocs, r[at].bytes = got.AllocsPerOp(), got.AllocedBytesPerOp()
	}
	return nil
}

func (r results) rounds() int { return len(r[point{"floor", "bare", 1}].ns) }

// A view is what to take for the one figure of a point.
type view func(section, path string, goroutines int) float64

// median is the view of the machine as it was.
func (r results) median(section, path string, goroutines int) float64 {
	return quantile(r[point{section, path, goroutines}].ns, 0.5)
}

// quiet is the view of the machine when it is left alone: the tenth part of a
// path's figures on one core that are best. Where two cores contend, being
// disturbed can help, so there it is the median.
func (r results) quiet(section, path string, goroutines int) float64 {
	if goroutines > 1 {
		return r.median(section, path, goroutines)
	}
	return quantile(r[point{section, path, goroutines}].ns, 0.1)
}

// spread is how far apart the middle half of a point's figures lies, as a part of
// their median: the median over all points.
func (r results) spread() float64 {
	var all []float64
	for _, s := range r {
		all = append(all, (quantile(s.ns, 0.75)-quantile(s.ns, 0.25))/quantile(s.ns, 0.5))
	}
	return quantile(all, 0.5)
}

func quantile(of []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[int(q*float64(len(sorted)-1)+0.5)]
}

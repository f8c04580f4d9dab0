// One goroutine plays the model, as model_test.go says.

//go:build !race

package main

import (
	"math"
	"time"

	"github.com/resgen-go/resgen/internal/overload"
)

// counter counts the calls that run.
type counter struct {
	running int
	limit   float64
}

func (c *counter) begin(end overload.Call) overload.Call {
	if c.running >= max(1, int(c.limit)) {
		return nil
	}
	c.running++
	return end
}

func (c *counter) bound() { c.limit = min(max(c.limit, 1), most) }

// newFixed never changes.
func newFixed(limit int) overload.Limiter { return &fixed{counter{limit: float64(limit)}} }

type fixed struct{ counter }

func (f *fixed) Admit(time.Duration) overload.Call { return f.begin(f.ended) }

func (f *fixed) ended(_, _ time.Duration, _ bool) { f.running-- }

// newAIMD adds one for a good answer and takes a tenth for a late one, as AIMDLimit
// of Netflix/concurrency-limits does.
func newAIMD() overload.Limiter { return &aimd{counter{limit: initial}} }

type aimd struct{ counter }

func (a *aimd) Admit(time.Duration) overload.Call { return a.begin(a.ended) }

func (a *aimd) ended(_, _ time.Duration, late bool) {
	switch {
	case late:
		a.limit *= .9
	case 2*a.running >= int(a.limit):
		a.limit++
	}
	a.running--
	a.bound()
}

// seconds collects calls for windows of a second with at least ten of them.
type seconds struct {
	counter
	began time.Duration
	took  []time.Duration
	late  int
	most  int // that ran at once
}

// window is what the calls of a second say.
type window struct {
	mean float64
	late bool
	most float64
}

// end returns the window that a call ends.
func (s *seconds) end(now, took time.Duration, late bool) (w window, ended bool) {
	if len(s.took) == 0 {
		s.began = now
	}
	s.took = append(s.took, took)
	s.most = max(s.most, s.running)
	s.running--
	if late {
		s.late++
	}
	if now-s.began < time.Second || len(s.took) < 10 {
		return window{}, false
	}
	for _, t := range s.took {
		w.mean += t.Seconds() / float64(len(s.took))
	}
	w.late, w.most = s.late > 0, float64(s.most)
	s.took, s.late, s.most = s.took[:0], 0, 0
	return w, true
}

// newVegas estimates the queue from the fastest answer seen, as VegasLimit of
// Netflix/concurrency-limits does.
func newVegas() overload.Limiter { return &vegas{seconds: seconds{counter: counter{limit: initial}}} }

type vegas struct {
	seconds
	fastest float64
	since   float64 // windows since the fastest was looked for anew
}

func (v *vegas) Admit(time.Duration) overload.Call { return v.begin(v.ended) }

func (v *vegas) ended(now, took time.Duration, late bool) {
	if w, ended := v.end(now, took, late); ended {
		v.judge(w)
		v.bound()
	}
}

func (v *vegas) judge(w window) {
	const probeEvery = .75 * 30
	if v.since++; v.since >= probeEvery*v.limit {
		v.since, v.fastest = 0, w.mean
		return
	}
	if v.fastest == 0 || w.mean < v.fastest {
		v.fastest = w.mean
		return
	}
	step := max(1, math.Floor(math.Log10(v.limit)))
	queue := math.Ceil(v.limit * (1 - v.fastest/w.mean))
	switch {
	case w.late:
		v.limit -= step
	case 2*w.most < v.limit:
	case queue <= step:
		v.limit += 6 * step
	case queue < 3*step:
		v.limit += step
	case queue > 6*step:
		v.limit -= step
	}
}

// newGradient2 compares answers with a long average of them, as Gradient2Limit of
// Netflix/concurrency-limits does.
func newGradient2() overload.Limiter {
	return &gradient2{seconds: seconds{counter: counter{limit: initial}}}
}

type gradient2 struct {
	seconds
	average float64
	windows float64
}

func (g *gradient2) Admit(time.Duration) overload.Call { return g.begin(g.ended) }

func (g *gradient2) ended(now, took time.Duration, late bool) {
	if w, ended := g.end(now, took, late); ended {
		g.judge(w)
		g.bound()
	}
}

func (g *gradient2) judge(w window) {
	const (
		warmUp, long    = 10, 600
		tolerance       = 1.5
		smoothing, more = .2, 4
	)
	if g.windows++; g.windows <= warmUp {
		g.average += (w.mean - g.average) / g.windows
	} else {
		g.average += (w.mean - g.average) * 2 / (long + 1)
	}
	if g.average > 2*w.mean {
		g.average *= .95
	}
	if w.most < g.limit/2 {
		return
	}
	gradient := min(max(tolerance*g.average/w.mean, .5), 1)
	g.limit = (1-smoothing)*g.limit + smoothing*(gradient*g.limit+more)
}

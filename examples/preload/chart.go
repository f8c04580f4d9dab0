package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"strings"
	"text/template"

	"github.com/resgen-go/resgen/internal/svgtext"
)

//go:embed chart.svg.tmpl
var chartText string

var chartTemplate = template.Must(template.New("chart").Parse(chartText))

// The plot area of a panel, in units of the picture, seen from its top left
// corner.
const (
	plotWidth  = 340.0
	plotHeight = 220.0
)

// panel is one of the two plots: percents against entries per second.
type panel struct {
	Left           float64
	Title, Unit    string
	Xs, Ys         []tick
	Best           string // points of the line of what is possible; empty: none
	Plain, Preload line
}

// tick is a label on an axis and where it stands.
type tick struct {
	At    float64
	Label string
}

// line is a series of measured points.
type line []point

type point struct{ X, Y float64 }

// Points is the line as the attribute of a polyline.
func (l line) Points() string {
	words := make([]string, len(l))
	for i, p := range l {
		words[i] = fmt.Sprintf("%.1f,%.1f", p.X, p.Y)
	}
	return strings.Join(words, " ")
}

// axes places rates and percents in a panel.
type axes struct{ maxRate float64 }

func (a axes) point(rate, percent float64) point {
	return point{rate / a.maxRate * plotWidth, plotHeight * (1 - percent/100)}
}

func (a axes) line(rows []row, percent func(row) float64) line {
	var l line
	for _, r := range rows {
		l = append(l, a.point(r.rate, percent(r)))
	}
	return l
}

// best is the line of what the pool can serve: a curve, so it has more points
// than were measured.
func (a axes) best() line {
	const steps = 100
	var l line
	for i := range steps {
		rate := a.maxRate * float64(i+1) / steps
		l = append(l, a.point(rate, bestPercent(rate)))
	}
	return l
}

// drawChart returns the rows, which must not be empty and are in order of their
// rates, as a picture in SVG.
func drawChart(rows []row) []byte {
	a := axes{maxRate: rows[len(rows)-1].rate}
	ok := panel{
		Left: 60, Title: "Entries ok", Unit: "% of the entries offered",
		Best:    a.best().Points(),
		Plain:   a.line(rows, func(r row) float64 { return r.plain.okPercent() }),
		Preload: a.line(rows, func(r row) float64 { return r.preload.okPercent() }),
	}
	wasted := panel{
		Left: 480, Title: "Downstream work wasted", Unit: "% of the calls made",
		Plain:   a.line(rows, func(r row) float64 { return r.plain.wastedPercent() }),
		Preload: a.line(rows, func(r row) float64 { return r.preload.wastedPercent() }),
	}
	ok.Xs, ok.Ys = a.ticks(rows)
	wasted.Xs, wasted.Ys = a.ticks(rows)
	return render(ok, wasted)
}

// ticks are the measured rates, and every 25 percent.
func (a axes) ticks(rows []row) (xs, ys []tick) {
	for _, r := range rows {
		xs = append(xs, tick{a.point(r.rate, 0).X, fmt.Sprintf("%g", r.rate)})
	}
	for percent := 0.0; percent <= 100; percent += 25 {
		ys = append(ys, tick{a.point(0, percent).Y, fmt.Sprintf("%g", percent)})
	}
	return xs, ys
}

// entry is one of the legend.
type entry struct {
	Class, Words string
	X            float64
}

func legend() []entry {
	entries := []entry{
		{Class: "plain", Words: "without preload"},
		{Class: "preload", Words: fmt.Sprintf("with preload=%d", callsPerEntry)},
		{Class: "best", Words: "at best"},
	}
	at := 0.0
	for i := range entries {
		entries[i].X = at
		at += math.Ceil(38 + svgtext.Width(entries[i].Words, 12, false) + 24)
	}
	return entries
}

// render fills the template in, which can't fail: both are fixed.
func render(panels ...panel) []byte {
	var picture bytes.Buffer
	err := chartTemplate.Execute(&picture, struct {
		Panels        []panel
		Legend        []entry
		Width, Height float64
		Calls, Pool   int
		AtBest        float64
	}{panels, legend(), plotWidth, plotHeight, callsPerEntry, pool, atBest})
	if err != nil {
		panic(err)
	}
	return picture.Bytes()
}

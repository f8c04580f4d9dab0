package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/resgen-go/resgen/examples/isolation/internal/chart"
)

// picture shows one thing in all cells of the grid: traces over time, or bars
// where it has none.
type picture struct {
	file, title string
	y           chart.Axis
	traces      []trace
	empty       string // what it means that no trace has a point
}

// pictures are those of the report, in its order.
var pictures = []picture{
	{file: "outcomes", title: "What came of the requests"},
	{"success", "Success over time", chart.Axis{Label: "% of the requests sent", Max: 100}, successTraces, ""},
	{"latency-b", "How long good answers of /b took", chart.Axis{Label: "ms", Min: 1, Log: true}, latencyTraces(ofB), "no good answers"},
	{"latency-a", "How long good answers of /a took", chart.Axis{Label: "ms"}, latencyTraces(ofA), "no good answers"},
	{"errors-b", "Bad answers of /b over time, by kind", chart.Axis{Label: "% of the requests sent", Max: 100}, kindTraces(ofB), ""},
	{"errors-a", "Bad answers of /a over time, by kind", chart.Axis{Label: "% of the requests sent", Max: 100}, kindTraces(ofA), ""},
	{"permits", "Permits in use", chart.Axis{Label: "permits"}, poolTraces(inUse), ""},
	{"queue", "Calls that wait for a permit", chart.Axis{Label: "calls"}, poolTraces(waiting), ""},
	{"goroutines", "Goroutines that serve requests", chart.Axis{Label: "goroutines"}, servingTraces, ""},
}

// savePictures draws all of them into a folder.
func savePictures(r *results, folder string) error {
	for _, p := range pictures {
		if err := p.draw(r).Save(folder, p.file); err != nil {
			return fmt.Errorf("draw %s: %w", p.file, err)
		}
	}
	return nil
}

// draw fills the picture with what was measured.
func (p picture) draw(r *results) *chart.Picture {
	drawn := &chart.Picture{Title: p.title, Subtitle: r.summary(), Y: p.y}
	if p.traces == nil {
		drawn.X = chart.Axis{Label: "% of the requests sent", Max: 100}
		drawn.Legend = kindStyles
	} else {
		drawn.X = chart.Axis{Label: "seconds", Max: r.lasts().Seconds()}
		drawn.Shade, drawn.Mark = r.warmUp.Seconds(), r.strikes.Seconds()
		drawn.Legend = p.legend()
	}
	for _, st := range r.states {
		drawn.Columns = append(drawn.Columns, st.title)
	}
	for _, po := range r.policies {
		drawn.Rows = append(drawn.Rows, po.title)
		var row []chart.Plot
		for _, st := range r.states {
			row = append(row, p.plot(r.experiment, r.cell(st.role, po)))
		}
		drawn.Plots = append(drawn.Plots, row)
	}
	return drawn
}

func (p picture) legend() []chart.Style {
	var legend []chart.Style
	for _, t := range p.traces {
		legend = append(legend, t.Style)
	}
	return append(legend, striking, uncounted)
}

// plot is the picture's part of one cell. The first trace is drawn last, on top
// of the others.
func (p picture) plot(e experiment, c cell) chart.Plot {
	if p.traces == nil {
		return chart.Plot{Bars: outcomeBars(c)}
	}
	plot := chart.Plot{Note: p.empty}
	for _, t := range slices.Backward(p.traces) {
		points := t.points(e, c)
		if slices.ContainsFunc(points, known) {
			plot.Note = ""
		}
		plot.Lines = append(plot.Lines, chart.Line{Style: t.Style, Points: points})
	}
	return plot
}

func known(p chart.Point) bool { return !math.IsNaN(p.Y) }

package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"text/template"

	"github.com/resgen-go/resgen/internal/svgtext"
)

//go:embed chart.svg.tmpl
var chartText string

var chartTemplate = template.Must(template.New("chart").Parse(chartText))

// Sizes, in units of the picture.
const (
	rowHeight = 26
	axisWidth = 240.0
	textSize  = 12
	margin    = 20
	between   = 40 // of two panels
)

// panel is one figure of all schemes.
type panel struct {
	Left  float64
	Title string
	Ticks []tick
	Dots  []dot
}

// tick is a mark on the axis.
type tick struct {
	X     float64
	Label string
}

// dot is one scheme in one panel.
type dot struct {
	Name  string
	X     float64
	Y     int
	Value string
}

// axis runs from the first to the last of its labelled places. What it shows of
// a number is its place.
type axis struct {
	marks []float64
	place func(float64) float64
}

func (a axis) at(value float64) float64 {
	low, high := a.place(a.marks[0]), a.place(a.marks[len(a.marks)-1])
	return axisWidth * (a.place(value) - low) / (high - low)
}

// draw returns the rows as a picture in SVG: what a scheme costs, and how well it
// decides.
func draw(rows []row) []byte {
	panels := []panel{
		newPanel("a broken host holds all, percent of the time", rows, steps, "%.0f", func(r row) float64 { return r.host }),
		newPanel("sudden death: held after, seconds", rows, powersOfTen, "%.1f", func(r row) float64 { return r.hold }),
		newPanel("writes a second while all is well", rows, powersOfTen, "%.1f", func(r row) float64 { return r.writes }),
	}
	bottom := rowHeight * len(rows)
	width := place(panels)
	var b bytes.Buffer
	err := chartTemplate.Execute(&b, map[string]any{"Panels": panels, "Height": bottom + 130, "Bottom": bottom, "Width": width, "Axis": axisWidth})
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

// place puts the panels beside each other, the first behind the names of its dots,
// and returns the width of the picture.
func place(panels []panel) float64 {
	names := 0.0
	for _, d := range panels[0].Dots {
		names = max(names, svgtext.Width(d.Name, textSize, false))
	}
	left := math.Ceil(margin + names + 14)
	for i := range panels {
		panels[i].Left = left
		left += math.Ceil(max(panels[i].extent(), svgtext.Width(panels[i].Title, textSize, true))) + between
	}
	return left - between + margin
}

// extent is how far the dots with their values reach.
func (p panel) extent() float64 {
	most := axisWidth
	for _, d := range p.Dots {
		most = max(most, d.X+10+svgtext.Width(d.Value, textSize, false))
	}
	return most
}

func newPanel(title string, rows []row, upTo func(float64) axis, format string, value func(row) float64) panel {
	greatest := 0.0
	for _, r := range rows {
		greatest = max(greatest, value(r))
	}
	a := upTo(greatest)
	p := panel{Title: title}
	for _, mark := range a.marks {
		p.Ticks = append(p.Ticks, tick{a.at(mark), fmt.Sprintf("%.6g", mark)})
	}
	for i, r := range rows {
		p.Dots = append(p.Dots, dot{r.name, a.at(value(r)), rowHeight*i + rowHeight/2, fmt.Sprintf(format, value(r))})
	}
	return p
}

// powersOfTen is a logarithmic axis. It begins at one; less is drawn there.
func powersOfTen(greatest float64) axis {
	a := axis{[]float64{1}, func(x float64) float64 { return math.Log10(max(1, x)) }}
	for mark := 10.0; a.marks[len(a.marks)-1] < max(10, greatest); mark *= 10 {
		a.marks = append(a.marks, mark)
	}
	return a
}

// steps is a linear axis from zero.
func steps(greatest float64) axis {
	a := axis{[]float64{0}, func(x float64) float64 { return x }}
	step := math.Pow(10, math.Floor(math.Log10(max(1e-9, greatest))))
	if greatest > 5*step {
		step *= 2
	}
	for mark := step; a.marks[len(a.marks)-1] < greatest; mark += step {
		a.marks = append(a.marks, mark)
	}
	return a
}

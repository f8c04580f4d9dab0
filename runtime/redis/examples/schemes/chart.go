package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"text/template"
)

//go:embed chart.svg.tmpl
var chartText string

var chartTemplate = template.Must(template.New("chart").Parse(chartText))

// bar is one scheme in one panel.
type bar struct {
	Name   string
	Y      int
	Length float64
	Value  string
}

const (
	barGap    = 26
	barLength = 220.0
)

// panel is one figure of all schemes.
type panel struct {
	Left  int
	Title string
	Bars  []bar
}

// draw returns the rows as a picture in SVG: what a scheme costs, and how well it counts.
func draw(rows []row) []byte {
	panels := []panel{
		newPanel(200, "writes a second at 100 000 calls a minute (logarithmic)", rows, "%.0f", func(r row) (float64, float64) {
			return r.many.writes, math.Log10(1 + r.many.writes)
		}),
		newPanel(560, "rate off by, in percent points, at 1000 calls a minute", rows, "%.2f", func(r row) (float64, float64) {
			return r.few.error, r.few.error
		}),
	}
	var b bytes.Buffer
	if err := chartTemplate.Execute(&b, map[string]any{"Panels": panels, "Height": 110 + barGap*len(rows)}); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func newPanel(left int, title string, rows []row, format string, value func(row) (shown, length float64)) panel {
	longest := 1e-9
	for _, r := range rows {
		_, length := value(r)
		longest = max(longest, length)
	}
	p := panel{Left: left, Title: title}
	for i, r := range rows {
		shown, length := value(r)
		p.Bars = append(p.Bars, bar{r.name, i * barGap, barLength * length / longest, fmt.Sprintf(format, shown)})
	}
	return p
}

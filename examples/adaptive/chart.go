package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"text/template"
	"time"

	"github.com/resgen-go/resgen/internal/overload"
	"github.com/resgen-go/resgen/internal/svgtext"
)

//go:embed chart.svg.tmpl
var chartText string

var chartTemplate = template.Must(template.New("chart").Parse(chartText))

// The plot area, in units of the picture.
const (
	plotWidth  = 780.0
	plotHeight = 240.0
)

// band is a phase in the chart.
type band struct {
	X, Width float64
	Lines    []string // its name, wrapped
	Odd      bool
}

// curve is a side in the chart: its share of the possible answers over time.
type curve struct {
	Class, Name string
	Points      string
	LegendX     float64
}

// drawChart returns the run as a picture in SVG.
func drawChart(phases []overload.Phase, sides []*side) []byte {
	var total time.Duration
	for _, p := range phases {
		total += p.Length
	}
	x := func(at time.Duration) float64 { return plotWidth * at.Seconds() / total.Seconds() }
	var bands []band
	var began time.Duration
	for i, p := range phases {
		bands = append(bands, band{
			X: x(began), Width: x(p.Length), Odd: i%2 == 1,
			Lines: svgtext.Wrap(p.Name, 12, false, x(p.Length)-8),
		})
		began += p.Length
	}
	var curves []curve
	at := 0.0
	for _, s := range sides {
		curves = append(curves, curve{s.policy.class, s.policy.name, points(phases, s, x), at})
		at += 40 + svgtext.Width(s.policy.name, 12, false) + 28
	}
	var picture bytes.Buffer
	if err := chartTemplate.Execute(&picture, struct {
		Bands         []band
		Curves        []curve
		Width, Height float64
		Clients       int
	}{bands, curves, plotWidth, plotHeight, clients}); err != nil {
		panic(err) // both are fixed
	}
	return picture.Bytes()
}

// points is the curve of a side. A second of chance says little, so each point is
// the mean of three.
func points(phases []overload.Phase, s *side, x func(time.Duration) float64) string {
	var words []string
	var began time.Duration
	for n, p := range phases {
		possible := p.Possible()
		seconds := s.phases[n].seconds[:int(p.Length/time.Second)]
		for i := range seconds {
			sum, of := 0, 0
			for j := max(0, i-1); j <= min(len(seconds)-1, i+1); j++ {
				sum, of = sum+seconds[j], of+1
			}
			share := min(1.1, float64(sum)/float64(of)/possible)
			moment := began + time.Duration(i)*time.Second + time.Second/2
			words = append(words, fmt.Sprintf("%.1f,%.1f", x(moment), plotHeight*(1-share/1.1)))
		}
		began += p.Length
	}
	return strings.Join(words, " ")
}

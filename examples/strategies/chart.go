package main

import (
	"bytes"
	_ "embed"
	"slices"
	"text/template"
	"time"

	"github.com/resgen-go/resgen/internal/timeline"
)

//go:embed chart.svg.tmpl
var chartText string

var chartTemplate = template.Must(template.New("chart").Parse(chartText))

// Sizes, in units of the picture.
const (
	turnWidth   = 2.0
	laneHeight  = 32.0
	panelHeight = 264.0
	headHeight  = 162.0 // title and a legend of two lines
	legendWidth = 1186.0
	legendLine  = 20.0
)

// panel is one situation: a lane for the dependency and one for each strategy.
type panel struct {
	Y      float64
	Title  string
	Calls  int // all of them
	Bad    int // those that would fail
	Health []timeline.Bar
	Lanes  []lane
}

// lane is what a strategy made of a situation.
type lane struct {
	Y     float64
	Name  string
	Bars  []timeline.Bar
	Tally tally
}

// drawChart returns the plays as a picture in SVG.
func drawChart(plays []play) []byte {
	var panels []panel
	for i, p := range plays {
		panels = append(panels, drawPanel(p, headHeight+panelHeight*float64(i)))
	}
	var picture bytes.Buffer
	err := chartTemplate.Execute(&picture, struct {
		Panels       []panel
		Legend       []timeline.Entry
		Minutes      []minute
		Height       float64
		CallsPerTurn int
		TurnLasts    time.Duration
		Style        string
	}{panels, timeline.Legend(legendWidth, legendLine), minutes(), headHeight + panelHeight*float64(len(plays)), callsPerTurn, turnLasts, timeline.Style})
	if err != nil { // can't be: the template is fixed
		panic(err)
	}
	return picture.Bytes()
}

func drawPanel(p play, y float64) panel {
	drawn := panel{Y: y, Title: p.title, Calls: len(p.answers), Bad: countBad(p.answers)}
	drawn.Health = bars(func(i int) timeline.Bar { return mark("bad", countBad(ofTurn(p.answers, i))).Above(5) })
	for i, t := range p.tracks {
		drawn.Lanes = append(drawn.Lanes, lane{
			Y:     laneHeight * float64(i+1),
			Name:  t.strategy,
			Bars:  drawTrack(t.calls),
			Tally: count(t.calls),
		})
	}
	return drawn
}

// drawTrack draws the state that the first call of each turn found, with the
// lost calls above and the wrongly refused ones below.
func drawTrack(calls []seen) []timeline.Bar {
	return slices.Concat(
		bars(func(i int) timeline.Bar { return timeline.State(ofTurn(calls, i)[0].found) }),
		bars(func(i int) timeline.Bar { return mark("lost", count(ofTurn(calls, i)).Lost).Above(-4) }),
		bars(func(i int) timeline.Bar { return mark("wronged", count(ofTurn(calls, i)).Wronged).Below(4) }),
	)
}

func bars(draw func(turn int) timeline.Bar) []timeline.Bar {
	return timeline.Bars(turns, turnWidth, draw)
}

func mark(class string, calls int) timeline.Bar { return timeline.Mark(class, calls, callsPerTurn) }

// minute is a mark on the axis of time.
type minute struct {
	X     float64
	Label int
}

func minutes() []minute {
	var all []minute
	for m := 0; time.Duration(m)*time.Minute <= turns*turnLasts; m++ {
		all = append(all, minute{turnWidth * float64(time.Duration(m)*time.Minute/turnLasts), m})
	}
	return all
}

package main

import (
	"bytes"
	_ "embed"
	"math"
	"slices"
	"text/template"
	"time"

	"github.com/resgen-go/resgen/internal/svgtext"
	resilience "github.com/resgen-go/resgen/runtime"
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
	markHeight  = 10.0 // where it stands for all calls of a turn
)

// panel is one situation: a lane for the dependency and one for each strategy.
type panel struct {
	Y      float64
	Title  string
	Calls  int // all of them
	Bad    int // those that would fail
	Health []bar
	Lanes  []lane
}

// lane is what a strategy made of a situation.
type lane struct {
	Y     float64
	Name  string
	Bars  []bar
	Tally tally
}

// bar is a rectangle over some turns, seen from the middle of its lane.
type bar struct {
	Class               string // how it looks, in the template
	X, Y, Width, Height float64
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
		Legend       []entry
		Minutes      []minute
		Height       float64
		CallsPerTurn int
		TurnLasts    time.Duration
	}{panels, legend(), minutes(), headHeight + panelHeight*float64(len(plays)), callsPerTurn, turnLasts})
	if err != nil { // can't be: the template is fixed
		panic(err)
	}
	return picture.Bytes()
}

// entry is one of the legend.
type entry struct {
	X, Y  float64
	Mark  bar
	At    float64 // where the words begin
	Words string
}

func legend() []entry {
	state := func(s resilience.State) bar { b := stateBar(s); b.Width = 26; return b }
	calls := func(class string) bar { return bar{Class: class, Y: -5, Width: 12, Height: 10} }
	entries := []entry{
		{Mark: state(resilience.Closed), Words: "CLOSED"},
		{Mark: state(resilience.HalfOpen), Words: "HALF_OPEN"},
		{Mark: state(resilience.Open), Words: "OPEN"},
		{Mark: calls("lost"), Words: "above: calls lost (made, and failed)"},
		{Mark: calls("wronged"), Words: "below: calls wrongly refused (they would have gone well)"},
		{Mark: calls("bad"), Words: "calls that would fail"},
	}
	var widths []float64
	for i := range entries {
		entries[i].At = entries[i].Mark.Width + 8
		widths = append(widths, entries[i].At+svgtext.Width(entries[i].Words, 12, false)+28)
	}
	for i, place := range svgtext.Flow(widths, legendWidth) {
		entries[i].X, entries[i].Y = math.Round(place.X), legendLine*float64(place.Line)
	}
	return entries
}

func drawPanel(p play, y float64) panel {
	drawn := panel{Y: y, Title: p.title, Calls: len(p.answers), Bad: countBad(p.answers)}
	drawn.Health = bars(func(i int) bar { return mark("bad", countBad(ofTurn(p.answers, i))).above(5) })
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
func drawTrack(calls []seen) []bar {
	return slices.Concat(
		bars(func(i int) bar { return stateBar(ofTurn(calls, i)[0].found) }),
		bars(func(i int) bar { return mark("lost", count(ofTurn(calls, i)).Lost).above(-4) }),
		bars(func(i int) bar { return mark("wronged", count(ofTurn(calls, i)).Wronged).below(4) }),
	)
}

// stateBar differs in height as well as in colour.
func stateBar(s resilience.State) bar {
	switch s {
	case resilience.Open:
		return bar{Class: "open", Y: -4, Height: 8}
	case resilience.HalfOpen:
		return bar{Class: "half", Y: -2.5, Height: 5}
	}
	return bar{Class: "closed", Y: -1, Height: 2}
}

// mark is as high as the share of a turn's calls that it stands for, and high
// enough to be seen where that is one.
func mark(class string, calls int) bar {
	const least = 4
	if calls == 0 {
		return bar{}
	}
	return bar{Class: class, Height: least + (markHeight-least)*float64(calls-1)/(callsPerTurn-1)}
}

// above is the bar standing on a line, below the bar hanging from it.
func (b bar) above(y float64) bar { b.Y = y - b.Height; return b }
func (b bar) below(y float64) bar { b.Y = y; return b }

// bars draws every turn, those that look alike and follow each other as one.
func bars(draw func(turn int) bar) []bar {
	var all []bar
	var last bar
	for i := range turns {
		b := draw(i)
		switch {
		case b.Height == 0:
		case b == last:
			all[len(all)-1].Width += turnWidth
		default:
			all = append(all, bar{b.Class, turnWidth * float64(i), b.Y, turnWidth, b.Height})
		}
		last = b
	}
	return all
}

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

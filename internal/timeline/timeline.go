// Package timeline draws what becomes of calls over time as bars, in an SVG: states of
// breakers, and the calls that were lost or wrongly refused.
package timeline

import (
	"fmt"
	"math"

	"github.com/resgen-go/resgen/internal/svgtext"
	resilience "github.com/resgen-go/resgen/runtime"
)

// Style is how bars look, for the style of the picture.
const Style = `.grid { stroke: #e2e2e2 } .figure { text-anchor: end }
    .closed { fill: #9aa5ad } .half { fill: #e69f00 } .open { fill: #d55e00 }
    .lost { fill: #000 } .wronged { fill: #0072b2 } .bad { fill: #777 }`

// MarkHeight is the height of a mark where it stands for all calls of a turn.
const MarkHeight = 10.0

// Bar is a rectangle over some turns, seen from the middle of its lane.
type Bar struct {
	Class               string // how it looks, in Style
	X, Y, Width, Height float64
}

// String is the bar in SVG.
func (b Bar) String() string {
	return fmt.Sprintf(`<rect class="%s" x="%v" y="%.1f" width="%v" height="%.1f"/>`, b.Class, b.X, b.Y, b.Width, b.Height)
}

// Above is the bar standing on a line.
func (b Bar) Above(y float64) Bar { b.Y = y - b.Height; return b }

// Below is the bar hanging from a line.
func (b Bar) Below(y float64) Bar { b.Y = y; return b }

// State is the bar of a state, which differs in height as well as in colour.
func State(s resilience.State) Bar {
	switch s {
	case resilience.Open, resilience.ForcedOpen:
		return Bar{Class: "open", Y: -4, Height: 8}
	case resilience.HalfOpen:
		return Bar{Class: "half", Y: -2.5, Height: 5}
	}
	return Bar{Class: "closed", Y: -1, Height: 2}
}

// Mark is as high as the share of a turn's calls that it stands for, and high enough to
// be seen where that is one. Without calls there is none.
func Mark(class string, calls, most int) Bar {
	const least = 4
	switch {
	case calls == 0:
		return Bar{}
	case most < 2:
		return Bar{Class: class, Height: MarkHeight}
	}
	return Bar{Class: class, Height: least + (MarkHeight-least)*float64(calls-1)/float64(most-1)}
}

// Bars draws every turn, those that look alike and follow each other as one.
func Bars(turns int, width float64, draw func(turn int) Bar) []Bar {
	var all []Bar
	var last Bar
	for i := range turns {
		b := draw(i)
		switch {
		case b.Height == 0:
		case b == last:
			all[len(all)-1].Width += width
		default:
			all = append(all, Bar{b.Class, width * float64(i), b.Y, width, b.Height})
		}
		last = b
	}
	return all
}

// Entry is one of a legend.
type Entry struct {
	X, Y  float64
	Mark  Bar
	At    float64 // where the words begin
	Words string
}

// Legend explains the bars, in lines of a width.
func Legend(width, line float64) []Entry {
	state := func(s resilience.State) Bar { b := State(s); b.Width = 26; return b }
	calls := func(class string) Bar { return Bar{Class: class, Y: -5, Width: 12, Height: 10} }
	entries := []Entry{
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
	for i, place := range svgtext.Flow(widths, width) {
		entries[i].X, entries[i].Y = math.Round(place.X), line*float64(place.Line)
	}
	return entries
}

// Package chart draws small plots in rows and columns that share their axes, so
// that a whole experiment is seen at one glance, and saves them as SVG and PNG.
//
// It knows nothing of what it draws.
package chart

import (
	"image/color"
	"math"
)

// Picture is a grid of plots under one title and one legend.
type Picture struct {
	Title, Subtitle string
	Columns, Rows   []string // headings
	X, Y            Axis
	Legend          []Style
	Plots           [][]Plot // by row
	Shade           float64  // up to this X the plots are shaded; 0: nowhere
	Mark            float64  // a dashed line stands here; 0: nowhere
}

// Axis is what all plots of a picture have in common. Max 0 means the greatest
// value drawn.
type Axis struct {
	Label    string
	Min, Max float64
	Log      bool
}

// Plot shows lines, or bars from the top down, or a note that says why it is
// empty.
type Plot struct {
	Lines []Line
	Bars  []Bar
	Note  string
}

// Line is a series of points in order of X. It has a gap where Y is NaN.
type Line struct {
	Style
	Points []Point
}

// Point is one of a line.
type Point struct{ X, Y float64 }

// Bar is a horizontal bar made of parts, with a name before and a note behind it.
type Bar struct {
	Name  string
	Parts []Part
	Note  string // behind it
}

// Part is a stretch of a bar.
type Part struct {
	Style
	Length float64
}

// Style says how something looks, and what it is called in the legend.
type Style struct {
	Name   string
	Color  color.Color
	Width  float64 // of a line, in points
	Dashed bool
	Solid  bool // the legend shows a patch and no line
}

// ranges returns the axes with their ends known.
func (p *Picture) ranges() (x, y Axis) {
	x, y = p.X, p.Y
	var right, top float64
	for _, row := range p.Plots {
		for _, plot := range row {
			for _, line := range plot.Lines {
				for _, point := range line.Points {
					right = math.Max(right, point.X)
					if !math.IsNaN(point.Y) {
						top = math.Max(top, point.Y)
					}
				}
			}
		}
	}
	return x.upTo(right), y.upTo(top)
}

// upTo gives the axis an end where it has none: the greatest value, or the power
// of ten above it.
func (a Axis) upTo(greatest float64) Axis {
	switch {
	case a.Max != 0:
	case a.Log:
		a.Max = math.Pow(10, math.Ceil(math.Log10(math.Max(greatest, 10*a.Min))))
	default:
		a.Max = math.Max(greatest, 1)
	}
	return a
}

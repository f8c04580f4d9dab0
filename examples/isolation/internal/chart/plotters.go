package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func (s Style) line() draw.LineStyle {
	return draw.LineStyle{Color: s.Color, Width: vg.Length(s.Width)}
}

// Plot draws the line, and a dot where a point has no neighbour.
func (l Line) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var run []vg.Point
	flush := func() {
		switch len(run) {
		case 0:
		case 1:
			c.DrawGlyph(draw.GlyphStyle{Color: l.Color, Radius: vg.Length(l.Width), Shape: draw.CircleGlyph{}}, run[0])
		default:
			c.StrokeLines(l.line(), c.ClipLinesXY(run)...)
		}
		run = nil
	}
	for _, point := range l.Points {
		if math.IsNaN(point.Y) {
			flush()
			continue
		}
		run = append(run, vg.Point{X: x(point.X), Y: y(math.Max(point.Y, p.Y.Min))})
	}
	flush()
}

// grid is what is behind the lines: the shade, a line through every tick of the
// vertical axis, and a note.
type grid struct {
	ticks []plot.Tick
	shade float64
	note  string
}

func (g grid) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if g.shade > 0 {
		rectangle(c, Shade, x(p.X.Min), c.Min.Y, x(g.shade), c.Max.Y)
	}
	for _, tick := range g.ticks {
		c.StrokeLine2(draw.LineStyle{Color: faint, Width: 0.5}, c.Min.X, y(tick.Value), c.Max.X, y(tick.Value))
	}
	c.FillText(style(9, draw.XCenter, draw.YCenter), c.Center(), g.note)
}

// bars are drawn from the top down, the first at the height of the last tick,
// over an axis that ends where they can.
type bars struct {
	all  []Bar
	axis draw.LineStyle
	end  float64
}

func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	c.StrokeLine2(b.axis, x(p.X.Min), c.Min.Y, x(b.end), c.Min.Y)
	half := 0.36 * (y(1) - y(0))
	for i, bar := range b.all {
		middle, from := y(float64(len(b.all)-1-i)), 0.0
		for _, part := range bar.Parts {
			rectangle(c, part.Color, x(from), middle-half, x(from+part.Length), middle+half)
			from += part.Length
		}
		note := style(8, draw.XLeft, draw.YCenter)
		at := vg.Point{X: x(from) + 4, Y: middle + note.FontExtents().Descent} // as the names stand
		c.FillText(note, at, bar.Note)
	}
}

func rectangle(c draw.Canvas, fill color.Color, left, bottom, right, top vg.Length) {
	c.FillPolygon(fill, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
}

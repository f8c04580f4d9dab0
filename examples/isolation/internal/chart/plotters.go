package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func (s Style) line() draw.LineStyle {
	style := draw.LineStyle{Color: s.Color, Width: vg.Length(s.Width)}
	if s.Dashed {
		style.Dashes = []vg.Length{3, 2}
	}
	return style
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
// vertical axis, the mark, and a note.
type grid struct {
	ticks       []plot.Tick
	shade, mark float64
	note        string
}

func (g grid) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if g.shade > 0 {
		rectangle(c, Shade, x(p.X.Min), c.Min.Y, x(g.shade), c.Max.Y)
	}
	for _, tick := range g.ticks {
		c.StrokeLine2(draw.LineStyle{Color: faint, Width: 0.5}, c.Min.X, y(tick.Value), c.Max.X, y(tick.Value))
	}
	if g.mark > 0 {
		c.StrokeLine2(Style{Color: Grey, Width: 1, Dashed: true}.line(), x(g.mark), c.Min.Y, x(g.mark), c.Max.Y)
	}
	c.FillText(style(9, draw.XCenter, draw.YCenter), c.Center(), g.note)
}

// bars are drawn from the top down, the first at the height of the last tick.
type bars []Bar

func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	half := 0.36 * (y(1) - y(0))
	for i, bar := range b {
		middle, from := y(float64(len(b)-1-i)), 0.0
		for _, part := range bar.Parts {
			rectangle(c, part.Color, x(from), middle-half, x(from+part.Length), middle+half)
			from += part.Length
		}
		at := vg.Point{X: x(from) + beforeNote, Y: middle + noteStyle.FontExtents().Descent} // as the names stand
		c.FillText(noteStyle, at, bar.Note)
	}
}

// beforeNote is the space between a bar and its note.
const beforeNote = 4

var noteStyle = style(8, draw.XLeft, draw.YCenter)

// GlyphBoxes keep the room that notes need.
func (b bars) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	var boxes []plot.GlyphBox
	for i, bar := range b {
		end := 0.0
		for _, part := range bar.Parts {
			end += part.Length
		}
		boxes = append(boxes, plot.GlyphBox{
			X: p.X.Norm(end), Y: p.Y.Norm(float64(len(b) - 1 - i)),
			Rectangle: noteStyle.Rectangle(bar.Note).Add(vg.Point{X: beforeNote}),
		})
	}
	return boxes
}

func rectangle(c draw.Canvas, fill color.Color, left, bottom, right, top vg.Length) {
	c.FillPolygon(fill, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
}

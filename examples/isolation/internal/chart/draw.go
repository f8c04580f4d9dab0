package chart

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The layout, in points of 1/72 inch.
const (
	plotWidth  = 200
	plotHeight = 135
	headHeight = 78 // title, subtitle, legend and the headings of columns
	sideWidth  = 38 // the headings of rows
	margin     = 12
)

func (p *Picture) size() (width, height vg.Length) {
	return vg.Length(sideWidth + 2*margin + plotWidth*len(p.Columns)),
		vg.Length(headHeight + 2*margin + plotHeight*len(p.Rows))
}

// style is that of all text: one family and one colour.
func style(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{
		Color:   ink,
		Font:    font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		XAlign:  x,
		YAlign:  y,
		Handler: plot.DefaultTextHandler,
	}
}

func (p *Picture) draw(c draw.Canvas) {
	rectangle(c, paper, c.Min.X, c.Min.Y, c.Max.X, c.Max.Y)
	c = draw.Crop(c, margin, -margin, margin, -margin)
	p.drawHead(c)
	c = draw.Crop(c, sideWidth, 0, 0, -headHeight)
	plots := p.plots()
	tiles := draw.Tiles{Rows: len(p.Rows), Cols: len(p.Columns), PadX: 10, PadY: 10}
	canvases := plot.Align(plots, tiles, c)
	for i, row := range plots {
		for j, one := range row {
			one.Draw(canvases[i][j])
		}
	}
	p.drawHeadings(plots, canvases)
}

// drawHead writes the title, the subtitle and the legend.
func (p *Picture) drawHead(c draw.Canvas) {
	title := style(14, draw.XLeft, draw.YTop)
	title.Font.Weight = bold
	c.FillText(title, vg.Point{X: c.Min.X, Y: c.Max.Y}, p.Title)
	c.FillText(style(9, draw.XLeft, draw.YTop), vg.Point{X: c.Min.X, Y: c.Max.Y - 20}, p.Subtitle)
	at := vg.Point{X: c.Min.X, Y: c.Max.Y - 43}
	for _, entry := range p.Legend {
		at.X = drawEntry(c, entry, at) + 16
	}
}

// drawEntry draws one entry of the legend and returns where it ends.
func drawEntry(c draw.Canvas, s Style, at vg.Point) vg.Length {
	const sample = 22
	if s.Solid {
		rectangle(c, s.Color, at.X, at.Y-4, at.X+sample/2, at.Y+4)
		at.X -= sample / 2
	} else {
		c.StrokeLine2(s.line(), at.X, at.Y, at.X+sample, at.Y)
	}
	words := style(9, draw.XLeft, draw.YCenter)
	at.X += sample + 5
	c.FillText(words, at, s.Name)
	return at.X + words.Width(s.Name)
}

// drawHeadings writes them beside the data, which is narrower than the plots.
func (p *Picture) drawHeadings(plots [][]*plot.Plot, canvases [][]draw.Canvas) {
	heading := style(10, draw.XCenter, draw.YBottom)
	heading.Font.Weight = bold
	for j, words := range p.Columns {
		data := plots[0][j].DataCanvas(canvases[0][j])
		data.FillText(heading, vg.Point{X: data.Center().X, Y: data.Max.Y + 6}, words)
	}
	heading.Rotation = math.Pi / 2
	for i, words := range p.Rows {
		data := plots[i][0].DataCanvas(canvases[i][0])
		data.FillText(heading, vg.Point{X: canvases[i][0].Min.X - 10, Y: data.Center().Y}, words)
	}
}

package chart

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/resgen-go/resgen/internal/svgtext"
)

// The layout, in points of 1/72 inch.
const (
	plotWidth  = 200
	plotHeight = 135
	margin     = 12
	legendLine = 14 // from one line of the legend to the next
)

var (
	titleStyle    = heading(14, draw.XLeft, draw.YTop)
	subtitleStyle = style(9, draw.XLeft, draw.YTop)
	legendStyle   = style(9, draw.XLeft, draw.YCenter)
	headingStyle  = heading(10, draw.XCenter, draw.YBottom)
)

// layout is what the head and the headings of a picture need, whose texts may
// have been broken into lines.
type layout struct {
	title, subtitle string
	legend          []svgtext.Place
	legendHeight    vg.Length
	columns, rows   []string
	head, side      vg.Length // what they take from the top and from the left
}

func (p *Picture) layout() layout {
	width := p.plotsWidth()
	l := layout{
		title:    wrap(p.Title, titleStyle, width),
		subtitle: wrap(p.Subtitle, subtitleStyle, width),
		legend:   placeLegend(p.Legend, width),
	}
	for _, place := range l.legend {
		l.legendHeight = legendLine * vg.Length(place.Line+1)
	}
	for _, words := range p.Columns {
		l.columns = append(l.columns, wrap(words, headingStyle, plotWidth-50)) // the data are narrower than the plot
	}
	for _, words := range p.Rows {
		l.rows = append(l.rows, wrap(words, headingStyle, plotHeight-25))
	}
	l.head = titleStyle.Height(l.title) + 4 + subtitleStyle.Height(l.subtitle) + 8 +
		l.legendHeight + headingHeight(l.columns) + 14
	l.side = headingHeight(l.rows) + 14
	return l
}

func headingHeight(all []string) vg.Length {
	var most vg.Length
	for _, words := range all {
		most = max(most, headingStyle.Height(words))
	}
	return most
}

func (p *Picture) plotsWidth() vg.Length { return vg.Length(plotWidth * len(p.Columns)) }

func (p *Picture) size() (width, height vg.Length) {
	l := p.layout()
	return l.side + 2*margin + p.plotsWidth(),
		l.head + 2*margin + vg.Length(plotHeight*len(p.Rows))
}

func (p *Picture) draw(c draw.Canvas) {
	l := p.layout()
	rectangle(c, paper, c.Min.X, c.Min.Y, c.Max.X, c.Max.Y)
	c = draw.Crop(c, margin, -margin, margin, -margin)
	l.drawHead(c, p.Legend)
	c = draw.Crop(c, l.side, 0, 0, -l.head)
	plots := p.plots()
	tiles := draw.Tiles{Rows: len(p.Rows), Cols: len(p.Columns), PadX: 10, PadY: 10}
	canvases := plot.Align(plots, tiles, c)
	for i, row := range plots {
		for j, one := range row {
			one.Draw(canvases[i][j])
		}
	}
	l.drawHeadings(plots, canvases)
}

// drawHead writes the title, the subtitle and the legend.
func (l layout) drawHead(c draw.Canvas, legend []Style) {
	at := vg.Point{X: c.Min.X, Y: c.Max.Y}
	c.FillText(titleStyle, at, l.title)
	at.Y -= titleStyle.Height(l.title) + 4
	c.FillText(subtitleStyle, at, l.subtitle)
	at.Y -= subtitleStyle.Height(l.subtitle) + 8 + legendLine/2
	for i, place := range l.legend {
		drawEntry(c, legend[i], at.Add(vg.Point{X: vg.Length(place.X), Y: -legendLine * vg.Length(place.Line)}))
	}
}

// lineSample is how long the line of an entry of the legend is.
const lineSample = 22

// entryWidth is what an entry of the legend takes, with the space behind it.
func entryWidth(s Style) vg.Length {
	width := lineSample + 5 + legendStyle.Width(s.Name) + 16
	if s.Solid {
		width -= lineSample / 2
	}
	return width
}

func placeLegend(entries []Style, width vg.Length) []svgtext.Place {
	var widths []float64
	for _, entry := range entries {
		widths = append(widths, entryWidth(entry).Points())
	}
	return svgtext.Flow(widths, width.Points())
}

// drawEntry draws one entry of the legend.
func drawEntry(c draw.Canvas, s Style, at vg.Point) {
	if s.Solid {
		rectangle(c, s.Color, at.X, at.Y-4, at.X+lineSample/2, at.Y+4)
		at.X -= lineSample / 2
	} else {
		c.StrokeLine2(s.line(), at.X, at.Y, at.X+lineSample, at.Y)
	}
	at.X += lineSample + 5
	c.FillText(legendStyle, at, s.Name)
}

// drawHeadings writes them beside the data, which is narrower than the plots.
func (l layout) drawHeadings(plots [][]*plot.Plot, canvases [][]draw.Canvas) {
	for j, words := range l.columns {
		data := plots[0][j].DataCanvas(canvases[0][j])
		data.FillText(headingStyle, vg.Point{X: data.Center().X, Y: data.Max.Y + 6}, words)
	}
	turned := headingStyle
	turned.Rotation = math.Pi / 2
	for i, words := range l.rows {
		data := plots[i][0].DataCanvas(canvases[i][0])
		data.FillText(turned, vg.Point{X: canvases[i][0].Min.X - 10, Y: data.Center().Y}, words)
	}
}

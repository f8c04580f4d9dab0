package chart

import (
	"golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

const bold = font.WeightBold

// plots makes the plots, with labels on the outer ones only.
func (p *Picture) plots() [][]*plot.Plot {
	x, y := p.ranges()
	plots := make([][]*plot.Plot, len(p.Rows))
	for i, row := range p.Plots {
		for j, content := range row {
			one := newPlot(x, y)
			if i == len(p.Rows)-1 {
				one.X.Label.Text = x.Label
			}
			if j == 0 {
				one.Y.Label.Text = y.Label
			}
			content.fill(one, x, y, p, j == 0)
			plots[i] = append(plots[i], one)
		}
	}
	return plots
}

func newPlot(x, y Axis) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	set(&p.X, x)
	set(&p.Y, y)
	if !y.Log {
		p.Y.Max += 0.04 * (y.Max - y.Min) // so that the frame does not cut lines at the top
	}
	p.Y.Label.TextStyle.YAlign = draw.YBottom
	return p
}

func set(axis *plot.Axis, to Axis) {
	axis.Min, axis.Max, axis.Padding = to.Min, to.Max, 0
	axis.Tick.Marker = to
	axis.LineStyle.Color, axis.Tick.LineStyle.Color = Grey, Grey
	axis.Tick.Length = 3
	axis.Tick.Label = style(8, axis.Tick.Label.XAlign, axis.Tick.Label.YAlign)
	axis.Label.TextStyle = style(9, axis.Label.TextStyle.XAlign, axis.Label.TextStyle.YAlign)
	if to.Log {
		axis.Scale = plot.LogScale{}
	}
}

// fill puts the content into a plot. Only the first of a row names its bars.
func (content Plot) fill(p *plot.Plot, x, y Axis, in *Picture, first bool) {
	if len(content.Bars) > 0 {
		content.fillBars(p, first)
		return
	}
	p.Add(grid{y.Ticks(y.Min, y.Max), in.Shade, in.Mark, content.Note})
	for _, line := range content.Lines {
		p.Add(line)
	}
}

func (content Plot) fillBars(p *plot.Plot, first bool) {
	n := len(content.Bars)
	var names plot.ConstantTicks
	for i, bar := range content.Bars {
		if first {
			names = append(names, plot.Tick{Value: float64(n - 1 - i), Label: bar.Name})
		}
	}
	p.Y.Min, p.Y.Max = -0.6, float64(n)-0.4
	p.Y.Tick.Marker, p.Y.Tick.Length = names, 0
	p.Add(bars(content.Bars))
}

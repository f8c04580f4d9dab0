package chart

import (
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/resgen-go/resgen/internal/svgtext"
)

// style is that of all text: one family and one colour.
func style(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{
		Color:   ink,
		Font:    font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		XAlign:  x,
		YAlign:  y,
		Handler: handler{text.Plain{Fonts: font.DefaultCache}},
	}
}

// heading is a style in bold.
func heading(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	s := style(size, x, y)
	s.Font.Weight = bold
	return s
}

// wrap breaks words into lines that fit a width.
func wrap(words string, s text.Style, width vg.Length) string {
	lines := svgtext.Wrap(words, s.Font.Size.Points(), s.Font.Weight == bold, width.Points())
	return strings.Join(lines, "\n")
}

// handler lays texts out for the widest of the common fonts, because the reader
// of an SVG may not have the one that the PNG is drawn with.
type handler struct{ text.Plain }

func (h handler) Box(line string, f font.Font) (width, height, depth vg.Length) {
	_, height, depth = h.Plain.Box(line, f)
	return vg.Length(svgtext.Width(line, f.Size.Points(), f.Weight == bold)), height, depth
}

// Draw leaves it to the reader of an SVG to align a text, since the width is not
// known here. A mark before each line says how; tidy makes an attribute of it.
func (h handler) Draw(c vg.Canvas, words string, s text.Style, at vg.Point) {
	if words != "" && isSVG(c) {
		mark := anchors[s.XAlign].mark
		words = mark + strings.ReplaceAll(words, "\n", "\n"+mark)
		s.XAlign = draw.XLeft
	}
	h.Plain.Draw(c, words, s, at)
}

// isSVG looks through the parts of a canvas at what they are drawn on.
func isSVG(c vg.Canvas) bool {
	switch c := c.(type) {
	case *draw.Canvas:
		return isSVG(c.Canvas)
	case draw.Canvas:
		return isSVG(c.Canvas)
	case *vgsvg.Canvas:
		return true
	}
	return false
}

// anchors are the marks, of the private use area of Unicode, and what SVG has for
// them.
var anchors = map[text.XAlignment]struct{ mark, attribute string }{
	draw.XLeft:   {},
	draw.XCenter: {"\ue001", ` text-anchor="middle"`},
	draw.XRight:  {"\ue002", ` text-anchor="end"`},
}

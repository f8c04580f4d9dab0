package chart

import "image/color"

// Colours that are told apart by people with any kind of colour blindness (Okabe
// and Ito).
var (
	Orange     = color.RGBA{0xe6, 0x9f, 0x00, 0xff}
	SkyBlue    = color.RGBA{0x56, 0xb4, 0xe9, 0xff}
	Blue       = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	Vermillion = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	Purple     = color.RGBA{0xcc, 0x79, 0xa7, 0xff}
	Grey       = color.RGBA{0x77, 0x77, 0x77, 0xff}

	PaleBlue       = color.RGBA{0xa6, 0xcf, 0xe8, 0xff}
	PaleVermillion = color.RGBA{0xf3, 0xbf, 0x9a, 0xff}
)

// Shade is the colour of the shaded part of a plot.
var Shade = color.RGBA{0xec, 0xec, 0xec, 0xff}

// Pale is a colour mixed with white.
func Pale(c color.Color) color.Color {
	r, g, b, _ := c.RGBA()
	mix := func(x uint32) uint8 { return uint8((x>>8 + 2*0xff) / 3) }
	return color.RGBA{mix(r), mix(g), mix(b), 0xff}
}

var (
	paper = color.White
	ink   = color.RGBA{0x33, 0x33, 0x33, 0xff}
	faint = color.RGBA{0xd8, 0xd8, 0xd8, 0xff}
)

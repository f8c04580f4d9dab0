package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"text/template"

	"github.com/resgen-go/resgen/internal/svgtext"
)

//go:embed recovery.svg.tmpl
var recoveryText string

var recoveryTemplate = template.Must(template.New("recovery").Parse(recoveryText))

// barWidth is the width of a bar, which stands for all entries of a side.
const barWidth = 690.0

// bar is one side.
type bar struct {
	Name, Wasted string
	Y            float64
	Parts        []part
}

// part is the entries of a side with one end.
type part struct {
	Class, Label   string
	X, Width, Text float64 // Text is where the label stands
}

// ending is one of the legend.
type ending struct {
	Class, Words string
	X            float64
}

// The ends from the left, in the order of the bars.
var shown = [...]struct {
	of           outcome
	class, words string
}{{finished, "finished", "finished"}, {cutOff, "cut", "cut off"}, {failed, "failed", "failed"}, {refused, "refused", "refused before the first call"}}

// drawRecovery is the recovery as a picture in SVG.
func drawRecovery(r recovery) []byte {
	var bars []bar
	for i, side := range r.sides() {
		b := bar{Name: side.name, Y: float64(i) * 90, Wasted: fmt.Sprintf("%d calls were made for entries that were cut off", side.wasted)}
		at := 0.0
		for _, s := range shown {
			width := barWidth * float64(side.of[s.of]) / float64(max(1, side.entries()))
			p := part{Class: s.class, X: at, Width: width, Text: at + width/2}
			if label := fmt.Sprint(side.of[s.of]); svgtext.Width(label, 12, true)+6 <= width {
				p.Label = label
			}
			b.Parts = append(b.Parts, p)
			at += width
		}
		bars = append(bars, b)
	}
	var endings []ending
	at := 0.0
	for _, s := range shown {
		endings = append(endings, ending{s.class, s.words, at})
		at += 20 + svgtext.Width(s.words, 12, false) + 24
	}
	var picture bytes.Buffer
	err := recoveryTemplate.Execute(&picture, struct {
		Bars    []bar
		Legend  []ending
		Outage  string
		Entries int
	}{bars, endings, fmt.Sprintf("down for %v of every %v", outage, cycle), r.plain.entries()})
	if err != nil {
		panic(err) // the template is fixed
	}
	return picture.Bytes()
}

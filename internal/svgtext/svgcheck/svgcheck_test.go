package svgcheck

import (
	"slices"
	"testing"
)

func TestTextsThatCollideAreFound(t *testing.T) {
	const head, end = `<svg viewBox="0 0 100 100" font-size="10">`, `</svg>`
	for name, c := range map[string]struct {
		svg  string
		want []string
	}{
		"fits":                   {`<text x="5" y="20">wide</text>`, nil},
		"beyond the right":       {`<text x="80" y="20">wide</text>`, []string{`"wide" leaves the picture`}},
		"beyond the left":        {`<text x="5" y="20" text-anchor="end">wide</text>`, []string{`"wide" leaves the picture`}},
		"beyond the top":         {`<text x="5" y="5">wide</text>`, []string{`"wide" leaves the picture`}},
		"only bold":              {`<text x="5" y="20" font-size="18" style="font-weight:bold">wide is m</text>`, []string{`"wide is m" leaves the picture`}},
		"in the middle":          {`<text x="50" y="20" text-anchor="middle">as wide as this</text>`, nil},
		"turned":                 {`<g transform="translate(20 95) rotate(-90)"><text>going up</text></g>`, nil},
		"turned and cut":         {`<g transform="translate(20 40) rotate(-90)"><text>going up</text></g>`, []string{`"going up" leaves the picture`}},
		"one over another":       {`<text x="5" y="20">one</text><text x="15" y="22">two</text>`, []string{`"one" meets "two"`}},
		"two lines":              {`<text x="5" y="20">one</text><text x="5" y="32">two</text>`, nil},
		"over a mark":            {`<rect x="20" y="10" width="5" height="5" fill="#000"/><text x="5" y="20">words</text>`, []string{`"words" meets a mark`}},
		"over a mark of a class": {`<style>.m { fill: #000 }</style><circle class="m" cx="20" cy="15" r="4"/><text x="5" y="20">words</text>`, []string{`"words" meets a mark`}},
		"over what is pale":      {`<rect x="20" y="10" width="5" height="5" fill="#eee"/><text x="5" y="20">words</text>`, nil},
		"inside a bar":           {`<path d="M0,0L90,0L90,40L0,40Z" style="fill:#000000"/><text x="5" y="20">words</text>`, nil},
		"beside a flipped path":  {`<g transform="scale(1, -1) translate(0, -100)"><path d="M0,0L90,0L90,50L0,50Z" fill="#000"/></g><text x="5" y="20">words</text>`, nil},
		"parts of one text":      {`<text x="5" y="20"><tspan font-weight="bold">one</tspan>, two</text>`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Faults([]byte(head + c.svg + end))
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestWhatIsNoXMLIsAnError(t *testing.T) {
	if _, err := Faults([]byte("<svg><g></svg>")); err == nil {
		t.Error("no error")
	}
}

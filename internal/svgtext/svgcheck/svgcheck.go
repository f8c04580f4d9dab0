// Package svgcheck finds texts of an SVG that would be cut off or lie over
// something else where the reader has the widest of the common fonts.
//
// It knows the part of SVG that this module's pictures are made of. What is very
// pale is background, and lines may cross a text.
package svgcheck

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/resgen-go/resgen/internal/svgtext"
)

// Faults returns a line for each text that does not have its place to itself.
func Faults(svg []byte) ([]string, error) {
	p, err := read(svg)
	if err != nil {
		return nil, err
	}
	var faults []string
	for i, text := range p.texts {
		if !p.view.contains(text.box) {
			faults = append(faults, fmt.Sprintf("%q leaves the picture", text.words))
		}
		for _, other := range p.texts[i+1:] {
			if text.meets(other.box) {
				faults = append(faults, fmt.Sprintf("%q meets %q", text.words, other.words))
			}
		}
		for _, shape := range p.shapes {
			if text.meets(shape) && !shape.contains(text.box) {
				faults = append(faults, fmt.Sprintf("%q meets a mark", text.words))
				break
			}
		}
	}
	return faults, nil
}

// box is a rectangle with straight sides.
type box struct{ left, top, right, bottom float64 }

const slack = 0.75 // units that nobody sees

func (b box) contains(other box) bool {
	return other.left >= b.left-slack && other.right <= b.right+slack && other.top >= b.top-slack && other.bottom <= b.bottom+slack
}

func (b box) meets(other box) bool {
	return math.Min(b.right, other.right)-math.Max(b.left, other.left) > slack &&
		math.Min(b.bottom, other.bottom)-math.Max(b.top, other.top) > slack
}

// text is one line.
type text struct {
	box
	words string
}

// picture is what was read.
type picture struct {
	view   box
	texts  []text
	shapes []box // filled, and not pale
}

// attributes are those of an element with what it inherits.
type attributes map[string]string

func (a attributes) number(name string) float64 {
	x, _ := strconv.ParseFloat(strings.TrimSuffix(a[name], "px"), 64)
	return x
}

// inherited are the attributes that children have, too.
var inherited = []string{"font-size", "font-weight", "fill", "text-anchor"}

// node is an open element.
type node struct {
	attributes
	name  string
	place affine
	words strings.Builder
	width float64 // of the text so far
}

// reader reads an SVG from the outside in.
type reader struct {
	picture
	classes map[string]attributes
	open    []*node
}

func read(svg []byte) (picture, error) {
	r := reader{classes: make(map[string]attributes)}
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := decoder.Token()
		switch {
		case errors.Is(err, io.EOF):
			return r.picture, nil
		case err != nil:
			return r.picture, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			r.start(t)
		case xml.CharData:
			r.words(string(t))
		case xml.EndElement:
			r.end()
		}
	}
}

func (r *reader) start(t xml.StartElement) {
	n := &node{name: t.Name.Local, attributes: make(attributes), place: identity}
	if len(r.open) > 0 {
		above := r.open[len(r.open)-1]
		n.place = above.place
		for _, name := range inherited {
			n.attributes[name] = above.attributes[name]
		}
	}
	own := make(attributes)
	for _, a := range t.Attr {
		own[a.Name.Local] = a.Value
	}
	maps.Copy(n.attributes, own)
	for _, class := range strings.Fields(own["class"]) {
		maps.Copy(n.attributes, r.classes[class])
	}
	maps.Copy(n.attributes, declarations(own["style"]))
	n.place = n.place.then(transform(own["transform"]))
	r.open = append(r.open, n)
	r.shape(n)
}

// shape keeps what an element fills.
func (r *reader) shape(n *node) {
	var points [][2]float64
	x, y := n.number("x"), n.number("y")
	switch n.name {
	case "svg":
		if v := numbers(n.attributes["viewBox"]); len(v) == 4 {
			r.view = box{v[0], v[1], v[0] + v[2], v[1] + v[3]}
		}
	case "rect":
		points = [][2]float64{{x, y}, {x + n.number("width"), y + n.number("height")}}
	case "circle":
		cx, cy, radius := n.number("cx"), n.number("cy"), n.number("r")
		points = [][2]float64{{cx - radius, cy - radius}, {cx + radius, cy + radius}}
	case "path":
		points = corners(n.attributes["d"])
	}
	if len(points) > 0 && n.attributes["fill"] != "none" && !pale(n.attributes["fill"]) {
		r.shapes = append(r.shapes, n.place.around(points...))
	}
}

// corners are the points of a path between its lines. An arc is a circle around
// its beginning, roughly.
func corners(path string) (points [][2]float64) {
	for len(path) > 0 {
		end := strings.IndexAny(path[1:], "MLAZ") + 1
		if end == 0 {
			end = len(path)
		}
		at := numbers(path[1:end])
		switch {
		case strings.ContainsRune("ML", rune(path[0])) && len(at) == 2:
			points = append(points, [2]float64{at[0], at[1]})
		case path[0] == 'A' && len(at) == 7:
			x, y, radius := at[5], at[6], at[0]
			points = append(points, [2]float64{x - 2*radius, y - radius}, [2]float64{x, y + radius})
		}
		path = path[end:]
	}
	return points
}

func (r *reader) words(words string) {
	if len(r.open) == 0 {
		return
	}
	n := r.open[len(r.open)-1]
	switch n.name {
	case "style":
		for _, rule := range strings.Split(words, "}") {
			if selector, body, ok := strings.Cut(rule, "{"); ok {
				r.classes[strings.TrimPrefix(strings.TrimSpace(selector), ".")] = declarations(body)
			}
		}
	case "text", "tspan":
		n.words.WriteString(words)
		n.width += svgtext.Width(words, n.number("font-size"), n.attributes["font-weight"] == "bold")
	}
}

// end closes an element. A tspan is a part of the text around it.
func (r *reader) end() {
	n := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	switch n.name {
	case "tspan":
		above := r.open[len(r.open)-1]
		above.words.WriteString(n.words.String())
		above.width += n.width
	case "text":
		if words := strings.TrimSpace(n.words.String()); words != "" {
			r.texts = append(r.texts, text{n.line(), words})
		}
	}
}

// line is the place of a text: its letters reach from above the line on which
// they stand to below it.
func (n *node) line() box {
	size := n.number("font-size")
	x, y := n.number("x")+n.number("dx"), n.number("y")+n.number("dy")
	switch n.attributes["text-anchor"] {
	case "middle":
		x -= n.width / 2
	case "end":
		x -= n.width
	}
	return n.place.around([2]float64{x, y - 0.76*size}, [2]float64{x + n.width, y + 0.22*size})
}

// affine is a transform: x' = a x + c y + e, y' = b x + d y + f.
type affine struct{ a, b, c, d, e, f float64 }

var identity = affine{a: 1, d: 1}

// then is the transform of something inside what t transforms.
func (t affine) then(in affine) affine {
	return affine{
		t.a*in.a + t.c*in.b, t.b*in.a + t.d*in.b,
		t.a*in.c + t.c*in.d, t.b*in.c + t.d*in.d,
		t.a*in.e + t.c*in.f + t.e, t.b*in.e + t.d*in.f + t.f,
	}
}

// around is the box that has all corners in it, of which two opposite ones of a
// rectangle are enough.
func (t affine) around(corners ...[2]float64) box {
	all := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range corners {
		x, y := t.a*p[0]+t.c*p[1]+t.e, t.b*p[0]+t.d*p[1]+t.f
		all = box{math.Min(all.left, x), math.Min(all.top, y), math.Max(all.right, x), math.Max(all.bottom, y)}
	}
	return all
}

// transform reads the attribute of that name.
func transform(attribute string) affine {
	t := identity
	for _, step := range strings.Split(attribute, ")") {
		name, arguments, _ := strings.Cut(strings.TrimSpace(step), "(")
		x := append(numbers(arguments), 0, 0, 0)
		switch name {
		case "translate":
			t = t.then(affine{1, 0, 0, 1, x[0], x[1]})
		case "scale":
			t = t.then(affine{a: x[0], d: x[1]})
		case "rotate":
			sin, cos := math.Sincos(x[0] * math.Pi / 180)
			turn := affine{cos, sin, -sin, cos, 0, 0}
			t = t.then(affine{1, 0, 0, 1, x[1], x[2]}).then(turn).then(affine{1, 0, 0, 1, -x[1], -x[2]})
		}
	}
	return t
}

func numbers(text string) []float64 {
	var all []float64
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \n\t", r) }) {
		if x, err := strconv.ParseFloat(word, 64); err == nil {
			all = append(all, x)
		}
	}
	return all
}

func declarations(style string) attributes {
	all := make(attributes)
	for _, one := range strings.Split(style, ";") {
		if name, value, ok := strings.Cut(one, ":"); ok {
			all[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return all
}

// pale reports whether a colour is so bright that a text over it can be read.
func pale(color string) bool {
	hex := strings.TrimPrefix(color, "#")
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	channels := make([]uint64, 3)
	for i := range channels {
		if len(hex) != 6 {
			return false
		}
		channels[i], _ = strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
	}
	return slices.Min(channels) > 0xd0
}

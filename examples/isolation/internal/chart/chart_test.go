package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"

	"github.com/resgen-go/resgen/internal/svgtext/svgcheck"
)

func labels(ticks []plot.Tick) string {
	var words []string
	for _, t := range ticks {
		words = append(words, t.Label)
	}
	return strings.Join(words, " ")
}

func TestTicksAreFewAndRound(t *testing.T) {
	for _, c := range []struct {
		axis Axis
		want string
	}{
		{Axis{Max: 100}, "0 20 40 60 80 100"},
		{Axis{Max: 6}, "0 2 4 6"},
		{Axis{Max: 0.9}, "0 0.2 0.4 0.6 0.8"},
		{Axis{Max: 1}, "0 0.2 0.4 0.6 0.8 1"},
		{Axis{Max: 20}, "0 5 10 15 20"},
		{Axis{Max: 1234}, "0 250 500 750 1000"},
		{Axis{Min: 1, Max: 1000, Log: true}, "1 10 100 1000"},
	} {
		if got := labels(c.axis.Ticks(c.axis.Min, c.axis.Max)); got != c.want {
			t.Errorf("up to %v: got %s, want %s", c.axis.Max, got, c.want)
		}
	}
}

func TestAxesReachTheGreatestValueOfAllPlots(t *testing.T) {
	p := sample()
	x, y := p.ranges()
	if x.Max != 3 || y.Max != 40 {
		t.Errorf("the axes end at %v and %v, want 3 and 40", x.Max, y.Max)
	}
	p.Y = Axis{Min: 1, Log: true}
	if _, y := p.ranges(); y.Max != 100 {
		t.Errorf("the logarithmic axis ends at %v, want the power of ten above 40", y.Max)
	}
	p.Y = Axis{Max: 7}
	if _, y := p.ranges(); y.Max != 7 {
		t.Errorf("the axis ends at %v, want what was asked for", y.Max)
	}
}

// sample is a picture with everything in it: a gap, a point without neighbours,
// bars.
func sample() *Picture {
	line := Style{Name: "a line & more", Color: Blue, Width: 2}
	patch := Style{Name: "a part", Color: Orange, Solid: true}
	gap := math.NaN()
	return &Picture{
		Title: "Title", Subtitle: "Subtitle",
		Columns: []string{"first", "second", "third"}, Rows: []string{"a row with words for two lines"},
		X: Axis{Label: "seconds"}, Y: Axis{Label: "units"},
		Legend: []Style{line, patch}, Shade: 1,
		Plots: [][]Plot{{
			{Bars: []Bar{{"a bar", []Part{{patch, 0.5}, {patch, 1}}, "its note"}}},
			{Lines: []Line{{line, []Point{{0, 1}, {1, 2}, {1.5, gap}, {2, 40}, {2.5, gap}, {3, gap}}}}},
			{Note: "nothing here"},
		}},
	}
}

func TestPictureIsSavedInBothFormats(t *testing.T) {
	folder := t.TempDir()
	if err := sample().Save(folder, "sample"); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(filepath.Join(folder, "sample.svg"))
	if err != nil {
		t.Fatal(err)
	}
	texts := textsOf(t, svg)
	for _, want := range []string{"Title", "Subtitle", "first", "second", "third", "a row with words", "for two lines", "seconds", "a line & more", "a bar", "its note", "nothing here", "40"} {
		if !slices.Contains(texts, want) {
			t.Errorf("the picture lacks %q: %q", want, texts)
		}
	}
	file, err := os.Open(filepath.Join(folder, "sample.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := png.Decode(file); err != nil {
		t.Error(err)
	}
}

func TestPictureNamesFontsThatEverybodyHas(t *testing.T) {
	folder := t.TempDir()
	if err := sample().Save(folder, "sample"); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(filepath.Join(folder, "sample.svg"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(svg, []byte(`sans-serif" `)) || bytes.Contains(svg, []byte("font-family:")) {
		t.Errorf("some texts have fonts of their own:\n%s", svg)
	}
}

// textsOf returns all texts of an SVG, which must be well-formed.
func textsOf(t *testing.T, svg []byte) []string {
	t.Helper()
	var texts []string
	for decoder := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			texts = append(texts, string(text))
		}
	}
}

func TestPictureThatCannotBeWrittenIsAnError(t *testing.T) {
	if err := sample().Save(filepath.Join(t.TempDir(), "missing"), "sample"); err == nil {
		t.Error("no error")
	}
}

// long is a picture whose every text needs more room than there is for one line.
func long() *Picture {
	p := sample()
	p.Title = strings.Repeat("A title that WANTS much more than a line ", 4)
	p.Subtitle = strings.Repeat("and a subtitle of many words ", 10)
	p.Columns = []string{"a heading as wide as no column", "Reference: A is well", "third"}
	for i := range 8 {
		entry := p.Legend[i%2]
		entry.Name += strings.Repeat(" m", i)
		p.Legend = append(p.Legend, entry)
	}
	p.Plots[0][0].Bars = []Bar{
		{"/a, a pool each, MMM", []Part{{p.Legend[1], 3}}, "100 % ok"},
		{"/b, one pool", []Part{{p.Legend[1], 1}}, "99.9 % ok"},
		{"ALL WIDE MMMMM", nil, "0 % ok"},
	}
	p.Plots[0][1].Lines[0].Points = append(p.Plots[0][1].Lines[0].Points, Point{1000, 100000})
	return p
}

func TestFieldL07TextsHaveTheirPlaceInTheWidestFont(t *testing.T) {
	for name, p := range map[string]*Picture{"sample": sample(), "long": long()} {
		folder := t.TempDir()
		if err := p.Save(folder, name); err != nil {
			t.Fatal(err)
		}
		svg, err := os.ReadFile(filepath.Join(folder, name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		faults, err := svgcheck.Faults(svg)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range faults {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

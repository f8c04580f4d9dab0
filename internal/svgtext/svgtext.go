// Package svgtext measures text in pictures. An SVG is drawn with whatever fonts
// the reader's machine has, so a text that fits is one that fits in the widest of
// the common ones.
package svgtext

import "strings"

// Width is how wide a line of text is at most, in the unit of its size.
func Width(line string, size float64, bold bool) float64 {
	widths, other := &regular, 1000
	if bold {
		widths, other = &boldface, 1104
	}
	sum := 0
	for _, r := range line {
		if ' ' <= r && r <= '~' {
			sum += int(widths[r-' '])
		} else {
			sum += other
		}
	}
	return float64(sum) * size / 1000
}

// Wrap breaks text between words into lines that are no wider than asked for. A
// word that is wider has a line of its own.
func Wrap(text string, size float64, bold bool, width float64) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last >= 0 && Width(lines[last]+" "+word, size, bold) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// Place is where something is: in a line, counted from 0, and how far from its
// beginning.
type Place struct {
	Line int
	X    float64
}

// Flow places things of these widths one after the other, such as the entries of
// a legend, and begins a new line where the next would not fit.
func Flow(widths []float64, width float64) []Place {
	places := make([]Place, len(widths))
	var at Place
	for i, wide := range widths {
		if at.X > 0 && at.X+wide > width {
			at = Place{Line: at.Line + 1}
		}
		places[i] = at
		at.X += wide
	}
	return places
}

// The advance widths of printable ASCII in thousandths of the size: of DejaVu
// Sans or of Liberation Sans, which is as wide as Arial and Helvetica, whichever
// is wider.
var (
	regular = [95]int16{
		318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361, 318, 337,
		637, 637, 637, 637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 557,
		1016, 685, 687, 723, 771, 667, 611, 778, 752, 295, 500, 667, 558, 863, 749, 788,
		667, 788, 723, 667, 611, 732, 685, 989, 686, 667, 686, 391, 337, 391, 838, 557,
		500, 613, 635, 550, 635, 616, 353, 635, 634, 278, 278, 580, 278, 975, 634, 612,
		635, 635, 412, 521, 393, 634, 592, 818, 592, 592, 525, 637, 337, 637, 838,
	}
	boldface = [95]int16{
		349, 457, 521, 838, 696, 1002, 873, 307, 458, 458, 523, 838, 380, 416, 380, 366,
		696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 611,
		1000, 774, 763, 734, 831, 684, 684, 821, 837, 373, 557, 775, 638, 996, 837, 851,
		733, 851, 771, 721, 683, 813, 774, 1104, 771, 725, 726, 458, 366, 458, 838, 557,
		500, 675, 716, 593, 716, 679, 436, 716, 712, 343, 343, 666, 343, 1042, 712, 688,
		716, 716, 494, 596, 479, 712, 652, 924, 646, 652, 583, 712, 366, 712, 838,
	}
)

package svgtext

import (
	"slices"
	"testing"
)

func TestWidthIsThatOfTheWidestFont(t *testing.T) {
	for _, c := range []struct {
		line string
		bold bool
		want float64
	}{
		{"", false, 0},
		{"ok", false, 11.92},
		{"ok", true, 13.54},
		{"W", true, 11.04},
		{"–", false, 10},
	} {
		if got := Width(c.line, 10, c.bold); got != c.want {
			t.Errorf("%q: %v, want %v", c.line, got, c.want)
		}
	}
}

func TestFlowBeginsANewLineWhereTheNextDoesNotFit(t *testing.T) {
	got := Flow([]float64{40, 60, 1, 200, 30}, 100)
	if want := []Place{{0, 0}, {0, 40}, {1, 0}, {2, 0}, {3, 0}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestWrapBreaksBetweenWords(t *testing.T) {
	got := Wrap("one two three extraordinarily four", 10, false, 45)
	if want := []string{"one two", "three", "extraordinarily", "four"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

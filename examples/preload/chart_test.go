package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/resgen-go/resgen/internal/svgtext/svgcheck"
)

// checkXML fails where text is no well-formed XML.
func checkXML(t *testing.T, text []byte) {
	t.Helper()
	decoder := xml.NewDecoder(bytes.NewReader(text))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
	}
}

func TestChartShowsEveryFigureAtItsPlace(t *testing.T) {
	chart := drawChart([]row{
		{rate: 50, plain: tally{entries: 4, ok: 3, calls: 20, wasted: 5}, preload: tally{entries: 4, ok: 4, calls: 20}},
		{rate: 100, plain: tally{entries: 4, calls: 10, wasted: 10}, preload: tally{entries: 4, ok: 2, calls: 10}},
	})
	checkXML(t, chart)
	for what, want := range map[string]string{
		"ok without preload, 75 % and 0":       `class="plain" points="170.0,55.0 340.0,220.0"`,
		"ok with preload, 100 % and 50 %":      `class="preload" points="170.0,0.0 340.0,110.0"`,
		"wasted without preload, 25 % and all": `class="plain" points="170.0,165.0 340.0,0.0"`,
		"wasted with preload, none":            `class="preload" points="170.0,220.0 340.0,220.0"`,
		"at best 40 of 100 entries/s":          ` 340.0,132.0"`,
		"the measured rates as ticks":          `x="170" y="240" text-anchor="middle">50</text>`,
	} {
		if !strings.Contains(string(chart), want) {
			t.Errorf("%s: the chart lacks %s:\n%s", what, want, chart)
		}
	}
}

func TestFieldL07ChartHasRoomForItsTexts(t *testing.T) {
	faults, err := svgcheck.Faults(drawChart([]row{{rate: 20}, {rate: 60}, {rate: 100}, {rate: 200}}))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults {
		t.Error(fault)
	}
}

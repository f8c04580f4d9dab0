package main

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/resgen-go/resgen/internal/svgtext/svgcheck"
)

func rows() (rows []row) {
	for i, s := range schemes {
		n := float64(i + 1)
		rows = append(rows, row{name: s.name, host: 10 * n, hold: 100 / n, writes: 1000 / n})
	}
	return rows
}

func TestTheTableHasARowForEachScheme(t *testing.T) {
	text := table(rows())
	for _, s := range schemes {
		if !strings.Contains(text, "| "+s.name+" |") {
			t.Errorf("no row for %s in\n%s", s.name, text)
		}
	}
}

func TestTheChartIsWellFormedAndShowsEachScheme(t *testing.T) {
	chart := string(draw(rows()))
	for decoder := xml.NewDecoder(strings.NewReader(chart)); ; {
		if _, err := decoder.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range schemes {
		if !strings.Contains(chart, ">"+s.name+"</text>") {
			t.Errorf("the chart lacks %s", s.name)
		}
	}
}

func TestFieldL07TheChartHasRoomForItsTexts(t *testing.T) {
	faults, err := svgcheck.Faults(draw(rows()))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults {
		t.Error(fault)
	}
}

// The rule holds nobody for one host or a zone, and all at once when the
// dependency is gone.
func TestFleetS02S03AHostAndAZoneHoldNobody(t *testing.T) {
	for _, s := range schemes {
		r := measure(s)
		t.Logf("%+v", r)
		if last := s.name == schemes[len(schemes)-1].name; last && (r.host > 0 || r.zone > 0 || r.hold > 1.5 || r.failed > 200) {
			t.Errorf("%+v", r)
		}
	}
}

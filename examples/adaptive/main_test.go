package main

import (
	"context"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/resgen-go/resgen/internal/overload"
)

// brief are phases that end soon, in which nothing is judged.
func brief() []overload.Phase {
	phase := schedule(true)[0]
	phase.Length = 2 * time.Second
	return []overload.Phase{phase}
}

func TestRunWritesTableAndChart(t *testing.T) {
	folder := t.TempDir()
	var out strings.Builder
	if err := run(t.Context(), brief(), folder, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| 70 % load ", "failsafe-go", "does not show", filepath.Join(folder, "adaptive.svg")} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	for line := range strings.Lines(out.String()) {
		if len([]rune(line)) > 90 && !strings.Contains(line, folder) {
			t.Errorf("a line is too wide: %s", line)
		}
	}
	file, err := os.Open(filepath.Join(folder, "adaptive.svg"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for decoder, curves := xml.NewDecoder(file), 0; ; {
		token, err := decoder.Token()
		if err == io.EOF {
			if curves != 2*len(policies)+1 {
				t.Errorf("the chart has %d lines", curves)
			}
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "polyline" {
			curves++
		}
	}
}

func TestRunEndsWhenItIsTold(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var out strings.Builder
	phases := brief()
	phases[0].Length = time.Hour
	if err := run(ctx, phases, "", &out); err != nil || !strings.Contains(out.String(), "Interrupted") {
		t.Errorf("%v: %s", err, out.String())
	}
}

func TestJudge(t *testing.T) {
	phases := schedule(true)
	sides := make([]*side, 2)
	for i, share := range []float64{0, .9} {
		sides[i] = new(side)
		for _, p := range phases {
			good := share * p.Possible() * counted(p).Seconds()
			sides[i].phases = append(sides[i].phases, figures{took: make([]time.Duration, int(good))})
		}
	}
	if err := judge(phases, sides); err != nil {
		t.Error(err)
	}
	sides[0], sides[1] = sides[1], sides[0]
	if err := judge(phases, sides); err == nil || !strings.Contains(err.Error(), "200 % load") {
		t.Errorf("got %v", err)
	}
}

func TestServerKeepsTheWorkOfCallersThatGaveUp(t *testing.T) {
	phase := schedule(true)[0]
	phase.Servers = 1
	phase.Service = overload.Mixed(100*time.Millisecond, 100*time.Millisecond, 0)
	s, err := startServer(phase)
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	c := newClient(s.url)
	gone, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := c.Ask(gone); err == nil {
		t.Fatal("answered before its time")
	}
	began := time.Now()
	if err := c.Ask(t.Context()); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 120*time.Millisecond {
		t.Errorf("answered in %v: the server has dropped the call before", took)
	}
}

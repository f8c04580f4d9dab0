package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/resgen-go/resgen/internal/svgtext/svgcheck"
	resilience "github.com/resgen-go/resgen/runtime"
)

var update = flag.Bool("update", false, "write the expected output under testdata anew")

func TestFieldL08OutputIsTheSameAtEveryRunAndFitsEightyColumns(t *testing.T) {
	const golden = "testdata/output.txt"
	var out bytes.Buffer
	if err := run("", &out); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("-want +got (write it anew with -update):\n%s", diff)
	}
}

func TestPictureIsWrittenAndWellFormed(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "made", "here")
	plays, err := played()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := writeChart(&out, folder, plays); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "strategies.svg")
	if !strings.Contains(out.String(), path) {
		t.Errorf("%q does not say where the picture is", &out)
	}
	picture, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	checkXML(t, picture)
}

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

func TestNoPictureWhereNoFolderCanBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeChart(io.Discard, file, nil); err == nil {
		t.Error("a file passed as a folder")
	}
}

func TestPictureShowsEveryTurnAtItsPlace(t *testing.T) {
	answers := make([]answer, turns*callsPerTurn)
	calls := make([]seen, turns*callsPerTurn)
	for call := range callsPerTurn {
		answers[call] = fails // all of turn 0
		calls[call].lost = true
		calls[48*callsPerTurn+call] = seen{found: resilience.HalfOpen, wronged: call == 0}
		for turn := 49; turn < 59; turn++ {
			calls[turn*callsPerTurn+call] = seen{found: resilience.Open, wronged: true}
		}
	}
	picture := drawChart([]play{{title: "Once", answers: answers, tracks: []track{{"SOME", calls}}}})
	checkXML(t, picture)
	for what, want := range map[string]string{
		"all calls of a turn would fail": `class="bad" x="0" y="-5.0" width="2" height="10.0"`,
		"all are lost":                   `class="lost" x="0" y="-14.0" width="2" height="10.0"`,
		"closed for a minute":            `class="closed" x="0" y="-1.0" width="96" height="2.0"`,
		"half open for a turn":           `class="half" x="96" y="-2.5" width="2" height="5.0"`,
		"one wrongly refused":            `class="wronged" x="96" y="4.0" width="2" height="4.0"`,
		"open for ten turns":             `class="open" x="98" y="-4.0" width="20" height="8.0"`,
		"ten turns wrongly refused":      `class="wronged" x="98" y="4.0" width="20" height="10.0"`,
		"the last minute":                `x="768" y="192" text-anchor="middle">8<`,
		"how many would fail":            `>10 of 3840 calls would fail<`,
		"how many were lost":             `x="815" y="4">10<`,
		"how many were wrongly refused":  `x="990" y="4">101<`,
	} {
		if !strings.Contains(string(picture), want) {
			t.Errorf("%s: the picture lacks %s:\n%s", what, want, picture)
		}
	}
}

func TestFieldL07PictureHasRoomForItsTexts(t *testing.T) {
	plays, err := played()
	if err != nil {
		t.Fatal(err)
	}
	faults, err := svgcheck.Faults(drawChart(plays))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults {
		t.Error(fault)
	}
}

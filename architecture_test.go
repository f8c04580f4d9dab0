package resgen_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

const architecture = "docs/architecture.md"

var (
	places  = regexp.MustCompile("`([a-z][a-z_/]*/(?:[a-z_]+\\.(?:go|md))?)`")
	symbols = regexp.MustCompile("`([a-z_/]+/[a-z_]+\\.(?:go|md))`: `([^`]+)`")
)

// Every file and folder that the page on architecture names is there, and what a
// recipe says of a file is in it.
func TestArchitectureNamesPlacesThatExist(t *testing.T) {
	page := read(t, architecture)
	found := places.FindAllStringSubmatch(page, -1)
	for _, place := range found {
		if _, err := os.Stat(place[1]); err != nil {
			t.Errorf("%s: %v", architecture, err)
		}
	}
	recipes := symbols.FindAllStringSubmatch(page, -1)
	for _, place := range recipes {
		if !strings.Contains(read(t, place[1]), place[2]) {
			t.Errorf("%s: %s has no %s", architecture, place[1], place[2])
		}
	}
	if len(found) < 40 || len(recipes) < 8 {
		t.Errorf("the page names %d places, and %d things in files: this test does not understand it", len(found), len(recipes))
	}
}

// Every folder of the repository that has code is in one of the rooms.
func TestArchitectureHasARoomForEachFolder(t *testing.T) {
	page := read(t, architecture)
	rooms := page[strings.Index(page, "## The rooms"):strings.Index(page, "## The way of a directive")]
	for _, parent := range []string{".", "runtime", "generator/internal"} {
		entries, err := os.ReadDir(parent)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			folder := strings.TrimPrefix(parent+"/"+entry.Name()+"/", "./")
			if entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") && !strings.Contains(rooms, "`"+folder) {
				t.Errorf("%s: there is no room %s", architecture, folder)
			}
		}
	}
}

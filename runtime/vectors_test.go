package resilience_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	resilience "github.com/resgen-go/resgen/runtime"
)

// The vectors are described in testdata/vectors/README.md.
type vectorFile struct {
	Format   string
	Strategy string
	Vectors  []vector
}

type vector struct {
	ID       string
	Group    string
	About    string
	Source   string
	Features []string
	Config   map[string]any
	Steps    []step
	Refuse   *struct{ Fields []string }
	Differs  json.RawMessage
	Checked  []string
}

type step struct {
	At     int64 `json:"at_ms"`
	Do     string
	N      int
	Call   string
	Result string
	Took   int64 `json:"took_ms"`
	Expect map[string]any
}

// calls are the names of a step's repeats.
func (s step) calls() []string {
	if s.N == 0 {
		return []string{s.Call}
	}
	names := make([]string, s.N)
	for i := range names {
		names[i] = fmt.Sprint(s.Call, i+1)
	}
	return names
}

// otherwise are the features of vectors whose source has another rule than this
// runtime.
var otherwise = map[string]string{
	"no_success_threshold": "successThreshold has a default here",
	"wait_boundary":        "at exactly the end of a delay a call is admitted here",
	"wait_restart":         "opening an open breaker leaves its wait running here",
}

func TestVectors(t *testing.T) {
	folder := os.Getenv("RESGEN_VECTORS")
	if folder == "" {
		folder = "../testdata/vectors"
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors in %s (%v)", folder, err)
	}
	for _, path := range files {
		file := readVectors(t, path)
		for _, v := range file.Vectors {
			t.Run(v.ID, func(t *testing.T) {
				for _, feature := range v.Features {
					if why := otherwise[feature]; why != "" {
						t.Skipf("needs %s: %s", feature, why)
					}
				}
				synctest.Test(t, func(t *testing.T) { play(t, file.Strategy, v) })
			})
		}
	}
}

func readVectors(t *testing.T, path string) (file vectorFile) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	decoder := json.NewDecoder(f)
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	if err := decoder.Decode(&file); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if file.Format != "resgen-vectors/1" {
		t.Fatalf("%s: unknown format %q", path, file.Format)
	}
	return file
}

// player plays the steps of one vector.
type player interface {
	sleepUntil(ms int64)
	do(step)
	close()
}

func play(t *testing.T, strategy string, v vector) {
	if v.Refuse != nil {
		refuses(t, strategy, v)
		return
	}
	var p player
	if strategy == "BULKHEAD" {
		p = newBulkheadPlayer(t, v)
	} else {
		p = newBreakerPlayer(t, strategy, v)
	}
	defer p.close()
	for i, s := range v.Steps {
		p.sleepUntil(s.At)
		p.do(s)
		if t.Failed() {
			t.Fatalf("%s\nstep %d: %+v", v.About, i, s)
		}
	}
}

func refuses(t *testing.T, strategy string, v vector) {
	registry, err := resilience.New(resilience.Settings("vector", settings(strategy, v.Config)))
	if err == nil {
		registry.Close()
		t.Fatalf("settings %v were accepted", v.Config)
	}
	if !slices.ContainsFunc(v.Refuse.Fields, func(field string) bool { return strings.Contains(err.Error(), "."+field+":") }) {
		t.Errorf("error %q names none of %v", err, v.Refuse.Fields)
	}
}

// settings is the file in which the breaker or bulkhead "subject" has the
// vector's settings.
func settings(strategy string, config map[string]any) []byte {
	subject := map[string]any{}
	section := "bulkheads"
	if strategy != "BULKHEAD" {
		section = "breakers"
		subject["strategy"] = strategy
	}
	switch strategy {
	case "CANARY_RATE_THRESHOLD":
		subject["initialState"] = "CLOSED"
		fallthrough
	case "STATIC_THRESHOLD", "CONSECUTIVE_FAILURES", "PACED_RATE_THRESHOLD":
		subject["maxHalfOpenDuration"] = "8760h"
	}
	for name, value := range config {
		if strings.HasSuffix(name, "Delay") || strings.Contains(name, "Duration") || name == "probeInterval" ||
			name == "probeTimeout" || name == "probeBackoffMax" {
			value = fmt.Sprint(value, "ms")
		}
		subject[name] = value
	}
	text, err := json.Marshal(map[string]any{section: map[string]any{"subject": subject}})
	if err != nil {
		panic(err)
	}
	return text
}

// check compares a figure with what a step expects under that key, if anything.
func check[T comparable](t *testing.T, s step, key string, got T) {
	t.Helper()
	want, ok := s.Expect[key]
	if ok && fmt.Sprint(want) != fmt.Sprint(got) {
		t.Errorf("%s is %v, want %v", key, got, want)
	}
}

var (
	errFailed  = errors.New("failed")
	errIgnored = errors.New("not to be counted")
)

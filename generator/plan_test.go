package generator

import (
	"encoding/json"
	"fmt"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resgen-go/resgen/generator/internal/outputs"
)

// MarshalText prints a type, so that JSON shows all of a plan.
func (t typeCode) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%#v", t.code), nil }

// MarshalText prints an item as it is written.
func (i item) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%s: %s", i.Field, strings.Join(i.texts(), ", ")), nil
}

func TestAPlanShowsAllThatWillBeGenerated(t *testing.T) {
	pkg, err := checkSources(map[string]string{"in.go": `package random

import "context"

//resilience:breaker b
type Shop[K comparable] interface {
	Buy(context.Context, K, ...[]int) (*int, error)
	Close()
}
`})
	if err != nil {
		t.Fatal(err)
	}
	annotated, _ := readDirectives(pkg, new(outputs.Reader))
	c := &checker{pkg: pkg, place: func(token.Pos) string { return "" }}
	plan, err := json.MarshalIndent(c.plans(c.targets(annotated))[0].Wrappers[0].Methods, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want := `[
  {
    "Name": "Buy",
    "Params": [
      {
        "Name": "ctx",
        "Type": "context.Context",
        "Variadic": false
      },
      {
        "Name": "k",
        "Type": "K",
        "Variadic": false
      },
      {
        "Name": "values",
        "Type": "[]int",
        "Variadic": true
      }
    ],
    "Results": [
      {
        "Name": "n",
        "Type": "*int",
        "Variadic": false
      },
      {
        "Name": "err",
        "Type": "error",
        "Variadic": false
      }
    ],
    "Deprecated": "",
    "Field": "buy",
    "Guard": [
      "Breaker: b"
    ],
    "Why": "",
    "Silent": false,
    "Dropped": null,
    "Skipped": null,
    "CutOff": "",
    "Stream": null,
    "Names": {
      "Call": "call",
      "Err": "err",
      "Lost": "err",
      "Guard": "",
      "Context": "ctx",
      "Carried": false,
      "Closes": false,
      "Package": ""
    }
  },
  {
    "Name": "Close",
    "Params": null,
    "Results": null,
    "Deprecated": "",
    "Field": "",
    "Guard": null,
    "Why": "it returns no error",
    "Silent": true,
    "Dropped": null,
    "Skipped": [
      "no breaker b: it returns no error"
    ],
    "CutOff": "",
    "Stream": null,
    "Names": {
      "Call": "",
      "Err": "",
      "Lost": "",
      "Guard": "",
      "Context": "",
      "Carried": false,
      "Closes": false,
      "Package": ""
    }
  }
]`
	if diff := cmp.Diff(want, string(plan)); diff != "" {
		t.Error(diff)
	}
}

package main

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestClientsC04TheTourMeetsA404ATimeoutAndAnOutage(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out strings.Builder
	if err := run(ctx, &out); err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`(?m)^  GET.*$`).FindAllString(out.String(), -1)
	want := []string{
		"  GET /milk     200; breaker CLOSED",
		"  GET /unicorn  502; breaker CLOSED", "  GET /unicorn  502; breaker CLOSED",
		"  GET /unicorn  502; breaker CLOSED", "  GET /unicorn  502; breaker CLOSED",
		"  GET /milk     503; breaker CLOSED",
		"  GET /milk     200; breaker CLOSED",
		"  GET /yacht    504; breaker CLOSED",
		"  GET /milk     502; breaker CLOSED",
		"  GET /milk     502; breaker OPEN",
		"  GET /milk     503, Retry-After: soon; breaker OPEN",
		"  GET /milk     503, Retry-After: soon; breaker OPEN",
	}
	for i := range got {
		got[i] = regexp.MustCompile(`After: \d+`).ReplaceAllString(got[i], "After: soon")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

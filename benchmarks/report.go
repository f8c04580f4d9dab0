package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/resgen-go/resgen/internal/words"
)

// peers are the modules that resgen is compared with.
var peers = []string{
	"github.com/sony/gobreaker/v2", "github.com/failsafe-go/failsafe-go", "github.com/afex/hystrix-go", "golang.org/x/sync", "golang.org/x/time", "go.uber.org/ratelimit",
}

func report(w io.Writer, r results, m memory) {
	fmt.Fprintf(w, "%s, %s/%s, %s of %d. Medians of %s; half of a path's figures lie within %.0f %% of one another.\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, words.Count(cores, "core"), runtime.NumCPU(), words.Count(r.rounds(), "round"), 100*r.spread())
	reportPeers(w)
	for _, section := range sections {
		section.report(w, r)
	}
	m.report(w)
	r.reportGoals(w, m)
}

func reportPeers(w io.Writer) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	for _, module := range info.Deps {
		if slices.Contains(peers, module.Path) {
			fmt.Fprintf(w, "- %s %s\n", module.Path, module.Version)
		}
	}
}

func (s section) report(w io.Writer, r results) {
	fmt.Fprintf(w, "\n### %s\n\n", s.about)
	fmt.Fprintln(w, "| ns a call, by goroutines | 1, quiet | 1 | 2 | 64 | × ours | allocations |")
	fmt.Fprintln(w, "|---|--:|--:|--:|--:|--:|--:|")
	for _, path := range s.paths {
		fmt.Fprintf(w, "| %s | %s |", path.name, figure(r.quiet(s.name, path.name, 1)))
		for _, goroutines := range goroutines {
			fmt.Fprintf(w, " %s |", figure(r.median(s.name, path.name, goroutines)))
		}
		fmt.Fprintf(w, " %s | %s |\n", s.ratio(r, path), r[point{s.name, path.name, 1}].memory())
	}
}

// ratio compares a peer's path with ours, on one and on two cores.
func (s section) ratio(r results, path path) string {
	if path.peer == "" {
		return ""
	}
	times := func(goroutines int) float64 {
		return r.median(s.name, path.name, goroutines) / r.median(s.name, path.peer, goroutines)
	}
	return fmt.Sprintf("%.1f / %.1f", times(1), times(2))
}

func (s *series) memory() string {
	if s.allocs == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%d B)", s.allocs, s.bytes)
}

func (r results) reportGoals(w io.Writer, m memory) {
	fmt.Fprint(w, "\n### Goals\n\n| goal | quiet | median | limit | holds |\n|---|--:|--:|--:|---|\n")
	allocs := r[point{"closed", "entry: two gates, two preloads", 1}].allocs
	medians := goals(r.median, allocs, m)
	for i, quiet := range goals(r.quiet, allocs, m) {
		bound := "≤"
		if quiet.atLeast {
			bound = "≥"
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s %s %s | %s |\n", quiet.text, figure(quiet.got), figure(medians[i].got),
			bound, figure(quiet.limit), quiet.unit, verdict(quiet, medians[i]))
	}
	fmt.Fprintf(w, "\nA failure of STATIC_THRESHOLD in 100 after 99 successes: %s ns quiet, %s ns in the median.\n",
		figure(rareFailure(r.quiet)), figure(rareFailure(r.median)))
}

func verdict(quiet, median goal) string {
	switch {
	case median.holds() && quiet.holds():
		return "yes"
	case median.holds():
		return "in the median"
	case quiet.holds():
		return "when quiet"
	}
	return "**no**"
}

func (m memory) report(w io.Writer) {
	fmt.Fprintf(w, "\n### Memory\n\n| a breaker after 200 calls of which one in ten failed | bytes |\n|---|--:|\n")
	for _, h := range heavy {
		fmt.Fprintf(w, "| %s | %.0f |\n", h.path, m.used[h.path])
	}
}

// figure prints three digits or a whole number.
func figure(f float64) string {
	if f < 100 {
		return fmt.Sprintf("%.3g", f)
	}
	return fmt.Sprintf("%.0f", f)
}

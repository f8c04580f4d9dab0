package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// screen writes what a person wants to look at: a line a second, and a line for
// everything that turns.
type screen struct {
	mu    sync.Mutex
	out   io.Writer
	began time.Time
}

func (s *screen) line(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.out, "%5.1fs  ", time.Since(s.began).Seconds())
	fmt.Fprintf(s.out, format+"\n", args...)
}

func (s *screen) turn(service string, h health) {
	text := fmt.Sprintf("── %s is %s", service, h.word)
	if h.delay > 0 {
		text += fmt.Sprintf(", answers in %v", h.delay)
	}
	s.line("%s", text)
}

// Observe shows transitions, reloads and names without settings.
func (s *screen) Observe(e resilience.Event) {
	switch e := e.(type) {
	case resilience.Transition:
		s.line("%s %s: %v → %v, %s", mark(e.To), e.Breaker, e.From, e.To, e.Reason)
	case resilience.Reloaded:
		s.reloaded(e)
	case resilience.UnknownName:
		s.unknown(e)
	}
}

func (s *screen) unknown(e resilience.UnknownName) {
	text := fmt.Sprintf("?? %s.%s: not in the settings, so the defaults hold", e.Section, e.Name)
	if e.Nearest != "" {
		text += fmt.Sprintf("; did you mean the unused %s?", e.Nearest)
	}
	s.line("%s", text)
}

func mark(to resilience.State) string {
	switch to {
	case resilience.Open, resilience.ForcedOpen:
		return "✗✗"
	case resilience.HalfOpen:
		return "··"
	}
	return "✓✓"
}

func (s *screen) reloaded(e resilience.Reloaded) {
	switch {
	case e.Err != nil:
		s.line("?? %v (the settings before stay)", e.Err)
	case len(e.Changed) > 0:
		s.line("── new settings: %s", strings.Join(e.Changed, ", "))
	}
}

// second shows one second of checkouts and what guards them.
func (s *screen) second(t total, now resilience.Snapshot) {
	s.line("%s", secondLine(t)+guardsLine(now))
}

func secondLine(t total) string {
	all := t.ok + t.refused + t.wrong
	if all == 0 {
		return "no checkouts"
	}
	p99 := "-"
	if t.ok > 0 {
		p99 = t.p99.Round(time.Millisecond).String()
	}
	return fmt.Sprintf("%3d%% ok  p99 %6s  %3d refused %3d failed", 100*t.ok/all, p99, t.refused, t.wrong)
}

func guardsLine(now resilience.Snapshot) string {
	var line strings.Builder
	for _, b := range now.Breakers {
		fmt.Fprintf(&line, "  │ %s %-9v", b.Name, b.State)
		for _, h := range now.Bulkheads {
			if h.Name == b.Name {
				fmt.Fprintf(&line, " %2d/%d", h.InUse+h.ReservedIdle, h.MaxConcurrentCalls)
			}
		}
	}
	return line.String()
}

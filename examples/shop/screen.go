package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/resgen-go/resgen/internal/column"
	resilience "github.com/resgen-go/resgen/runtime"
)

// screen writes what a person wants to look at: a line a second, and a line for
// everything that turns.
type screen struct {
	mu      sync.Mutex
	out     io.Writer
	began   time.Time
	seconds int // that were shown
}

func (s *screen) line(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := fmt.Sprintf("%5.1fs  ", time.Since(s.began).Seconds()) + fmt.Sprintf(format, args...)
	fmt.Fprintln(s.out, column.Wrap(line, "        "))
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

// headEvery is how many seconds are shown under one head.
const headEvery = 20

// second shows one second of checkouts and what guards them.
func (s *screen) second(t total, now resilience.Snapshot) {
	if s.seconds%headEvery == 0 {
		s.line("%s", head(now))
	}
	s.seconds++
	s.line("%s", secondLine(t)+guardsLine(now))
}

const secondFormat = "%4s %6s %7s %6s"

// head says what stands in the lines of the seconds.
func head(now resilience.Snapshot) string {
	line := fmt.Sprintf(secondFormat, "ok", "p99", "refused", "failed")
	for _, b := range now.Breakers {
		line += fmt.Sprintf("  %-16s", b.Name)
	}
	return strings.TrimRight(line, " ")
}

func secondLine(t total) string {
	ok, p99 := "-", "-"
	if all := t.ok + t.refused + t.wrong; all > 0 {
		ok = fmt.Sprintf("%d%%", 100*t.ok/all)
	}
	if t.ok > 0 {
		p99 = t.p99.Round(time.Millisecond).String()
	}
	return fmt.Sprintf(secondFormat, ok, p99, fmt.Sprint(t.refused), fmt.Sprint(t.wrong))
}

// guardsLine shows each breaker with the permits in use of the bulkhead of its
// name.
func guardsLine(now resilience.Snapshot) string {
	var line strings.Builder
	for _, b := range now.Breakers {
		permits := ""
		for _, h := range now.Bulkheads {
			if h.Name == b.Name {
				permits = fmt.Sprintf("%d/%d", h.InUse+h.ReservedIdle, h.MaxConcurrentCalls)
			}
		}
		fmt.Fprintf(&line, "  %-9v %6s", b.State, permits)
	}
	return line.String()
}

package faults

import (
	"time"

	"github.com/resgen-go/resgen/internal/glyph"
	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// Settings are what a user tunes.
type Settings struct {
	FailPercent  float64        `setting:"failPercent" default:"0" range:"[0,100]" doc:"percent of the calls that fail with ErrInjected, in place of the dependency's answer"`
	Delay        *time.Duration `setting:"delay" range:"(0s,1h]" usual:"10s" doc:"time that calls take longer; one whose context ends meanwhile is not made"`
	DelayPercent float64        `setting:"delayPercent" default:"100" range:"(0,100]" doc:"percent of the calls that delay holds up"`
	Until        *string        `setting:"until" doc:"when all of it ends by itself, at most 24h ahead, such as \"2026-12-01T15:00:00Z\"; required"`
	Seed         int            `setting:"seed" default:"0" range:"[0,1000000000]" doc:"chooses which calls are hit; the same seed hits the same ones, counted from the beginning"`
	Probes       bool           `setting:"probes" default:"false" doc:"true hits the probes of the breaker too"`
}

// longest is how far ahead the end may be.
const longest = 24 * time.Hour

// Injects reports whether there is anything to inject.
func (s *Settings) Injects() bool { return s.FailPercent > 0 || s.Delay != nil }

// Check finds faults that would not end by themselves, or have ended.
func (s *Settings) Check() []setting.Problem {
	problem := func(text string) []setting.Problem { return []setting.Problem{{Field: "until", Message: text}} }
	switch end, err := s.end(); {
	case !s.Injects():
		return nil
	case s.Until == nil:
		return problem("is missing; faults end by themselves, so say when, at most 24h ahead, such as " + soon())
	case err != nil:
		return problem(glyph.Quoted(*s.Until) + " is no time such as " + soon())
	case !end.After(time.Now()):
		return problem(*s.Until + " is over; take these faults out, or set a later time, at most 24h ahead")
	case time.Until(end) > longest:
		return problem(*s.Until + " is more than 24h ahead; the latest is now " + time.Now().Add(longest).UTC().Format(time.RFC3339))
	}
	return nil
}

// soon is a time as people have to write it.
func soon() string {
	return time.Now().Add(time.Hour).UTC().Truncate(time.Minute).Format(`"` + time.RFC3339 + `"`)
}

func (s *Settings) end() (time.Time, error) {
	if s.Until == nil {
		return time.Time{}, nil
	}
	return time.Parse(time.RFC3339, *s.Until)
}

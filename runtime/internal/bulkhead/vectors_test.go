package bulkhead

import (
	"context"
	"encoding/json"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// The steps that every bulkhead should get through, gathered from the test
// suites of others.
const vectorFile = "../../../testdata/vectors/bulkhead.json"

type vector struct {
	ID     string
	Config struct {
		MaxConcurrentCalls, MaxWaitDuration int64
		QueueCapacity                       int
	}
	Steps  []step
	Refuse *struct{ Fields []string }
}

type step struct {
	AtMS   int64 `json:"at_ms"`
	Do     string
	Call   string
	N      int
	Expect struct {
		Outcome                    string
		Status                     map[string]string
		Running, Queued, Available *int
	}
}

func TestVectors(t *testing.T) {
	data, err := os.ReadFile(vectorFile)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Vectors []vector }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			if v.Refuse != nil {
				t.Skip("settings are checked before a bulkhead is made")
			}
			synctest.Test(t, func(t *testing.T) { newPlayer(t, v).play(v.Steps) })
		})
	}
}

// A player plays one vector.
type player struct {
	*testing.T
	bulkhead *Bulkhead
	calls    map[string]*vectorCall
}

type vectorCall struct {
	*attempt
	cancel func()
	status string // once it is known for good
}

func newPlayer(t *testing.T, v vector) *player {
	return &player{t, New("vector", Settings{
		MaxConcurrentCalls: int(v.Config.MaxConcurrentCalls),
		MaxWaitDuration:    time.Duration(v.Config.MaxWaitDuration) * time.Millisecond,
		QueueCapacity:      &v.Config.QueueCapacity,
	}), map[string]*vectorCall{}}
}

func (p *player) play(steps []step) {
	begin := time.Now()
	for i, s := range steps {
		time.Sleep(time.Until(begin.Add(time.Duration(s.AtMS) * time.Millisecond)))
		synctest.Wait()
		for n := range max(1, s.N) {
			call := s.Call
			if s.N > 0 {
				call += strconv.Itoa(n + 1)
			}
			p.do(i, s, call)
			synctest.Wait()
		}
		p.compare(i, s)
	}
	for _, c := range p.calls {
		c.cancel()
	}
}

func (p *player) do(i int, s step, name string) {
	c := p.calls[name]
	switch s.Do {
	case "acquire":
		ctx, cancel := context.WithCancel(p.Context())
		c = &vectorCall{tryAcquire(ctx, p.bulkhead), cancel, ""}
		p.calls[name] = c
		if got := c.outcome(); got != s.Expect.Outcome && s.Expect.Outcome != "" {
			p.Errorf("step %d: call %s is %s, want %s", i, name, got, s.Expect.Outcome)
		}
	case "release", "end":
		c.end("done")
	case "cancel":
		c.cancel()
		c.end("cancelled")
	case "stray_release":
		if c != nil {
			c.permit.Release()
		} else {
			new(Permit).Release()
		}
	case "tick":
	default:
		p.Fatalf("step %d: unknown: %s", i, s.Do)
	}
}

// end gives the permit of a running call back. A waiting one has none, and ends
// by its context.
func (c *vectorCall) end(status string) {
	if c.granted() {
		c.permit.Release()
		c.status = status
	}
}

// outcome is what became of an acquiring call at once.
func (c *vectorCall) outcome() string {
	switch {
	case c.waits():
		return "queued"
	case c.granted():
		return "running"
	default:
		return "rejected"
	}
}

func (c *vectorCall) now() string {
	switch {
	case c.status != "":
		return c.status
	case c.refusedAs(Cancelled):
		return "cancelled"
	case c.refusedAs(Full) && c.took > 0:
		return "timed_out"
	}
	return c.outcome()
}

func (p *player) compare(i int, s step) {
	for name, want := range s.Expect.Status {
		if got := p.calls[name].now(); got != want {
			p.Errorf("step %d: call %s is %s, want %s", i, name, got, want)
		}
	}
	figures := p.bulkhead.Snapshot()
	for _, f := range []struct {
		name string
		want *int
		got  int
	}{
		{"running", s.Expect.Running, figures.InUse},
		{"queued", s.Expect.Queued, figures.Waiting},
		{"available", s.Expect.Available, figures.Available},
	} {
		if f.want != nil && f.got != *f.want {
			p.Errorf("step %d: %d %s, want %d", i, f.got, f.name, *f.want)
		}
	}
}

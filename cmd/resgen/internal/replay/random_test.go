package replay

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/resgen-go/resgen/internal/trace"
)

// Any trace that can be read can be played: whatever its calls say of each other, it ends,
// and every figure is one of its calls or of those made up for its entries.
func TestAnyTraceCanBePlayed(t *testing.T) {
	names := []string{"", "a", "b", "c.D.E", "x y", "\xff/"}
	rapid.Check(t, func(t *rapid.T) {
		name := func(of string) string { return rapid.SampledFrom(names).Draw(t, of) }
		number := func(of string, most int) int { return rapid.IntRange(0, most).Draw(t, of) }
		lasts := func(of string) time.Duration {
			return time.Duration(rapid.SampledFrom([]int{0, 1, 1000, 1_000_000, 60_000_000_000, 3_000_000_000_000}).Draw(t, of))
		}
		wants := func(of string) (all []trace.Want) {
			for range number(of, 2) {
				all = append(all, trace.Want{Name: rapid.SampledFrom(names[1:]).Draw(t, of), N: rapid.SampledFrom([]int{0, 1, 3, 1 << 30}).Draw(t, of), Number: number(of, 3)})
			}
			return all
		}
		tr := &trace.Trace{Names: names}
		for range 1 + number("methods", 3) {
			m := trace.Method{
				Name: name("method"), Instance: rapid.SampledFrom([]string{"", "", "i", "\x00"}).Draw(t, "instance"),
				Breaker: name("breaker"), RateLimit: name("rate"), Bulkhead: name("bulkhead"), Timeout: name("timeout"),
				Traits: trace.Traits(number("traits", 15)),
			}
			if rapid.Bool().Draw(t, "entry") {
				m.Check, m.Rate, m.Preload, m.Lease = wants("check"), wants("rates"), wants("preload"), wants("lease")
			}
			tr.Methods = append(tr.Methods, m)
		}
		at := time.Duration(0)
		for i := range number("calls", 40) {
			if at += lasts("step"); rapid.Bool().Draw(t, "back") {
				at -= min(at, lasts("back"))
			}
			c := trace.Call{
				At: at, Took: lasts("took"), Waited: lasts("wait"), Limit: lasts("limit"), Method: uint32(number("of", len(tr.Methods)-1)),
				Since: uint32(number("since", i)), Key: uint32(number("key", 2)), Within: uint32(number("within", 2)), Entry: uint32(number("is", 2)),
				Outcome: trace.Outcome(number("outcome", 4)), Gone: rapid.Bool().Draw(t, "gone"),
			}
			if c.Refused = uint8(rapid.SampledFrom([]int{0, 0, 0, 1, 4, 5, 8, 99}).Draw(t, "refused")); c.Refused != 0 {
				c.By = uint32(number("by", len(names)-1))
			}
			for range number("numbers", 2) {
				c.Numbers = append(c.Numbers, number("n", 3))
			}
			tr.Calls, tr.Lasts = append(tr.Calls, c), max(tr.Lasts, at)
		}
		for range number("gaps", 1) {
			tr.Gaps = append(tr.Gaps, trace.Gap{At: lasts("gap"), Lasted: lasts("lasted"), Dropped: number("dropped", 2), Before: number("before", 40)})
		}
		replay := New(tr)
		replay.Recorded()
		run, err := replay.Play(Settings{"a.json", []byte(`{"bulkheads": {"default": {"maxConcurrentCalls": 2, "maxWaitDuration": "1s"}}, "breakers": {"a": {"strategy": "CANARY_RATE_THRESHOLD"}}}`)})
		if err != nil {
			return // its methods can't be guarded so
		}
		for g, f := range run.Figures {
			if most := (1 + maxGhosts) * len(tr.Calls); f.Refused[0] > most || f.Failed[1] > most || min(f.InUse[0], f.InUse[1], f.Wronged[0]) < 0 {
				t.Fatalf("%v: %+v of %d calls", g, f, len(tr.Calls))
			}
		}
		Draw([]*Run{replay.Recorded(), run})
	})
}

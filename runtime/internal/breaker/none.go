package breaker

import (
	"time"

	"github.com/resgen-go/resgen/runtime/internal/dryrun"
	"github.com/resgen-go/resgen/runtime/internal/keyed"
)

// None are the settings of NONE: it has none of its own.
type None struct {
	dryrun.Enforcement
	Fleet
	Shadowed
	keyed.Instances
}

// Strategy is NONE.
func (*None) Strategy() Strategy { return none{} }

// none never opens by itself. One that was opened, by hand, under an earlier
// strategy or by an outage of the fleet, recovers with a call that succeeds.
type none struct{}

func (none) Name() string                                  { return "NONE" }
func (none) Initial() State                                { return Closed }
func (none) SlowAfter() (after time.Duration, judged bool) { return 0, false }
func (none) Closed() Rules                                 { return Rules{} }
func (none) Open() Wait                                    { return Wait{Delay: new(time.Duration)} }

func (none) HalfOpen() Rules {
	return Rules{Judge: recovery{}, Budget: Budget{1, 1}}
}

// recovery looks at nothing but a success.
type recovery struct{}

func (recovery) Judge(e Evidence) Verdict {
	if e.Failed {
		return Verdict{}
	}
	return Verdict{Closed, "a call succeeded"}
}

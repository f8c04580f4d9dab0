package breaker

import "time"

// None are the settings of NONE: it has none of its own.
type None struct{ Fleet }

// Strategy is NONE.
func (*None) Strategy() Strategy { return none{} }

// none never opens by itself. One that was opened, by hand or under an earlier
// strategy, recovers with the next call that ends.
type none struct{}

func (none) Name() string             { return "NONE" }
func (none) Initial() State           { return Closed }
func (none) SlowAfter() time.Duration { return 0 }
func (none) Closed() Rules            { return Rules{} }
func (none) Open() Wait               { return Wait{Delay: new(time.Duration)} }

func (none) HalfOpen() Rules {
	return Rules{Judge: rule(func(Counts) Verdict { return Verdict{Closed, "nothing is judged"} })}
}

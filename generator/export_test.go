package generator

// FakeRuntime is as much of the runtime as generated code calls.
const FakeRuntime = `package resilience

import "context"

type (
	Registry struct{}
	Wiring   struct{}
	Guard    struct{}
	Call     struct{}
	Outcome  uint8
	Permits  struct {
		Bulkhead string
		N        int
	}
	Guards struct {
		Breaker, Bulkhead, Timeout string
		Classify                   func(error) Outcome
		Check                      []string
		Preload, Lease             []Permits
	}
)

func Wire[I any](*Registry, string, string, I) (*Wiring, error) { return nil, nil }
func (*Wiring) Defaults(...string)                              {}
func (*Wiring) Guard(string, Guards) *Guard                    { return nil }
func (*Wiring) Probe(string, func(context.Context) error)      {}
func (*Wiring) Done() error                                    { return nil }
func (*Call) Begin(context.Context, *Guard) error              { return nil }
func (*Call) Context() context.Context                         { return nil }
func (*Call) Finish(error) error                               { return nil }
func (*Call) Release()                                         {}
`

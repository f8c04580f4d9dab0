package bus

import "github.com/resgen-go/resgen/testdata/corpus/arg-same-as-package/event"

// Bus carries events.
type Bus interface {
	//resilience:breaker b
	Publish(event event.Event) error

	//resilience:breaker b
	Replay(from event.Cursor, event func(event.Event) error) (event.Cursor, error)
}

// Package pub re-exports an internal type.
package pub

import "github.com/resgen-go/resgen/testdata/corpus/alias-to-internal/lib/internal/msg"

// Message is the public name.
type Message = msg.Message

package generator

import (
	"fmt"
	"reflect"
	"strings"

	resilience "github.com/resgen-go/resgen/runtime"
)

// FakeRuntime is as much of the runtime as generated code calls. It has the guards
// that the runtime has.
var FakeRuntime = `package resilience

import "context"

type (
	Registry struct{}
	WrapperOption func(*Wiring)
	Wiring   struct{}
	Guard    struct{}
	Call     struct{}
	Attempts struct{}
	Outcome  uint8
)

func Wire[I any](*Registry, string, string, I, ...WrapperOption) (*Wiring, error) { return nil, nil }
func (*Wiring) Defaults(...string)                              {}
func (*Wiring) Guard(string, Guards) *Guard                    { return nil }
func (*Wiring) Probe(string, func(context.Context) error)      {}
func (*Wiring) Done() error                                    { return nil }
func (*Call) Begin(context.Context, *Guard) error              { return nil }
func (*Call) Context() context.Context                         { return nil }
func (*Call) Finish(error) error                               { return nil }
func (*Guard) For(string) *Guard                               { return nil }
func Key[K ~string](K) string                                  { return "" }
func WithContext[T any](t T, _ *Call) T                         { return t }
func (*Call) Settled(error) bool                               { return false }
func (*Call) FinishAs(Outcome, error) error                    { return nil }
func (*Call) FallsBack(error) error                            { return nil }
func (*Call) MustFallBack(error) error                         { return nil }
func (*Call) Release()                                         {}
func (*Attempts) Next(context.Context, *Guard) bool            { return false }
func (*Attempts) Context() context.Context                     { return nil }
func (*Attempts) Finish(error) error                           { return nil }
func (*Attempts) Settled(error) bool                           { return false }
func (*Attempts) FinishAs(Outcome, error) error                { return nil }
func (*Attempts) Result(error) error                           { return nil }
func (*Attempts) FallsBack(error) error                        { return nil }
func (*Attempts) MustFallBack(error) error                     { return nil }
func (*Attempts) Release()                                     {}
` + structText(reflect.TypeFor[resilience.Guards](), map[reflect.Type]bool{})

// structText declares a struct type, and those of its package that its fields
// mention.
func structText(t reflect.Type, known map[reflect.Type]bool) string {
	known[t] = true
	text := fmt.Sprintf("\ntype %s struct {\n", t.Name())
	more := ""
	for field := range t.Fields() {
		text += fmt.Sprintf("\t%s %s\n", field.Name, strings.ReplaceAll(field.Type.String(), "resilience.", ""))
		of := field.Type
		if of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() == reflect.Struct && !known[of] {
			more += structText(of, known)
		}
	}
	return text + "}\n" + more
}

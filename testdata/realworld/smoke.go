package main

import (
	"slices"
	"text/template"
)

func (c tried) Name() string { return c.name }
func (c tried) Args() string { return c.args }

// Guarded are the methods that the breaker guards.
func (c tried) Guarded() (names []string) {
	for _, m := range c.methods {
		if m.guarded() {
			names = append(names, m.name)
		}
	}
	return names
}

func (o outcome) Package() string { return o.name }

// Clients are those that have a wrapper.
func (o outcome) Clients() []tried {
	return slices.DeleteFunc(slices.Clone(o.clients), func(c tried) bool { return len(c.methods) == 0 })
}

var smokeTest = template.Must(template.New("").Parse(`package {{.Package}}

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

// smoke opens the breaker by calls of a client that is not there, and sees that
// it guards all methods that it should.
func smoke(t *testing.T, wrapper any, guarded ...string) {
	v := reflect.ValueOf(wrapper)
	if len(guarded) == 0 {
		return
	}
	for range 100 {
		if err := call(v.MethodByName(guarded[0])); errors.Is(err, resilience.ErrOpen) {
			break
		}
	}
	for _, name := range guarded {
		if err := call(v.MethodByName(name)); !errors.Is(err, resilience.ErrOpen) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

var panicked = errors.New("panicked")

// call calls a method with empty arguments.
func call(method reflect.Value) (err error) {
	defer func() {
		if recover() != nil {
			err = panicked
		}
	}()
	var args []reflect.Value
	for i := range method.Type().NumIn() {
		switch t := method.Type().In(i); {
		case method.Type().IsVariadic() && i == method.Type().NumIn()-1:
		case t == reflect.TypeFor[context.Context]():
			args = append(args, reflect.ValueOf(context.Background()))
		case t.Kind() == reflect.Pointer: // it may carry the context
			args = append(args, reflect.New(t.Elem()))
		default:
			args = append(args, reflect.Zero(t))
		}
	}
	results := method.Call(args)
	err, _ = results[len(results)-1].Interface().(error)
	return err
}
{{range .Clients}}
type (
	next{{.Name}} = {{.Name}}{{.Args}} // by another name, because it may have a method of its own
	no{{.Name}}   struct{ next{{.Name}} }
)

func Test{{.Name}}(t *testing.T) {
	registry, err := resilience.New(resilience.Logger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	wrapper, err := NewResilient{{.Name}}{{.Args}}(no{{.Name}}{}, registry)
	if err != nil {
		t.Fatal(err)
	}
	smoke(t, wrapper{{range .Guarded}}, "{{.}}"{{end}})
}
{{end}}`))

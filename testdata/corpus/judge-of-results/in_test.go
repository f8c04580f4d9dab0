package results

import (
	"context"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

type one struct{}

func (one) Call(context.Context) (int, error)  { return 1, nil }
func (one) W(string) (int, error)              { return 1, nil }
func (one) Err(string) (int, error)            { return 1, nil }
func (one) Next(string) (int, error)           { return 1, nil }
func (one) Judge(int, ...string) (int, error)  { return 1, nil }
func (one) Dotted(string) (string, int, error) { return "", 1, nil }

func TestClientsC01EveryJudgeIsAsked(t *testing.T) {
	for name, ask := range map[string]func(Names[string]) (int, error){
		"Call":  func(n Names[string]) (int, error) { return n.Call(t.Context()) },
		"W":     func(n Names[string]) (int, error) { return n.W("") },
		"Err":   func(n Names[string]) (int, error) { return n.Err("") },
		"Next":  func(n Names[string]) (int, error) { return n.Next("") },
		"Judge": func(n Names[string]) (int, error) { return n.Judge(0) },
		"Dotted": func(n Names[string]) (int, error) {
			_, got, err := n.Dotted("")
			return got, err
		},
	} {
		registry, err := resilience.New(resilience.Logger(nil))
		if err != nil {
			t.Fatal(err)
		}
		names, err := NewResilientNames[string](one{}, registry)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := ask(names); n != 1 || err != nil {
			t.Errorf("%s: %d, %v", name, n, err)
		}
		if failures := registry.Snapshot().Breakers[0].Failures; failures != 1 {
			t.Errorf("%s: %d failures", name, failures)
		}
		registry.Close()
	}
}

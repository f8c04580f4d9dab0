package behaviour_test

import (
	"context"
	"errors"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/testdata/scenarios/sealed"
	"github.com/resgen-go/resgen/testdata/scenarios/sealed/meter"
)

type failingMeter struct{ meter.Unimplemented }

func (failingMeter) Meter(context.Context, string) (int, error) { return 0, errDependency }

type failingStore struct{ meter.Sealed[string, int] }

func (failingStore) Get(context.Context, string) (int, error) { return 0, errDependency }

func TestClientsC16ABreakerOfASealedInterfaceOpens(t *testing.T) {
	r := registry(t, `{}`)
	m := wrap(t, sealed.NewResilientMeter, sealed.Meter(failingMeter{}), r)
	s := wrap(t, sealed.NewResilientStore[string, int], sealed.Store[string, int](failingStore{}), r)
	for range 3 {
		_, ofMeter := m.Meter(t.Context(), "calls")
		_, ofStore := s.Get(t.Context(), "key")
		if ofMeter != errDependency || ofStore != errDependency {
			t.Errorf("%v, %v", ofMeter, ofStore)
		}
	}
	_, ofMeter := m.Meter(t.Context(), "calls")
	_, ofStore := s.Get(t.Context(), "key")
	if !errors.Is(ofMeter, resilience.ErrOpen) || !errors.Is(ofStore, resilience.ErrOpen) {
		t.Errorf("%v, %v", ofMeter, ofStore)
	}
	var _ meter.Meter = m
	if got := meter.Seal[string, int](s, "key"); got != 0 {
		t.Errorf("the method that only package meter can call gives %d", got)
	}
}

func TestClientsC16AWrapperAroundASealedOneIsFound(t *testing.T) {
	r := registry(t, `{}`)
	once := wrap(t, sealed.NewResilientMeter, sealed.Meter(failingMeter{}), r)
	if _, err := sealed.NewResilientMeter(once, r); err == nil {
		t.Error("a wrapper is wrapped once more")
	}
}

package resilience_test

import (
	"context"
	"testing"
	"testing/synctest"

	resilience "github.com/resgen-go/resgen/runtime"
)

func TestAnObserverComesLaterAndGoesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, opens)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "b"})
		seen := 0
		stop := registry.Observe(resilience.ObserverFunc(func(e resilience.Event) {
			if _, ok := e.(resilience.Transition); !ok {
				t.Errorf("saw a %T", e)
			}
			seen++
		}))
		do(context.Background(), guard, returns(errDown))
		do(context.Background(), guard, returns(nil)) // a refusal, which is not rare
		synctest.Wait()
		if seen != 1 {
			t.Errorf("%d events before stop, want 1", seen)
		}
		stop()
		handle(t, registry, "b").Reset("ann")
		synctest.Wait()
		if seen != 1 {
			t.Errorf("%d events after stop, want none more", seen)
		}
	})
}

func TestDoneIsClosedWhenEveryEventIsDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, opens)
		seen := 0
		registry.Observe(resilience.ObserverFunc(func(resilience.Event) { seen++ }))
		handle(t, registry, "b").Trip("ann")
		select {
		case <-registry.Done():
			t.Error("done before Close")
		default:
		}
		registry.Close()
		<-registry.Done()
		if seen != 1 {
			t.Errorf("%d events when it was done, want 1", seen)
		}
	})
}

func TestPanicsOfAnObserverThatCameLaterAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, opens)
		registry.Observe(resilience.ObserverFunc(func(resilience.Event) { panic("mine") }))
		handle(t, registry, "b").Trip("ann")
		synctest.Wait()
		if got := registry.Snapshot().Events.Panics; got != 1 {
			t.Errorf("%d panics counted, want 1", got)
		}
	})
}

func TestOfNoRegistryNobodySeesAnything(t *testing.T) {
	var none *resilience.Registry
	none.Observe(resilience.ObserverFunc(func(resilience.Event) {}))()
	if none.Done() != nil {
		t.Error("a registry that was not made is done")
	}
}

package redis

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// defaults is a settings file that says nothing but what it has to.
func defaults(address string) string {
	return `{"breakers": {"default": {"shared": true}}, "sharedState": {"service": "shop", "address": "` + address + `"}}`
}

// traffic makes each process call so many times a second, until stop. fails says
// which calls of which process fail.
func traffic(all []*process, perSecond int, fails func(process int) bool) (failed *atomic.Int64, stop func()) {
	failed = new(atomic.Int64)
	end := make(chan struct{})
	var running sync.WaitGroup
	for i, p := range all {
		running.Go(func() {
			time.Sleep(time.Duration(i) * time.Second / time.Duration(perSecond*len(all)))
			for tick := time.NewTicker(time.Second / time.Duration(perSecond)); ; {
				select {
				case <-end:
					tick.Stop()
					return
				case <-tick.C:
				}
				var result error
				if fails(i) {
					result = errDown
				}
				if p.call(result) == errDown {
					failed.Add(1)
				}
			}
		})
	}
	return failed, sync.OnceFunc(func() {
		close(end)
		running.Wait()
	})
}

func TestFleetS01SuddenDeath(t *testing.T) {
	s := startServer(t)
	all := startProcesses(t, 60, defaults(s.address))
	var dead atomic.Bool
	failed, stop := traffic(all, 10, func(int) bool { return dead.Load() })
	defer stop()
	time.Sleep(2 * time.Second)
	dead.Store(true)
	began := time.Now()
	inAll(t, all, "held", (*process).held)
	took := time.Since(began)
	time.Sleep(100 * time.Millisecond)
	t.Logf("held everywhere after %v, %d failed calls", took, failed.Load())
	if took > 1500*time.Millisecond || failed.Load() > 200 {
		t.Errorf("held everywhere after %v, %d failed calls; want 1.5s and 200 at most", took, failed.Load())
	}
	if b := all[0].registry.Snapshot().Breakers[0]; b.RetryAt.IsZero() {
		t.Errorf("the snapshot does not know when trials begin: %+v", b)
	}
	_ = resilience.Open
}

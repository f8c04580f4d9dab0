package redis

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// The token is kept for trials that are slow, as long as the breaker waits for
// them, and passes on where they hang.
func TestFieldF01TokenIsKeptForTrialsThatTakeTheirTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, strategy := new(settings), new(breaker.Static)
		setting.Defaults(s)
		setting.Defaults(strategy)
		strategy.MaxHalfOpenDuration = 2 * time.Minute
		m := &member{core: breaker.New("b", strategy.Strategy(), breaker.Hooks{})}
		m.core.Hold(1, "an outage")
		m.core.Try(1, "the token is here")
		m.progress = trialProgress{at: time.Now()}
		if _, admitted := m.core.Admit(); !admitted {
			t.Fatal("the trial is refused")
		}
		m.stalled(time.Now(), s)
		for waited := time.Duration(0); waited <= 3*time.Minute; waited += 10 * time.Second {
			if got, want := m.stalled(time.Now(), s), waited >= 2*time.Minute; got != want {
				t.Errorf("%v after the trial began: stalled is %t", waited, got)
			}
			time.Sleep(10 * time.Second)
		}
	})
}

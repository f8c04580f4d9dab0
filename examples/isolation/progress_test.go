package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

func TestCountdownShowsWhatIsLeftAndGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer
		line := newCountdown(&screen, 3*time.Second)
		line.show("first")
		time.Sleep(1500 * time.Millisecond)
		line.clear()
		line.show("second")
		synctest.Wait()
		line.clear()
		line.clear()
		want := "\r\x1b[Kfirst; 3s left\r\x1b[Kfirst; 2s left\r\x1b[K\r\x1b[Ksecond; 2s left\r\x1b[K"
		if got := screen.String(); got != want {
			t.Errorf("the screen got %q, want %q", got, want)
		}
	})
}

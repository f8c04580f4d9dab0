package main

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// watched is a progress as it is on a terminal.
func watched(out *strings.Builder) *progress {
	p := newProgress(out)
	p.timer = time.AfterFunc(patience, p.show)
	return p
}

func TestALongRunShowsHowFarItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		p := watched(&out)
		time.Sleep(patience)
		synctest.Wait()
		p.done(1, 2)
		p.end()
		const line = "\r\x1b[K"
		if want := line + "resgen: loading packages" + line + "resgen: 1 of 2 packages" + line; out.String() != want {
			t.Errorf("got %q, want %q", out.String(), want)
		}
	})
}

func TestAShortRunShowsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		p := watched(&out)
		time.Sleep(patience / 2)
		p.done(1, 1)
		p.end()
		time.Sleep(2 * patience)
		if out.String() != "" {
			t.Errorf("got %q", out.String())
		}
	})
}

func TestWhatIsNoTerminalShowsNothing(t *testing.T) {
	if terminal(new(strings.Builder)) {
		t.Error("a buffer passes for a terminal")
	}
}

// A terminal is a device, and so is the one that swallows all.
func TestATerminalIsShownWhatTakesLong(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	p := newProgress(device)
	defer p.end()
	if p.timer == nil {
		t.Error("it will never be shown")
	}
}

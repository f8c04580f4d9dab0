package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// terminal is the file if a person looks at it; else what is written is
// dropped.
func terminal(file *os.File) io.Writer {
	if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		return file
	}
	return io.Discard
}

// countdown shows what is being measured, and how long everything will still
// take, on a line that it overwrites.
type countdown struct {
	out  io.Writer
	ends time.Time
	hide func() // the line that is shown
}

func newCountdown(out io.Writer, takes time.Duration) *countdown {
	return &countdown{out: out, ends: time.Now().Add(takes), hide: func() {}}
}

// show shows a line until clear.
func (c *countdown) show(what string) {
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			left := max(0, time.Until(c.ends)).Round(time.Second)
			fmt.Fprintf(c.out, "\r\x1b[K%s; %v left", what, left)
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	c.hide = func() { close(done); running.Wait(); fmt.Fprint(c.out, "\r\x1b[K") }
}

// clear takes the line away, if there is one.
func (c *countdown) clear() {
	c.hide()
	c.hide = func() {}
}

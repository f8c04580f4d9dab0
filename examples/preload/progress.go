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

// countdown shows, on a line that it overwrites, how long something will still
// take. Stop clears the line.
func countdown(w io.Writer, what string, takes time.Duration) (stop func()) {
	const clear = "\r\x1b[K"
	ends := time.Now().Add(takes)
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			left := max(0, time.Until(ends)).Round(time.Second)
			fmt.Fprintf(w, "%s%s: %v left", clear, what, left)
			select {
			case <-done:
				fmt.Fprint(w, clear)
				return
			case <-tick.C:
			}
		}
	})
	return func() { close(done); running.Wait() }
}

package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/resgen-go/resgen/internal/words"
)

// patience is how long a run may take before it says what it is doing.
const patience = time.Second

// progress shows on a terminal how far a long run has come, on a line that is
// gone at the end.
type progress struct {
	w     io.Writer
	timer *time.Timer

	mu    sync.Mutex
	text  string
	shown bool
	ended bool
}

// newProgress shows nothing if w is no terminal.
func newProgress(w io.Writer) *progress {
	p := &progress{w: w, text: "loading packages"}
	if terminal(w) {
		p.timer = time.AfterFunc(patience, p.show)
	}
	return p
}

func terminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// show begins to show, unless the run has just ended.
func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown = !p.ended
	p.print()
}

func (p *progress) done(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = fmt.Sprintf("%d of %s", done, words.Count(total, "package"))
	p.print()
}

func (p *progress) print() {
	if p.shown {
		fmt.Fprintf(p.w, "\r\x1b[Kresgen: %s", p.text)
	}
}

// end takes the line away.
func (p *progress) end() {
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.shown, p.ended = false, true
}

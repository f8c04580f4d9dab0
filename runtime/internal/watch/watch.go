// Package watch tells that the content behind a path has changed, in whatever way files really change: written in place,
// renamed over, a symbolic link on the way swapped (so are Kubernetes ConfigMaps), deleted and created, in a folder that
// appears later.
//
// Events of the file system make it quick, but nothing depends on them: where there are none it polls, and a slow poll
// finds what events missed. It compares contents, so a touch is no change. Reading the file, and what to do about half a
// file, is left to the caller.
package watch

import (
	"maps"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// File calls changed after the content behind path has changed, became readable or stopped being so. Path need not exist.
// The calls come from one goroutine. A burst of writes is one call, and a burst without end one for each longestBurst.
//
// Only what happens after File returns is told, so read the file then and not before. stop ends the watching and returns
// when no call runs any more; call it from anywhere but changed.
func File(path string, changed func()) (stop func(), err error) {
	return start(path, changed, standard)
}

// pace says how quick a watcher is.
type pace struct {
	quiet        time.Duration // without another event, until the content is looked at
	longestBurst time.Duration // of events, after which it is looked at anyway
	net          time.Duration // between looks when events should tell all
	poll         time.Duration // between looks when they don't
	noEvents     bool          // as on a system that has none
}

// standard has a network file system in mind too, which tells nothing of changes made elsewhere.
var standard = pace{
	quiet:        50 * time.Millisecond,
	longestBurst: 250 * time.Millisecond,
	net:          2 * time.Second,
	poll:         500 * time.Millisecond,
}

type watcher struct {
	pace
	path    string // absolute
	changed func()
	seen    fingerprint
	events  *fsnotify.Watcher // nil where there are none
	steps   map[string]bool   // paths whose creation, renaming or removal may lead to another content
	folders map[string]bool   // those they are in
	blind   bool              // some folder can't be watched
	stop    chan struct{}
	done    chan struct{}
}

func start(path string, changed func(), p pace) (stop func(), err error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	w := &watcher{pace: p, path: absolute, changed: changed, stop: make(chan struct{}), done: make(chan struct{})}
	if !p.noEvents {
		w.events, _ = fsnotify.NewWatcher() // without one it polls
	}
	w.follow()
	w.seen = fingerprintOf(w.path)
	go w.run()
	return sync.OnceFunc(func() {
		close(w.stop)
		<-w.done
	}), nil
}

func (w *watcher) run() {
	defer close(w.done)
	var events <-chan fsnotify.Event
	var failures <-chan error
	if w.events != nil {
		defer w.events.Close()
		events, failures = w.events.Events, w.events.Errors
	}
	var burst burst
	poll := time.NewTimer(w.interval())
	defer poll.Stop()
	for {
		select {
		case <-w.stop:
			return
		case e := <-events:
			if w.matters(e) {
				burst.extend(w.pace)
			}
		case <-failures: // the queue of events ran over, for one
			burst.extend(w.pace)
		case <-burst.over:
			burst.over = nil
			w.follow()
			w.look()
			poll.Reset(w.interval())
		case <-poll.C:
			if w.look() || w.blind { // events missed something
				w.follow()
				w.look()
			}
			poll.Reset(w.interval())
		}
	}
}

// burst is a row of events that belong together.
type burst struct {
	began time.Time
	over  <-chan time.Time // nil: no event came
}

func (b *burst) extend(p pace) {
	now := time.Now()
	if b.over == nil {
		b.began = now
	}
	b.over = time.After(min(p.quiet, p.longestBurst-now.Sub(b.began)))
}

// interval is the time until the next look without an event.
func (w *watcher) interval() time.Duration {
	if w.events == nil || w.blind {
		return w.poll
	}
	return w.net
}

// matters reports whether an event may have to do with the file. One about a folder says that it went away.
func (w *watcher) matters(e fsnotify.Event) bool { return w.steps[e.Name] || w.folders[e.Name] }

// look calls changed if the content is another one than at the last look.
func (w *watcher) look() bool {
	now := fingerprintOf(w.path)
	if now == w.seen {
		return false
	}
	w.seen = now
	w.changed()
	return true
}

// follow watches the folders that lead to the content now, all of them anew, for another one may have taken the place of
// a watched one. What appears between the search and the watching would be missed, so it searches until nothing moves.
func (w *watcher) follow() {
	if w.events == nil {
		return
	}
	for range 10 {
		w.steps = stepsTo(w.path)
		w.folders = foldersOf(w.steps)
		w.watch()
		if maps.Equal(w.steps, stepsTo(w.path)) {
			return
		}
	}
	w.blind = true
}

func (w *watcher) watch() {
	for _, old := range w.events.WatchList() {
		_ = w.events.Remove(old) // it may be gone with its folder
	}
	w.blind = false
	for folder := range w.folders {
		if err := w.events.Add(folder); err != nil {
			w.blind = true
		}
	}
}

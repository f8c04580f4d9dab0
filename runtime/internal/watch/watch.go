// Package watch reads a file again and again, and tells when it holds something
// else than was read last, in whatever way files really change: written in
// place, renamed over, a symbolic link on the way swapped (so are Kubernetes
// ConfigMaps), deleted and created, in a folder that appears later.
//
// Events of the file system make it quick, but nothing depends on them, as it
// polls too. What is compared are the contents that were read, not what was
// seen before reading: so no change falls between the two, and a touch is no
// change. What to do about half a file is left to the caller.
package watch

import (
	"maps"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/resgen-go/resgen/runtime/internal/bounded"
)

// File is a file that is read and followed. It need not exist.
type File struct {
	place place
	read  func(path string) ([]byte, error)

	mu   sync.Mutex
	last *content // what Read returned last; nil before
}

// content is what a reading brought.
type content struct{ text, fault string }

func contentOf(text []byte, err error) content {
	if err != nil {
		return content{fault: err.Error()}
	}
	return content{text: string(text)}
}

// New is the file at path, which read reads. A relative path begins in the
// present working folder for good.
func New(path string, read func(path string) ([]byte, error)) *File {
	return &File{place: newPlace(path), read: read}
}

// Read reads the file.
func (f *File) Read() ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, err := f.read(f.place.path())
	last := contentOf(text, err)
	f.last = &last
	return text, err
}

// differs reports whether the file holds something else than what Read returned
// last.
func (f *File) differs() bool {
	now := contentOf(f.read(f.place.path()))
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last != nil && now != *f.last
}

// Follow calls changed, which should Read, when the file holds something else
// than Read returned last, became readable or stopped being so. The calls come
// from one goroutine. A burst of writes is one call, and a burst without end
// one for each longestBurst. Nothing is told before the first Read.
//
// stop ends the following and returns when no call runs any more; call it from
// anywhere but changed.
func (f *File) Follow(changed func()) (stop func()) { return f.follow(changed, standard) }

// pace says how quick a watcher is.
type pace struct {
	quiet        time.Duration // without another event, until the file is read
	longestBurst time.Duration // of events, after which it is read anyway
	poll         time.Duration // between looks without an event
	noEvents     bool          // as on a system that has none
}

// standard finds within a second what no event tells of: writes over a network,
// through a mount or another hard link, and a folder further up that gives way
// to another one. To read a small file twice a second costs nothing one could
// measure.
var standard = pace{
	quiet:        50 * time.Millisecond,
	longestBurst: 250 * time.Millisecond,
	poll:         500 * time.Millisecond,
}

type watcher struct {
	pace
	file    *File
	changed func()
	events  *fsnotify.Watcher // nil where there are none
	steps   map[string]bool   // paths whose creation, renaming or removal may lead to another content
	folders map[string]bool   // those they are in
	stop    chan struct{}
	done    chan struct{}
}

func (f *File) follow(changed func(), p pace) (stop func()) {
	var events *fsnotify.Watcher
	if !p.noEvents {
		events, _ = fsnotify.NewWatcher() // without one it polls
	}
	return f.followBy(events, changed, p)
}

func (f *File) followBy(events *fsnotify.Watcher, changed func(), p pace) (stop func()) {
	w := &watcher{pace: p, file: f, changed: changed, events: events, stop: make(chan struct{}), done: make(chan struct{})}
	w.search()
	go w.run()
	return sync.OnceFunc(func() {
		close(w.stop)
		<-w.done
	})
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
	poll := time.NewTicker(w.poll)
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
		case <-poll.C:
			if w.file.differs() {
				burst.extend(w.pace)
			}
		case <-burst.over:
			burst.over = nil
			w.search()
			if w.file.differs() {
				w.changed()
			}
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

// matters reports whether an event may have to do with the file. One about a
// folder says that it went away.
func (w *watcher) matters(e fsnotify.Event) bool { return w.steps[e.Name] || w.folders[e.Name] }

// search finds the folders that lead to the content now and watches them, all
// anew, for another one may have taken the place of a watched one. What appears
// between the search and the watching would be missed, so it searches until
// nothing moves, or leaves the rest to the polls.
func (w *watcher) search() {
	if w.events == nil {
		return
	}
	for range 10 {
		w.steps = w.stepsNow()
		w.folders = foldersOf(w.steps)
		w.watch()
		if maps.Equal(w.steps, w.stepsNow()) {
			return
		}
	}
}

// stepsNow are none where the way to the file leads over a folder that does not
// answer.
func (w *watcher) stepsNow() map[string]bool {
	path := w.file.place.rooted
	steps, _ := bounded.Do("steps "+path, bounded.Longest, func() (map[string]bool, error) { return stepsTo(path), nil })
	return steps
}

// watch asks for the events of the folders. Where that is refused, polling has
// to do.
func (w *watcher) watch() {
	for _, old := range w.events.WatchList() {
		_ = w.events.Remove(old) // it may be gone with its folder
	}
	for folder := range w.folders {
		_ = w.events.Add(folder)
	}
}

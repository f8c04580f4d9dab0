package watch

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// deadline is generous: it ends only tests that fail.
const deadline = 20 * time.Second

// scene is a folder with a file that is followed.
type scene struct {
	t     *testing.T
	dir   string
	path  string
	file  *File
	calls atomic.Int64
	seen  chan string // content at each call
	stop  func()
}

// watched prepares a folder, then reads and follows the file resilience.json in
// it.
func watched(t *testing.T, p pace, prepare func(s *scene)) *scene {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t, dir: dir, path: filepath.Join(dir, "resilience.json"), seen: make(chan string, 10_000)}
	prepare(s)
	s.file = New(s.path, os.ReadFile)
	s.content()
	s.stop = s.file.follow(func() {
		s.calls.Add(1)
		s.seen <- s.content()
	}, p)
	t.Cleanup(s.stop)
	return s
}

// content is what a reading of the file brings, or "gone".
func (s *scene) content() string {
	data, err := s.file.Read()
	if errors.Is(err, os.ErrNotExist) {
		return "gone"
	}
	return string(data)
}

// expect waits until a call sees a content. Calls that see something else on
// the way are fine.
func (s *scene) expect(content string) {
	s.t.Helper()
	timeout := time.After(deadline)
	last := "none"
	for {
		select {
		case last = <-s.seen:
			if last == content {
				return
			}
		case <-timeout:
			s.t.Fatalf("no call saw %q; the last saw %q", content, last)
		}
	}
}

func (s *scene) at(name string) string { return filepath.Join(s.dir, name) }

func (s *scene) write(name, content string) {
	s.must(os.WriteFile(s.at(name), []byte(content), 0o600))
}

func (s *scene) rename(from, to string) { s.must(os.Rename(s.at(from), s.at(to))) }
func (s *scene) mkdir(name string)      { s.must(os.MkdirAll(s.at(name), 0o700)) }
func (s *scene) remove(name string)     { s.must(os.RemoveAll(s.at(name))) }
func (s *scene) link(to, name string)   { s.must(os.Symlink(to, s.at(name))) }

func (s *scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// paces are two ways to see the same: by events alone, and by polling alone.
var paces = map[string]pace{
	"events":  {quiet: time.Millisecond, longestBurst: 20 * time.Millisecond, poll: time.Hour},
	"polling": {poll: time.Millisecond, noEvents: true},
}

func TestARelativePathIsTakenAsGivenWhereOneStillStands(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newPlace("r.json")
	if got := p.path(); got != "r.json" {
		t.Errorf("it is read as %s, which may be forbidden", got)
	}
	t.Chdir(t.TempDir())
	if got := p.path(); got != p.rooted || !filepath.IsAbs(got) {
		t.Errorf("from another folder it is read as %s", got)
	}
}

func TestEveryWayInWhichAFileChangesIsSeen(t *testing.T) {
	file := func(s *scene) { s.write("resilience.json", "1") }
	configMap := func(s *scene) {
		s.mkdir("..1")
		s.write("..1/resilience.json", "1")
		s.link("..1", "..data")
		s.link("..data/resilience.json", "resilience.json")
	}
	below := func(s *scene) { s.path = s.at("etc/shop/resilience.json") }
	tests := []struct {
		name    string
		prepare func(s *scene)
		change  func(s *scene)
	}{
		{"written in place", file, func(s *scene) {
			s.write("resilience.json", "2")
			s.expect("2")
			s.write("resilience.json", "3")
			s.expect("3")
		}},
		{"written in place to the same size and time", file, func(s *scene) {
			info, err := os.Stat(s.path)
			s.must(err)
			s.write("resilience.json", "2")
			s.must(os.Chtimes(s.path, info.ModTime(), info.ModTime()))
			s.expect("2")
		}},
		{"half written, then the rest", file, func(s *scene) {
			s.write("resilience.json", "{")
			s.expect("{")
			f, err := os.OpenFile(s.path, os.O_APPEND|os.O_WRONLY, 0)
			s.must(err)
			defer f.Close()
			_, err = f.WriteString("}")
			s.must(err)
			s.expect("{}")
		}},
		{"renamed over, more than once", file, func(s *scene) {
			for i := range 3 {
				content := strconv.Itoa(2 + i)
				s.write(".resilience.json.tmp", content)
				s.rename(".resilience.json.tmp", "resilience.json")
				s.expect(content)
			}
		}},
		{"saved by an editor that keeps a backup", file, func(s *scene) {
			s.rename("resilience.json", "resilience.json~")
			s.write("resilience.json", "2")
			s.expect("2")
			s.write("resilience.json", "3")
			s.expect("3")
		}},
		{"deleted and created", file, func(s *scene) {
			s.remove("resilience.json")
			s.expect("gone")
			s.write("resilience.json", "2")
			s.expect("2")
		}},
		{"created where none was", func(s *scene) {}, func(s *scene) {
			s.write("resilience.json", "2")
			s.expect("2")
		}},
		{"a ConfigMap's link swapped, more than once", configMap, func(s *scene) {
			for i := range 3 {
				content := strconv.Itoa(2 + i)
				folder := ".." + content
				s.mkdir(folder)
				s.write(folder+"/resilience.json", content)
				s.link(folder, "..data_tmp")
				s.rename("..data_tmp", "..data")
				s.remove(".." + strconv.Itoa(1+i))
				s.expect(content)
			}
		}},
		{"written behind a link into another folder", func(s *scene) {
			s.mkdir("real")
			s.write("real/file", "1")
			s.link(s.at("real/file"), "resilience.json")
		}, func(s *scene) {
			s.write("real/file", "2")
			s.expect("2")
			s.remove("resilience.json")
			s.link("real/other", "resilience.json")
			s.expect("gone")
			s.write("real/other", "3")
			s.expect("3")
		}},
		{"in a folder that appears later", below, func(s *scene) {
			s.mkdir("etc")
			s.mkdir("etc/shop")
			s.write("etc/shop/resilience.json", "2")
			s.expect("2")
			s.write("etc/shop/resilience.json", "3")
			s.expect("3")
		}},
		{"in a folder that is moved in whole", below, func(s *scene) {
			s.mkdir("new/shop")
			s.write("new/shop/resilience.json", "2")
			s.rename("new", "etc")
			s.expect("2")
		}},
		{"in a folder that is deleted and appears again", func(s *scene) {
			below(s)
			s.mkdir("etc/shop")
			s.write("etc/shop/resilience.json", "1")
		}, func(s *scene) {
			s.remove("etc")
			s.expect("gone")
			s.mkdir("etc/shop")
			s.write("etc/shop/resilience.json", "2")
			s.expect("2")
			s.write("etc/shop/resilience.json", "3")
			s.expect("3")
		}},
		{"in a folder that gives way to another one", func(s *scene) {
			below(s)
			s.mkdir("etc/shop")
			s.write("etc/shop/resilience.json", "1")
		}, func(s *scene) {
			s.mkdir("etc/new")
			s.write("etc/new/resilience.json", "2")
			s.rename("etc/shop", "etc/old")
			s.rename("etc/new", "etc/shop")
			s.expect("2")
			s.write("etc/shop/resilience.json", "3")
			s.expect("3")
		}},
		{"made unreadable by a folder of that name", file, func(s *scene) {
			s.remove("resilience.json")
			s.mkdir("resilience.json")
			s.expect("")
			s.remove("resilience.json")
			s.write("resilience.json", "2")
			s.expect("2")
		}},
	}
	for by, p := range paces {
		for _, test := range tests {
			t.Run(test.name+", seen by "+by, func(t *testing.T) {
				t.Parallel()
				test.change(watched(t, p, test.prepare))
			})
		}
	}
}

func TestWhatEventsMissIsFoundByPolling(t *testing.T) {
	p := pace{quiet: time.Millisecond, longestBurst: time.Millisecond, poll: 10 * time.Millisecond}
	s := watched(t, p, func(s *scene) {
		s.path = s.at("a/b/resilience.json")
		s.mkdir("a/b")
		s.write("a/b/resilience.json", "1")
		s.mkdir("new/b")
		s.write("new/b/resilience.json", "2")
	})
	s.rename("a", "old") // only the folder two above the file tells of this, and it is not watched
	s.rename("new", "a")
	s.expect("2")
	s.write("a/b/resilience.json", "3")
	s.expect("3")
}

func TestWhatEventsMissIsInForceWithinASecond(t *testing.T) {
	if longest := standard.poll + standard.quiet; longest >= time.Second {
		t.Errorf("a change without an event is seen after up to %v", longest)
	}
	tests := []struct {
		name    string
		prepare func(s *scene)
		change  func(s *scene)
	}{
		{"a folder further up gives way to another one", func(s *scene) {
			s.path = s.at("a/b/resilience.json")
			s.mkdir("a/b")
			s.write("a/b/resilience.json", "1")
			s.mkdir("new/b")
			s.write("new/b/resilience.json", "2")
		}, func(s *scene) {
			s.rename("a", "old")
			s.rename("new", "a")
		}},
		{"written through a hard link in another folder", func(s *scene) {
			s.mkdir("far")
			s.write("far/file", "1")
			s.must(os.Link(s.at("far/file"), s.path))
		}, func(s *scene) { s.write("far/file", "2") }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := watched(t, standard, test.prepare)
			test.change(s)
			s.expect("2")
		})
	}
}

// A reading may bring what no look saw: half of a file that a look saw whole
// before and sees whole after it.
func TestNoChangeFallsBetweenALookAndAReading(t *testing.T) {
	for by, p := range paces {
		t.Run(by, func(t *testing.T) {
			s := &scene{t: t, dir: t.TempDir(), seen: make(chan string, 10)}
			s.path = s.at("resilience.json")
			s.write("resilience.json", "A")
			s.file = New(s.path, os.ReadFile)
			s.content()
			truncated := false
			t.Cleanup(s.file.follow(func() {
				if truncated {
					s.seen <- s.content()
					return
				}
				truncated = true
				s.write("resilience.json", "")
				s.content()
				s.write("resilience.json", "B")
			}, p))
			s.write("resilience.json", "B")
			s.expect("B")
		})
	}
}

func TestNoChangeFallsBetweenTheBeginAndTheFirstReading(t *testing.T) {
	for by, p := range paces {
		t.Run(by, func(t *testing.T) {
			s := &scene{t: t, dir: t.TempDir(), seen: make(chan string, 10)}
			s.path = s.at("resilience.json")
			s.write("resilience.json", "1")
			s.file = New(s.path, os.ReadFile)
			t.Cleanup(s.file.follow(func() { s.seen <- s.content() }, p))
			s.write("resilience.json", "")
			time.Sleep(20 * time.Millisecond)
			if len(s.seen) > 0 {
				t.Error("a call came before the first reading")
			}
			s.content()
			s.write("resilience.json", "1")
			s.expect("1")
		})
	}
}

func TestARelativePathBeginsInTheFolderOfTheStart(t *testing.T) {
	s := &scene{t: t, dir: t.TempDir(), seen: make(chan string, 10)}
	t.Chdir(s.dir)
	s.mkdir("real/inner")
	s.link("real/inner", "link")
	s.write("resilience.json", "wrong: cleaned of link/..")
	s.write("real/resilience.json", "1")
	s.file = New("link/../resilience.json", os.ReadFile)
	t.Chdir(t.TempDir())
	if got := s.content(); got != "1" {
		t.Fatalf("read %q", got)
	}
	t.Cleanup(s.file.follow(func() { s.seen <- s.content() }, paces["events"]))
	s.write("real/resilience.json", "2")
	s.expect("2")
}

func TestABurstOfWritesIsAFewCalls(t *testing.T) {
	p := standard
	p.poll = time.Hour
	s := watched(t, p, func(s *scene) { s.write("resilience.json", "0") })
	began := time.Now()
	for i := range 200 {
		s.write("resilience.json", strconv.Itoa(i+1))
	}
	s.expect("200")
	calls, took := s.calls.Load(), time.Since(began)
	if most := int64(took / p.quiet); calls > most { // each waits for its own pause
		t.Errorf("%d calls in %v, want at most %d", calls, took, most)
	}
}

func TestABurstWithoutEndIsSeenAllTheSame(t *testing.T) {
	p := pace{quiet: time.Hour, longestBurst: 10 * time.Millisecond, poll: time.Hour}
	s := watched(t, p, func(s *scene) { s.write("resilience.json", "0") })
	s.write("resilience.json", "1")
	s.expect("1")
}

func TestATouchIsNoChange(t *testing.T) {
	for by, p := range paces {
		t.Run(by, func(t *testing.T) {
			s := watched(t, p, func(s *scene) { s.write("resilience.json", "1") })
			later := time.Now().Add(time.Hour)
			s.must(os.Chtimes(s.path, later, later))
			s.write("same", "1")
			s.rename("same", "resilience.json")
			s.write("other", "2")
			s.rename("other", "resilience.json")
			select {
			case first := <-s.seen:
				if first != "2" {
					t.Errorf("the first call saw %q, which is no change", first)
				}
			case <-time.After(deadline):
				t.Fatal("no call saw the change")
			}
			time.Sleep(20 * time.Millisecond)
			if len(s.seen) > 0 {
				t.Errorf("a further call saw %q", <-s.seen)
			}
		})
	}
}

// Where the queue of events runs over, nobody knows what was lost.
func TestAFailureOfTheEventsIsReasonToLook(t *testing.T) {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		t.Skip(err)
	}
	var text atomic.Value
	text.Store("1")
	file := New(filepath.Join(t.TempDir(), "r.json"), func(string) ([]byte, error) { return []byte(text.Load().(string)), nil })
	if _, err := file.Read(); err != nil {
		t.Fatal(err)
	}
	calls := make(chan struct{}, 10)
	stop := file.followBy(events, func() { calls <- struct{}{} }, paces["events"])
	defer stop()
	text.Store("2")
	for range 3 { // each is taken
		select {
		case events.Errors <- fsnotify.ErrEventOverflow:
		case <-time.After(deadline):
			t.Fatal("nobody takes the failures")
		}
	}
	select {
	case <-calls:
	case <-time.After(deadline):
		t.Error("the change that was lost is not seen")
	}
}

func TestOneFaultInPlaceOfAnotherIsAChange(t *testing.T) {
	var fault atomic.Pointer[error]
	set := func(text string) {
		err := errors.New(text)
		fault.Store(&err)
	}
	set("forbidden")
	file := New("r.json", func(string) ([]byte, error) { return nil, *fault.Load() })
	_, _ = file.Read()
	seen := make(chan string, 10)
	stop := file.follow(func() {
		_, err := file.Read()
		seen <- err.Error()
	}, paces["polling"])
	defer stop()
	set("gone")
	select {
	case got := <-seen:
		if got != "gone" {
			t.Errorf("the call saw %q", got)
		}
	case <-time.After(deadline):
		t.Error("no call tells that it is gone")
	}
}

func TestOtherFilesInTheFolderDoNotMatter(t *testing.T) {
	w := &watcher{steps: map[string]bool{"/etc/a": true}, folders: map[string]bool{"/etc": true}}
	for name, want := range map[string]bool{"/etc/a": true, "/etc": true, "/etc/b": false, "/etc/a.tmp": false} {
		if got := w.matters(fsnotify.Event{Name: name, Op: fsnotify.Write}); got != want {
			t.Errorf("an event about %s matters: %t, want %t", name, got, want)
		}
	}
}

func TestStopLeavesNoGoroutineAndNoCall(t *testing.T) {
	for by, p := range paces {
		t.Run(by, func(t *testing.T) {
			s := watched(t, p, func(s *scene) { s.write("resilience.json", "1") })
			s.write("resilience.json", "2")
			s.expect("2")
			s.stop()
			s.stop() // a second time changes nothing
			s.write("resilience.json", "3")
			waitForNone(t, "internal/watch.(*watcher)")
			waitForNone(t, "fsnotify.(*")
			if len(s.seen) > 0 {
				t.Errorf("a call after stop saw %q", <-s.seen)
			}
		})
	}
}

// waitForNone waits until no goroutine runs a function.
func waitForNone(t *testing.T, function string) {
	t.Helper()
	buffer := make([]byte, 1<<20)
	for end := time.Now().Add(deadline); time.Now().Before(end); runtime.Gosched() {
		if stacks := string(buffer[:runtime.Stack(buffer, true)]); !strings.Contains(stacks, function) {
			return
		}
	}
	t.Errorf("a goroutine still runs %s", function)
}

func TestTheEndOfAPathIsFoundOverEveryLink(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t, dir: dir}
	s.mkdir("real/inner")
	s.write("real/file", "")
	s.link("../real/inner/..", "real/inner/around")
	s.link("real", "folder")
	s.link("loop", "loop")
	tests := []struct {
		path string
		want []string
	}{
		{"real/file", []string{"real/file"}},
		{"folder/file", []string{"folder", "real/file"}},
		{"folder/inner/around/file", []string{"folder", "real/inner/around", "real/real"}},
		{"absent/below/file", []string{"absent"}},
		{"folder/../file", []string{"folder", "file"}},
		{"./real//inner/../file", []string{"real/file"}},
		{"real/file/below", []string{"real/file/below"}},
		{"loop", []string{"loop"}},
	}
	for _, test := range tests {
		got := stepsTo(s.dir + "/" + test.path)
		for _, step := range test.want {
			if !got[s.at(step)] {
				t.Errorf("the steps to %s lack %s: %v", test.path, step, got)
			}
		}
		if len(got) != len(test.want) {
			t.Errorf("the steps to %s are %v, want %v", test.path, got, test.want)
		}
	}
}

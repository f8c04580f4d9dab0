// Package bounded waits for what may never answer: a file on a server that is
// gone, a link into a device. Such a system call can't be ended, so it is left
// to itself, and no other is begun of the same sort meanwhile.
package bounded

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Longest is how long anything is waited for.
const Longest = 5 * time.Second

// NoAnswerError says that something did not end in time.
type NoAnswerError struct{ After time.Duration }

// Error is a text such as "no answer for 5s".
func (e *NoAnswerError) Error() string { return fmt.Sprintf("no answer for %v", e.After) }

// Timeout reports true, as errors of the standard library do.
func (e *NoAnswerError) Timeout() bool { return true }

// hanging are the calls that did not end in time, by key, with a channel that
// is closed when they end.
var hanging sync.Map

// Do returns what f does, or a [*NoAnswerError] when it has not ended within
// longest. While one hangs, another with the same key is not begun and has the
// error at once.
func Do[T any](key string, longest time.Duration, f func() (T, error)) (result T, err error) {
	if ended, hangs := hanging.Load(key); hangs {
		select {
		case <-ended.(chan struct{}):
		default:
			return result, &NoAnswerError{longest}
		}
	}
	type answer struct {
		result T
		err    error
	}
	answers, ended := make(chan answer, 1), make(chan struct{})
	go func() {
		defer close(ended)
		result, err := f()
		answers <- answer{result, err}
	}()
	timer := time.NewTimer(longest)
	defer timer.Stop()
	select {
	case a := <-answers:
		return a.result, a.err
	case <-timer.C:
		hanging.Store(key, ended)
		return result, &NoAnswerError{longest}
	}
}

// ReadFile reads no more than most bytes of the file at path. Only a regular
// file will do, because others may never end, and it has to answer within
// [Longest]: the name of a file may lead over links to whatever there is.
func ReadFile(path string, most int64) ([]byte, error) { return readFile(path, most, Longest) }

func readFile(path string, most int64, longest time.Duration) ([]byte, error) {
	text, err := Do("read "+path, longest+longest/5, func() ([]byte, error) { return read(path, most, longest) })
	if _, late := err.(*NoAnswerError); late || errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, &fs.PathError{Op: "read", Path: path, Err: &NoAnswerError{longest}}
	}
	return text, err
}

func read(path string, most int64, longest time.Duration) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		// It is not even opened, which a process at the other end would see.
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// Some files that call themselves regular wait for more to come, such as
	// /proc/kmsg, and so does what took the place of the file just now. Those have
	// deadlines; a true file has none, and needs none.
	_ = f.SetReadDeadline(time.Now().Add(longest))
	return io.ReadAll(io.LimitReader(f, most))
}

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package generator

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// hold keeps sweeps from a file, until it is released or this process ends. It
// fails with [fs.ErrNotExist] if a sweep was faster.
func hold(path string) (release func(), err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	err = lock(file)
	if errors.Is(err, syscall.EWOULDBLOCK) || gone(file) {
		file.Close()
		return nil, fs.ErrNotExist
	}
	return func() { file.Close() }, nil // where there are no locks, no sweep gets one either
}

// removeAbandoned removes a file that nobody holds.
func removeAbandoned(path string) {
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer file.Close()
	if lock(file) == nil {
		os.Remove(path)
	}
}

func lock(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// gone reports whether an open file has lost its name.
func gone(file *os.File) bool {
	open, err := file.Stat()
	if err != nil {
		return true
	}
	named, err := os.Stat(file.Name())
	return err != nil || !os.SameFile(open, named)
}

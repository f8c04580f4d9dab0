//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package generator

import (
	"os"
	"time"
)

// hold keeps sweeps from a file by its age alone.
func hold(string) (release func(), err error) { return func() {}, nil }

// removeAbandoned removes a file that no run can still be at work on.
func removeAbandoned(path string) {
	if olderThan(path, time.Hour) {
		os.Remove(path)
	}
}

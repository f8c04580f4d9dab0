//go:build unix

package config

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, "/dev/zero", t.TempDir()} {
		ended := make(chan error, 1)
		go func() {
			_, err := ReadFile(path)
			ended <- err
		}()
		select {
		case err := <-ended:
			if want := "read " + path + ": not a regular file"; err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("the reading of %s does not end", path)
		}
	}
}

//go:build unix

package resilience_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/settingsfile"
)

// A pipe that nobody writes to holds up everybody who opens or reads it.
func TestFieldF24SettingsThatNeverAnswerAreAnError(t *testing.T) {
	dir := t.TempDir()
	path, pipe := filepath.Join(dir, "settings.json"), filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	lead(t, path, pipe)
	want := "can't read the settings: read " + path + ": not a regular file"
	for name, option := range map[string]resilience.Option{"File": resilience.File(path), "Watch": resilience.Watch(path)} {
		if _, err := resilience.New(option, resilience.Logger(nil)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", name, err, want)
		}
	}
	if _, err := settingsfile.Load(path); err == nil || !strings.HasPrefix(err.Error(), "read "+path) {
		t.Errorf("LoadSettings: %v", err)
	}
}

func TestFieldF24AWatchedFileThatBecomesAPipeIsReportedAndFollowed(t *testing.T) {
	dir := t.TempDir()
	path, file, pipe := filepath.Join(dir, "settings.json"), filepath.Join(dir, "file"), filepath.Join(dir, "pipe")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	lead(t, path, file)
	reloads := make(chan error, 10)
	registry, err := resilience.New(resilience.Watch(path), resilience.Logger(nil), resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
		if reload, ok := e.(resilience.Reloaded); ok {
			reloads <- reload.Err
		}
	})))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	next := func() error {
		select {
		case err := <-reloads:
			return err
		case <-time.After(20 * time.Second):
			t.Fatal("no reload in 20 s")
			return nil
		}
	}
	lead(t, path, pipe)
	if err := next(); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a pipe: %v", err)
	}
	lead(t, path, file)
	if err := next(); err != nil {
		t.Errorf("a file again: %v", err)
	}
}

// lead makes path a link to another one.
func lead(t *testing.T, path, to string) {
	t.Helper()
	if err := os.Symlink(to, path+".new"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

//go:build darwin || freebsd || linux

package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hangingGo puts a go command before the real one that writes its process id to
// a file and then takes for ever.
func hangingGo(t *testing.T) (pid string) {
	t.Helper()
	dir := t.TempDir()
	pid = filepath.Join(dir, "pid")
	write(t, filepath.Join(dir, "go"), "#!/bin/sh\necho $$ >"+pid+".new && mv "+pid+".new "+pid+"\nexec sleep 1000\n")
	if err := os.Chmod(filepath.Join(dir, "go"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return pid
}

func TestFieldG17TheGoCommandEndsWithTheCommand(t *testing.T) {
	for _, args := range [][]string{{"."}, {"config"}, {"-check", "example.test/shop"}} {
		for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
			t.Run(strings.Join(args, " ")+" "+s.String(), func(t *testing.T) {
				if signal.Ignored(s) {
					t.Skip("the tests ignore it, under nohup or in the background of a script, and so does what they start")
				}
				endedBy(t, s, args)
			})
		}
	}
}

func endedBy(t *testing.T, signal os.Signal, args []string) {
	inModule(t, source)
	pidFile := hangingGo(t)
	var stderr strings.Builder
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1", "TMPDIR="+t.TempDir())
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() // it has ended, unless the test fails
	pid := waitForPID(t, pidFile)
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != exitFault {
		t.Errorf("it ended with %v", err)
	}
	if want := "resgen: nothing was written: " + signal.String() + " signal received\n"; stderr.String() != want {
		t.Errorf("it says %q, want %q", &stderr, want)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the go command lives: %v", err)
		syscall.Kill(pid, syscall.SIGKILL)
	}
	if exists("shop_resilience.go") {
		t.Error("there is an output")
	}
}

func waitForPID(t *testing.T, path string) int {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		return pid
	}
	t.Fatal("no go command was started")
	return 0
}

func TestFieldG13WhatAKilledRunLeftGoesWithTheNextOne(t *testing.T) {
	inModule(t, source)
	write(t, ".resgen-123456", "package sh")
	expect(t, 1, "shop_resilience.go: missing\n", outdated, "-check")
	expect(t, 0, "", "")
	if entries := names(t, "."); strings.Join(entries, " ") != "go.mod shop.go shop_resilience.go" {
		t.Errorf("there are %v", entries)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

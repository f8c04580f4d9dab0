//go:build unix

package bounded

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestFieldF24OnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	pipe, socket := filepath.Join(dir, "pipe.json"), filepath.Join(dir, "socket.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for _, path := range []string{pipe, socket, "/dev/zero", "/dev/null", dir} {
		link := filepath.Join(t.TempDir(), "link.json")
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{path, link} {
			ended := make(chan error, 1)
			go func() {
				_, err := ReadFile(path, 1<<20)
				ended <- err
			}()
			select {
			case err := <-ended:
				if want := "read " + path + ": not a regular file"; err == nil || err.Error() != want {
					t.Errorf("error %v, want %s", err, want)
				}
			case <-time.After(Longest - time.Second):
				t.Errorf("the reading of %s does not end", path)
			}
		}
	}
}

// /proc/kmsg calls itself a regular file and waits for messages of the kernel.
func TestFieldF24AFileThatNeverAnswersIsGivenUp(t *testing.T) {
	const kmsg = "/proc/kmsg"
	if f, err := os.Open(kmsg); err != nil {
		t.Skip(err)
	} else {
		f.Close()
	}
	link := filepath.Join(t.TempDir(), "settings.json")
	if err := os.Symlink(kmsg, link); err != nil {
		t.Fatal(err)
	}
	var late *NoAnswerError
	_, err := readFile(link, 1<<30, 100*time.Millisecond)
	if want := "read " + link + ": no answer for 100ms"; !errors.As(err, &late) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	buffer := make([]byte, 1<<20)
	for end := time.Now().Add(Longest); ; runtime.Gosched() {
		if !strings.Contains(string(buffer[:runtime.Stack(buffer, true)]), "bounded.read(") {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the reading goes on in the background")
		}
	}
}

func TestFieldF24APipeIsNotOpened(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	met := make(chan error, 1)
	go func() {
		f, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for a reader
		f.Close()
		met <- err
	}()
	time.Sleep(20 * time.Millisecond)
	if _, err := ReadFile(pipe, 10); err == nil {
		t.Error("a pipe is read")
	}
	select {
	case <-met:
		t.Error("the writer met a reader")
	case <-time.After(50 * time.Millisecond):
		f, err := os.Open(pipe)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		<-met
	}
}

// The pipe stands for what takes the place of the file after it was looked at.
func TestFieldF24WhatTakesThePlaceOfAFileIsNotWaitedForEither(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		f, err := os.OpenFile(pipe, os.O_RDONLY|nonblock, 0)
		f.Close()
		ended <- err
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(Longest):
		t.Error("the opening of a pipe waits for a writer")
	}
}

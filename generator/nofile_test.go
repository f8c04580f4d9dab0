//go:build darwin || freebsd || linux

package generator_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFieldG17WhatIsNoFileIsNamed(t *testing.T) {
	const noFile = "x.go: this is no file, so no Go can be read from it; rename or remove it"
	for name, test := range map[string]struct {
		make func(path string) error
		want string
	}{
		"a pipe":             {func(path string) error { return syscall.Mkfifo(path, 0o644) }, noFile},
		"a socket":           {listen, noFile},
		"a link to a device": {func(path string) error { return os.Symlink(os.DevNull, path) }, noFile},
		"a link to nothing":  {func(path string) error { return os.Symlink("nothing", path) }, "x.go: no such file or directory"},
		"a link to itself":   {func(path string) error { return os.Symlink("x.go", path) }, "x.go: too many levels of symbolic links"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := module(t, bank, "\n-- empty/note.txt --\n")
			mustWrite(t, dir)
			t.Chdir(dir) // the path of a socket must be short
			for _, folder := range []string{"", "empty/"} {
				path := folder + "x.go"
				if err := test.make(path); err != nil {
					t.Fatal(err)
				}
				want := folder + test.want
				expectFault(t, dir, want, "./"+folder)
				expectFault(t, dir, want, "./...")
				remove(t, path)
			}
		})
	}
}

func listen(path string) error {
	socket, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return err
	}
	socket.SetUnlinkOnClose(false)
	return socket.Close()
}

// The go command opens the pipe, and waits for somebody to write to it.
func TestFieldG17APipeInAPackageBelowDoesNotHang(t *testing.T) {
	dir := module(t, bank, "\n-- lib/lib.go --\npackage lib\n\ntype Sum int\n")
	writeFile(t, filepath.Join(dir, "bank.go"), "package bank\n\nimport \"example.test/bank/lib\"\n\n"+
		"//resilience:breaker\ntype Bank interface{ Pay(lib.Sum) error }\n")
	if err := syscall.Mkfifo(filepath.Join(dir, "lib", "pipe.go"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{".", "example.test/..."} {
		expectFault(t, dir, "lib/pipe.go: this is no file, so no Go can be read from it; rename or remove it", pattern)
	}
}

// beforeGo makes every go command run a line of a shell first, in the place of a
// run that goes on beside.
func beforeGo(t *testing.T, line string) {
	t.Helper()
	path, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "go")
	writeFile(t, script, "#!/bin/sh\n"+line+"\nexec "+path+" \"$@\"\n")
	if err := os.Chmod(script, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

func TestFieldG12AFolderMayChangeBetweenTheSearchAndTheGoCommand(t *testing.T) {
	const more = "\n-- more.go --\npackage bank\n\n//resilience:breaker\ntype More interface{ Do() error }\n"
	for name, line := range map[string]string{
		"an output comes":   "mv output.txt bank_resilience.go 2>&-",
		"an output goes":    "rm -f more_resilience.go",
		"a source comes":    "cp output.txt added_resilience.go; printf 'package bank\n\n//resilience:breaker\ntype Added interface{ Do() error }\n' >added.go",
		"a source goes":     "rm -f more.go",
		"a plain one comes": "printf 'package bank\n\ntype plain int\n' >plain.go",
	} {
		t.Run(name, func(t *testing.T) {
			dir := module(t, bank, more)
			want := mustWrite(t, dir)
			output := filepath.Join(dir, "bank_resilience.go")
			writeFile(t, filepath.Join(dir, "output.txt"), readFile(t, output))
			remove(t, output)
			beforeGo(t, "cd "+dir+"\n"+line)
			mustWrite(t, dir)
			if diff := cmp.Diff(string(want.Outputs[0].Want), readFile(t, output)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFieldG17APipeInAnotherModuleOfTheWorkspaceDoesNotHang(t *testing.T) {
	dir := module(t, `
-- go.work --
go 1.26

use (
	./bank
	./lib
)
-- bank/go.mod --
module example.test/bank

go 1.26
-- bank/bank.go --
package bank

import "example.test/lib"

//resilience:breaker
type Bank interface{ Pay(lib.Sum) error }
-- lib/go.mod --
module example.test/lib

go 1.26
-- lib/lib.go --
package lib

type Sum int
`)
	if err := syscall.Mkfifo(filepath.Join(dir, "lib", "pipe.go"), 0o644); err != nil {
		t.Fatal(err)
	}
	expectFault(t, filepath.Join(dir, "bank"), "../lib/pipe.go: this is no file, so no Go can be read from it; rename or remove it", ".")
}

// Mutate makes small changes to the code, one at a time, and reports those that
// no test notices: each is a missing test, code that nobody needs, or a change
// that means nothing. Run it at the top of the repository:
//
//	GOWORK=off go run -C .ci/tools ./mutate -n 100 ./runtime/... ./generator/... ./runtime/redis
//
// A change is one that a slip would make: another comparison, a condition turned
// round, a statement left out, a number off by one. The changed file exists for
// the go command only (go test -overlay), so the tree stays as it is, and several
// runs do not disturb each other. First the tests of the file's own package are
// asked, then those of the packages below -with that import it. A change that
// does not compile is replaced by another one.
//
// The seed makes a run repeatable: the same seed, packages and code give the same
// changes.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	n := flag.Int("n", 100, "how many changes to try")
	seed := flag.Uint64("seed", 1, "which ones")
	only := flag.String("only", "", "a part of the paths of the files to change")
	with := flag.String("with", "./...", "packages whose tests are asked, if they import the changed one")
	limit := flag.Duration("timeout", 3*time.Minute, "for the tests of one change; tests that hang have noticed it")
	root := flag.String("root", "../..", "the top of the repository")
	flag.Parse()
	run := &run{root: *root, with: strings.Fields(*with), limit: *limit}
	if err := run.all(*n, *seed, *only, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

type run struct {
	root      string
	with      []string
	limit     time.Duration
	importers map[string][]string // of a package: those whose tests may notice a change of it
}

// target is a file that may be changed.
type target struct{ path, pkg string }

func (r *run) all(n int, seed uint64, only string, patterns []string) error {
	targets, err := r.targets(patterns, only)
	if err != nil {
		return err
	}
	var all []mutant
	for _, t := range targets {
		found, err := mutants(t)
		if err != nil {
			return err
		}
		all = append(all, found...)
	}
	if err := r.unchanged(targets); err != nil {
		return err
	}
	rand.New(rand.NewPCG(seed, seed)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	tried, noticed := 0, 0
	for _, m := range all {
		if tried == n {
			break
		}
		switch verdict, err := r.try(m); {
		case err != nil:
			return err
		case verdict == noticedIt:
			tried, noticed = tried+1, noticed+1
		case verdict == unnoticed:
			tried++
			fmt.Println("not noticed:", m.describe(r.root))
		}
	}
	fmt.Printf("%d of %d changes noticed (of %d possible, seed %d)\n", noticed, tried, len(all), seed)
	return nil
}

// unchanged runs the tests of the packages as they are: where these fail, every
// change would seem to be noticed.
func (r *run) unchanged(targets []target) error {
	var packages []string
	for _, t := range targets {
		packages = append(packages, t.pkg)
	}
	slices.Sort(packages)
	if r.run("", "test", slices.Compact(packages)...) != nil {
		return errors.New("the tests fail without any change, or take longer than -timeout")
	}
	return nil
}

// targets returns the files of the packages, and fills in who imports these.
func (r *run) targets(patterns []string, only string) ([]target, error) {
	const format = `{{$p := .}}{{range .GoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}{{"\n"}}{{end}}`
	lines, err := r.list(append([]string{"-f", format}, patterns...))
	if err != nil {
		return nil, err
	}
	var targets []target
	for _, line := range lines {
		pkg, path, _ := strings.Cut(line, " ")
		generated := strings.HasSuffix(path, "_resilience.go")
		if !generated && strings.Contains(path, only) {
			targets = append(targets, target{path, pkg})
		}
	}
	r.importers, err = r.reverse()
	return targets, err
}

// reverse lists for each package those of -with that need it, in tests too.
func (r *run) reverse() (map[string][]string, error) {
	lines, err := r.list(append([]string{"-test", "-f", `{{if .ForTest}}{{.ForTest}} {{join .Deps " "}}{{end}}`}, r.with...))
	importers := map[string][]string{}
	for _, line := range lines {
		pkg, deps, _ := strings.Cut(line, " ")
		for dep := range strings.FieldsSeq(deps) {
			if last := len(importers[dep]) - 1; dep != pkg && (last < 0 || importers[dep][last] != pkg) {
				importers[dep] = append(importers[dep], pkg)
			}
		}
	}
	return importers, err
}

func (r *run) list(args []string) ([]string, error) {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir, cmd.Stderr = r.root, os.Stderr
	cmd.Env = inWorkspace()
	output, err := cmd.Output()
	return strings.FieldsFunc(string(output), func(c rune) bool { return c == '\n' }), err
}

type verdict int

const (
	noticedIt verdict = iota
	unnoticed
	notCompiled
)

// try asks the tests of the package, then those of its importers.
func (r *run) try(m mutant) (verdict, error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	overlay, err := m.overlay(dir)
	if err != nil {
		return 0, err
	}
	if r.run(overlay, "build", m.pkg) != nil {
		return notCompiled, nil
	}
	if r.run(overlay, "test", m.pkg) != nil {
		return noticedIt, nil
	}
	if others := r.importers[m.pkg]; len(others) > 0 && r.run(overlay, "test", others...) != nil {
		return noticedIt, nil
	}
	return unnoticed, nil
}

// inWorkspace is an environment in which go.work counts, whatever this command
// was run with.
func inWorkspace() []string { return append(os.Environ(), "GOWORK=") }

func (r *run) run(overlay, command string, packages ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), r.limit)
	defer cancel()
	args := []string{command}
	if command == "test" {
		args = append(args, "-failfast", "-vet=off", "-timeout="+r.limit.String())
	}
	cmd := exec.CommandContext(ctx, "go", append(args, packages...)...)
	cmd.Dir = r.root
	cmd.Env = inWorkspace()
	if overlay != "" {
		cmd.Env = append(cmd.Env, "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay) // reaches the go commands of tests
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a change may make a test eat all memory: it must not outlive this
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		panic(err)
	}
	return err
}

// overlay writes the changed file, and the file that names it to the go command.
func (m mutant) overlay(dir string) (string, error) {
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{m.path: changed}})
	return overlay, errors.Join(err, os.WriteFile(changed, m.apply(), 0o666), os.WriteFile(overlay, text, 0o666))
}

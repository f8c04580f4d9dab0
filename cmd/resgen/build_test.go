package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestFieldG07CheckNamesTheFilesThatItDidNotLookAt(t *testing.T) {
	for _, test := range []struct{ file, constraint, want string }{
		{"client_plan9.go", "", "it needs plan9: run resgen with GOOS=plan9"},
		{"client_mips.go", "", "it needs mips: run resgen with GOARCH=mips"},
		{"client_plan9_mips.go", "", "it needs plan9 && mips: run resgen with GOOS=plan9 GOARCH=mips"},
		{"client_plan9_test.go", "", "it needs plan9: run resgen with GOOS=plan9"},
		{"client.go", "//go:build slow && !quick\n\n", "it needs slow && !quick: run resgen with -tags=slow"},
		{"client.go", "//go:build slow && mine\n\n", "it needs slow && mine: run resgen with -tags=slow,mine"},
		{"client.go", "//go:build unix && slow\n\n", "it needs unix && slow: run resgen with GOOS=linux -tags=slow"},
		{"client.go", "//go:build plan9 || windows\n\n", "it needs plan9 || windows: run resgen with GOOS=plan9"},
		{"client.go", "//go:build !" + runtime.GOOS + "\n\n", "it needs !" + runtime.GOOS},
	} {
		t.Run(test.file, func(t *testing.T) {
			inModule(t, source)
			expect(t, 0, "", "")
			write(t, test.file, test.constraint+strings.Replace(source, "Shop", "Client", 1))
			unseen := test.file + ": not looked at, because this build leaves it out; " + test.want + "\n"
			expect(t, 0, "", unseen, "-check")
			expect(t, 0, "", unseen, "-diff", "./...")
			expect(t, 0, "", "")
			if len(test.want) < len("it needs plan9: r") { // there is no such setting
				return
			}
			environment, tags := []string{}, "-v=false"
			for _, setting := range strings.Fields(test.want[strings.Index(test.want, "with ")+5:]) {
				if strings.HasPrefix(setting, "-") {
					tags = setting
				} else {
					environment = append(environment, setting)
				}
			}
			for _, setting := range environment {
				name, value, _ := strings.Cut(setting, "=")
				t.Setenv(name, value)
			}
			expect(t, 0, "", "", tags)
			if output := strings.TrimSuffix(strings.TrimSuffix(test.file, ".go"), "_test"); !exists(output+"_resilience.go") && !exists(output+"_resilience_test.go") {
				t.Error("there is no output with what was proposed")
			}
		})
	}
}

func TestFieldG07AFileThatImportsCIsNamedWhereCIsOff(t *testing.T) {
	inModule(t, source)
	write(t, "client.go", "package shop\n\nimport \"C\"\n\n//resilience:breaker\ntype Client interface{ Do() error }\n")
	t.Setenv("CGO_ENABLED", "0")
	expect(t, 0, "", "")
	expect(t, 0, "", "client.go: not looked at, because this build leaves it out; it needs cgo: run resgen with CGO_ENABLED=1\n", "-check")
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("CC", filepath.Join(t.TempDir(), "none"))
	expect(t, 1, "client_resilience.go: missing\n", outdated, "-check")
}

// spies are programs that a build runs and that leave a note that they were run.
func spies(t *testing.T) (ran func() []string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the spies are scripts")
	}
	dir := t.TempDir()
	for _, name := range []string{"gcc", "cc", "tool", "git", "hg"} {
		path := filepath.Join(dir, name)
		write(t, path, "#!/bin/sh\ntouch "+filepath.Join(dir, "ran-")+name+"\n[ "+name+" = tool ] && exec \"$@\"\nexit 1\n")
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("CC", filepath.Join(dir, "gcc"))
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("GOFLAGS", "-toolexec="+filepath.Join(dir, "tool"))
	t.Setenv("GOCACHE", t.TempDir()) // in which nothing is built yet
	return func() []string {
		notes, err := filepath.Glob(filepath.Join(dir, "ran-*"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range notes {
			notes[i] = strings.TrimPrefix(filepath.Base(notes[i]), "ran-")
		}
		return notes
	}
}

func TestFieldG14NothingOfTheModuleIsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it fills a build cache")
	}
	inModule(t, "package main\n\n// int f(void);\nimport \"C\"\n\nimport (\n\t\"context\"\n\t\"net\"\n)\n\n"+
		"//resilience:breaker\ntype Shop interface{ Buy(context.Context, net.Addr) error }\n\nfunc main() {}\n")
	if out, err := exec.Command("git", "init", "-q").CombinedOutput(); err != nil {
		t.Logf("without a repository: %s", out)
	}
	ran := spies(t)
	for _, args := range [][]string{{"."}, {"./..."}, {"work"}, {"-check", "example.test/shop"}, {"-list"}, {"-diff"}, {"config"}} {
		var out, err strings.Builder
		if status := run(args, &out, &err); status != exitFine {
			t.Errorf("%q: status %d: %s", args, status, &err)
		}
	}
	if got := ran(); len(got) > 0 {
		t.Errorf("it ran %v", got)
	}
	var out, err strings.Builder
	run([]string{"-plain"}, &out, &err)
	if got := ran(); len(got) == 0 {
		t.Error("the spies notice nothing of -plain either")
	}
}

func TestFieldG14TheHelpSaysWhatPlainRuns(t *testing.T) {
	var out, err strings.Builder
	run([]string{"-help"}, &out, &err)
	if want := "it runs cgo, the C compiler and what GOFLAGS names by -toolexec"; !strings.Contains(strings.Join(strings.Fields(err.String()), " "), want) {
		t.Errorf("it does not say %q:\n%s", want, &err)
	}
}

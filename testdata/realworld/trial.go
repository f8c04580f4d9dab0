package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// trial is where samples are tried, and with which resgen.
type trial struct {
	dir, root, resgen string
}

func newTrial(dir string) (*trial, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	r, err := root()
	if err != nil {
		return nil, err
	}
	t := &trial{dir: dir, root: r, resgen: filepath.Join(dir, "resgen")}
	_, err = command{dir: r}.run("go", "build", "-o", t.resgen, "./cmd/resgen")
	return t, err
}

// command says where a command is run.
type command struct{ dir string }

// run returns all that a command says; if it fails, the error has it.
func (c command) run(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s\n(%s %s: %w)", bytes.TrimSpace(out), filepath.Base(name), strings.Join(args, " "), err)
	}
	return string(out), err
}

// outcome is what became of a sample.
type outcome struct {
	sample
	err       error
	clients   []tried
	warnings  []string
	generated time.Duration
}

// tried is what became of one client.
type tried struct {
	client
	methods []method
	leftOut []string
	meant   map[string]string // why the interface marks methods none
	written time.Duration
}

// method is a line of resgen -list.
type method struct {
	name    string
	remarks string
}

const through = "passes through: "

func (m method) guarded() bool { return !strings.HasPrefix(m.remarks, through) }

func (m method) bounded() bool {
	return regexp.MustCompile(`\btimeout\b`).MatchString(strings.Split(m.remarks+"; ", "; no timeout")[0]) && m.guarded() && !strings.Contains(m.remarks, "no timeout")
}

// try takes a sample from its module to breakers that open.
func (t *trial) try(s sample) outcome {
	o := outcome{sample: s}
	in := command{filepath.Join(t.dir, s.name)}
	o.err = errors.Join(os.RemoveAll(in.dir), os.MkdirAll(in.dir, 0o755))
	for _, step := range []func(command, *outcome) error{
		t.fetch, t.write, t.generate, t.list, t.vet, t.smoke,
	} {
		if o.err == nil {
			o.err = step(in, &o)
		}
	}
	return o
}

// fetch makes a module that requires the sample's.
func (t *trial) fetch(in command, o *outcome) error {
	var imports strings.Builder
	fmt.Fprintf(&imports, "package %s\n\nimport (\n\t_ \"github.com/resgen-go/resgen/runtime\"\n", o.name)
	for _, c := range o.sample.clients {
		fmt.Fprintf(&imports, "\t_ %q\n", c.pkg)
	}
	imports.WriteString(")\n")
	module := fmt.Sprintf("module example.test/%s\n\ngo 1.26.0\n\nrequire (\n\t%s %s\n\tgithub.com/resgen-go/resgen v0.0.0\n)\n\nreplace github.com/resgen-go/resgen => %s\n",
		o.name, o.module, o.version, t.root)
	if err := in.files(map[string]string{"go.mod": module, "imports.go": imports.String()}); err != nil {
		return err
	}
	_, err := in.run("go", "mod", "tidy")
	return err
}

func (c command) files(texts map[string]string) error {
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// What resgen interface says of methods.
var (
	leftOut   = regexp.MustCompile(`(?m)^\t// (\w+) is left out: it needs`)
	unguarded = regexp.MustCompile(`(?m)^\t// It (?:passes through unguarded|is not guarded), because (.*)\.\n(?:\t//.*\n)*\t(\w+)\(`)
)

// write writes the interfaces.
func (t *trial) write(in command, o *outcome) error {
	for _, c := range o.sample.clients {
		done := tried{client: c}
		file := strings.ToLower(c.name) + "_client.go"
		if c.embed {
			if err := in.files(map[string]string{file: embedding(o.name, c)}); err != nil {
				return err
			}
		} else {
			began := time.Now()
			if _, err := in.run(t.resgen, "interface", "-name", c.name, "-o", file, c.pkg+"."+c.typ); err != nil {
				return err
			}
			done.written = time.Since(began)
		}
		text, err := os.ReadFile(filepath.Join(in.dir, file))
		if err != nil {
			return err
		}
		for _, match := range leftOut.FindAllSubmatch(text, -1) {
			done.leftOut = append(done.leftOut, string(match[1]))
		}
		done.meant = map[string]string{}
		for _, match := range unguarded.FindAllStringSubmatch(string(text), -1) {
			done.meant[match[2]] = match[1]
		}
		o.clients = append(o.clients, done)
	}
	return nil
}

func embedding(pkg string, c client) string {
	return fmt.Sprintf(`package %s

import client %q

//go:generate go tool resgen

// %s is what resgen is tried on.
//
//resilience:breaker
//resilience:bulkhead
//resilience:timeout
type %s interface{ client.%s }
`, pkg, c.pkg, c.name, c.name, c.typ)
}

func (t *trial) generate(in command, o *outcome) error {
	began := time.Now()
	said, err := in.run(t.resgen)
	o.generated = time.Since(began)
	if err != nil {
		return err
	}
	for line := range strings.Lines(said) {
		o.warnings = append(o.warnings, strings.TrimSpace(line))
	}
	_, err = in.run(t.resgen, "-check")
	return err
}

// list reads which methods are guarded, and why others are not.
func (t *trial) list(in command, o *outcome) error {
	said, err := in.run(t.resgen, "-list")
	if err != nil {
		return err
	}
	var current *tried
	for line := range strings.Lines(said) {
		line = strings.TrimSuffix(line, "\n")
		indent := len(line) - len(strings.TrimLeft(line, " "))
		name, remarks, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case indent == 0: // the name of a file
			current = nil
		case indent == 2:
			i := slices.IndexFunc(o.clients, func(c tried) bool { return c.name == name })
			if i < 0 {
				return fmt.Errorf("resgen -list says: %s", line)
			}
			current = &o.clients[i]
		case current == nil:
		case indent == 4:
			current.methods = append(current.methods, method{name, strings.TrimSpace(remarks)})
		case len(current.methods) > 0:
			last := &current.methods[len(current.methods)-1]
			last.remarks = strings.TrimSpace(last.remarks + " " + strings.TrimSpace(line))
		}
	}
	return nil
}

func (t *trial) vet(in command, o *outcome) error {
	_, err := in.run("go", "vet", "-p", "1", ".")
	return err
}

// smoke runs a test that opens the breaker of each wrapper, and then calls all
// methods that -list shows a breaker of.
func (t *trial) smoke(in command, o *outcome) error {
	var test bytes.Buffer
	if err := smokeTest.Execute(&test, o); err != nil {
		return err
	}
	if err := in.files(map[string]string{"smoke_test.go": test.String()}); err != nil {
		return err
	}
	_, err := in.run("go", "test", "-vet=off", "-p", "1", ".")
	return err
}

func (o outcome) line() string {
	if o.err != nil {
		return fmt.Sprintf("FAIL %s: %v", o.name, o.err)
	}
	return fmt.Sprintf("ok   %s, %d warnings, %.1f s", o.name, len(o.warnings), o.generated.Seconds())
}

// Type is how the page names a client.
func (c client) Type() string {
	base := path.Base(c.pkg)
	if version.MatchString(base) {
		base = path.Base(path.Dir(c.pkg))
	}
	return base + "." + c.typ
}

var version = regexp.MustCompile(`^v\d+$`)

// Realworld tries resgen on clients that people use: it fetches well-known
// modules, makes annotated interfaces of theirs, generates and vets the wrappers,
// and opens the breaker of each with a client that always fails.
//
// Usage:
//
//	GOWORK=off go run -C testdata/realworld . [-only NAME,…] [-dir FOLDER] [-o FILE]
//
// Interfaces of a module are embedded; structs get an interface from resgen
// interface. The result is a page with a table, docs/realworld.md. It takes
// minutes and a network, so no test runs it.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	only := flag.String("only", "", "`names` of samples, separated by commas, in place of all")
	dir := flag.String("dir", "", "keep what is made in this `folder`")
	output := flag.String("o", "../../docs/realworld.md", "write the page to this `file`")
	flag.Parse()
	if err := run(strings.Split(*only, ","), *dir, *output); err != nil {
		fmt.Fprintln(os.Stderr, "realworld:", err)
		os.Exit(1)
	}
}

func run(only []string, dir, output string) error {
	if dir == "" {
		made, err := os.MkdirTemp("", "realworld")
		if err != nil {
			return err
		}
		defer os.RemoveAll(made)
		dir = made
	}
	t, err := newTrial(dir)
	if err != nil {
		return err
	}
	var outcomes []outcome
	failed := 0
	for _, s := range samples {
		if only[0] != "" && !contains(only, s.name) {
			continue
		}
		o := t.try(s)
		fmt.Fprintln(os.Stderr, o.line())
		if o.err != nil {
			failed++
		}
		outcomes = append(outcomes, o)
	}
	if err := os.WriteFile(output, page(outcomes), 0o644); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d modules failed", failed, len(outcomes))
	}
	return nil
}

func contains(list []string, name string) bool {
	for _, item := range list {
		if item == name {
			return true
		}
	}
	return false
}

// root is the folder of resgen's own module.
func root() (string, error) { return filepath.Abs("../..") }

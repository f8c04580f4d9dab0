package main

import (
	"os/exec"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/generator"
)

// unmatched is what the go command says of patterns that match no package. It is
// worth asking where nothing was found.
func unmatched(options generator.Options) (warnings string) {
	if !slices.ContainsFunc(options.Patterns, func(p string) bool { return strings.Contains(p, "...") }) {
		return ""
	}
	var stderr strings.Builder
	list := exec.Command("go", append([]string{"list", "-e", "-find", "-tags", options.Tags, "--"}, options.Patterns...)...)
	list.Stderr = &stderr
	_ = list.Run() // what else is wrong is reported elsewhere
	for line := range strings.Lines(stderr.String()) {
		if strings.Contains(line, "matched no packages") {
			warnings += line
		}
	}
	return warnings
}

package main

import (
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/resgen-go/resgen/generator"
)

// unmatched is what the go command says of patterns that match no package. It is
// worth asking where nothing was found, or one of several patterns may have found
// it all.
func unmatched(options generator.Options) (warnings string) {
	wild := slices.DeleteFunc(slices.Clone(options.Patterns), func(p string) bool { return !strings.Contains(p, "...") })
	if len(wild) == 0 {
		return ""
	}
	var stderr strings.Builder
	list := exec.CommandContext(options.Context, "go", append([]string{"list", "-e", "-find", "-tags", options.Tags, "--"}, wild...)...)
	list.Stderr, list.WaitDelay = &stderr, time.Second
	_ = list.Run() // what else is wrong is reported elsewhere
	for line := range strings.Lines(stderr.String()) {
		if strings.Contains(line, "matched no packages") {
			warnings += line
		}
	}
	return warnings
}

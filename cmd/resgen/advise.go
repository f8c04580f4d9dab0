package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/resgen-go/resgen/cmd/resgen/internal/advise"
	"github.com/resgen-go/resgen/internal/column"
)

// adviseSettings prints settings that follow from snapshots of a service.
func adviseSettings(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("resgen advise", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), "Usage: resgen advise SNAPSHOT SNAPSHOT…\n\n",
			"Proposes sizes of bulkheads, preloads of entries and windows of breakers from two\n",
			"or more snapshots of one process, with the figures that each follows from. It prints\n",
			"them as a settings file with comments. Snapshots are JSON files, as the path snapshot\n",
			"of runtime/admin serves; take them a minute apart at the busiest time. The registry\n",
			"needs the option resilience.Time().\n",
			"\nExit status: 0 fine, 1 a fault in a snapshot, 2 wrong usage.\n")
	}
	if status, ok := parseFlags(flags, args, stderr); !ok {
		return status
	}
	if flags.NArg() == 0 {
		fmt.Fprintln(stderr, "resgen advise: give two snapshots or more")
		return exitUsage
	}
	all, err := adviceFrom(flags.Args())
	if err != nil {
		fmt.Fprintln(stderr, "resgen advise:", err)
		return exitFault
	}
	return printed(stdout, stderr, []byte(advised(all)))
}

func adviceFrom(paths []string) ([]advise.Advice, error) {
	var snapshots []advise.Snapshot
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		snapshot, err := advise.Read(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		snapshots = append(snapshots, snapshot)
	}
	return advise.From(snapshots)
}

// advised is advice as a settings file. What has no setting is a comment only.
func advised(all []advise.Advice) string {
	sections := advise.Sections(all)
	var out strings.Builder
	note := func(indent, text string) {
		fmt.Fprintln(&out, column.Wrap(indent+"// "+text, indent+"//   "))
	}
	for _, a := range sections[""] {
		note("", a.Name+": "+a.Text)
	}
	out.WriteString("{\n")
	for _, section := range []string{"breakers", "bulkheads"} {
		if len(sections[section]) == 0 {
			continue
		}
		fmt.Fprintf(&out, "  %q: {\n", section)
		for _, a := range sections[section] {
			note("    ", a.Name+": "+a.Text)
			if len(a.Settings) == 0 {
				continue
			}
			var settings []string
			for _, s := range a.Settings {
				settings = append(settings, fmt.Sprintf("%q: %#v", s.Name, s.Value))
			}
			fmt.Fprintf(&out, "    %q: { %s },\n", a.Name, strings.Join(settings, ", "))
		}
		out.WriteString("  },\n")
	}
	out.WriteString("}\n")
	return out.String()
}

package main

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
)

const intro = `# Clients of the real world

<!-- Written by GOWORK=off go run -C testdata/realworld . -->

What resgen makes of clients that people use. Interfaces of a module are embedded; structs have theirs from ` + "`resgen interface`" + `. The
type has a breaker, a bulkhead and a timeout. Each package was generated, vetted and run: a client that always fails opens the
breaker, which then refuses every method that is guarded. Times are of two cores that had other work to do.

`

// page is the result for people to read.
func page(outcomes []outcome) []byte {
	var out strings.Builder
	out.WriteString(intro)
	out.WriteString(summary(outcomes))
	out.WriteString("\n| module | type | methods | guarded | bounded by a timeout | pass through, and why | warnings | interface written in | generated in |\n")
	out.WriteString("|---|---|---:|---:|---:|---|---:|---:|---:|\n")
	for _, o := range outcomes {
		for i, c := range o.clients {
			out.WriteString(o.row(i, c))
		}
		if o.err != nil {
			fmt.Fprintf(&out, "| `%s` | fails: %s | | | | | | | |\n", o.module, strings.ReplaceAll(firstLine(o.err.Error()), "|", "\\|"))
		}
	}
	out.WriteString("\n## What passes through\n\nWhere such a method talks to the service, give it a context and an error in an interface of your own, and an adapter.\n\n")
	for _, o := range outcomes {
		for _, c := range o.clients {
			out.WriteString(c.passing())
		}
	}
	out.WriteString("\n## Warnings\n\n")
	for _, o := range outcomes {
		for _, warning := range o.warnings {
			_, text, _ := strings.Cut(warning, "warning: ")
			fmt.Fprintf(&out, "- `%s`: %s\n", o.name, text)
		}
	}
	fmt.Fprintf(&out, "\n## Versions\n\nTried with %s and", runtime.Version())
	for i, o := range outcomes {
		fmt.Fprintf(&out, "%s %s %s", strings.TrimPrefix(",", map[bool]string{true: ","}[i == 0]), o.module, o.version)
	}
	out.WriteString(".\n")
	return []byte(out.String())
}

func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}

func summary(outcomes []outcome) string {
	methods, guarded, clients := 0, 0, 0
	for _, o := range outcomes {
		for _, c := range o.clients {
			clients++
			methods += len(c.methods)
			guarded += len(c.Guarded())
		}
	}
	return fmt.Sprintf("%d packages, %d clients, %d methods: %d are guarded, %d pass through.\n",
		len(outcomes), clients, methods, guarded, methods-guarded)
}

// row is one line of the table. What is said of the whole package stands in its
// first.
func (o outcome) row(i int, c tried) string {
	module, warnings, generated, written := "", "", "", "embedded"
	if i == 0 {
		module, warnings = "`"+o.module+"`", fmt.Sprint(len(o.warnings))
		generated = fmt.Sprintf("%.1f s", o.generated.Seconds())
	}
	if !c.embed {
		written = fmt.Sprintf("%.1f s", c.written.Seconds())
	}
	bounded := 0
	for _, m := range c.methods {
		if m.bounded() {
			bounded++
		}
	}
	return fmt.Sprintf("| %s | `%s` | %d | %d | %d | %s | %s | %s | %s |\n",
		module, c.Type(), len(c.methods)+len(c.leftOut), len(c.Guarded()), bounded, c.why(), warnings, written, generated)
}

// passing names methods that pass through.
func (c tried) passing() string {
	const few = 12
	var names []string
	for _, m := range c.methods {
		if !m.guarded() {
			names = append(names, m.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	if more := len(names) - few; more > 1 {
		names = append(names[:few], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("- `%s`: %s\n", c.Type(), strings.Join(names, ", "))
}

// why counts the reasons for which methods pass through.
func (c tried) why() string {
	reasons := map[string]int{}
	for _, m := range c.methods {
		if !m.guarded() {
			reasons[cmp.Or(c.meant[m.name], strings.TrimPrefix(m.remarks, through))]++
		}
	}
	if len(c.leftOut) > 0 {
		reasons["left out, because it needs a type that nobody else can name"] += len(c.leftOut)
	}
	var list []string
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		list = append(list, fmt.Sprintf("%d: %s", reasons[reason], reason))
	}
	return strings.Join(list, "; ")
}

package replay

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/resgen-go/resgen/internal/column"
	"github.com/resgen-go/resgen/internal/trace"
	"github.com/resgen-go/resgen/internal/words"
	resilience "github.com/resgen-go/resgen/runtime"
)

// WriteTrace says what a trace is, and first of all what it lacks.
func WriteTrace(out io.Writer, name string, t *trace.Trace) {
	for _, line := range faultsOf(t) {
		fmt.Fprint(out, column.Wrap(name+" "+line, ""), "\n")
	}
	fmt.Fprint(out, column.Wrap(fmt.Sprintf("%s: %s of %s in %v, recorded from %s on", name, words.Count(len(t.Calls), "call"),
		words.Count(len(t.Methods), "method"), t.Lasts.Round(time.Second), t.Start.UTC().Format("2006-01-02 15:04:05 MST")), "  "), "\n")
}

// faultsOf are what keeps a trace from telling all.
func faultsOf(t *trace.Trace) (all []string) {
	torn := newScore(&trace.Trace{Gaps: t.Gaps}).torn
	if len(torn) > 0 {
		var minutes []string
		missing := 0
		for _, g := range t.Gaps {
			missing += g.Dropped
		}
		for _, m := range slices.Sorted(maps.Keys(torn)) {
			minutes = append(minutes, fmt.Sprintf("%s (%d)", t.Start.Add(time.Duration(m)*time.Minute).UTC().Format("15:04:05"), torn[m]))
		}
		all = append(all, fmt.Sprintf("lacks %s, in the minutes from %s on; figures are of the other %s", words.Count(missing, "call"),
			shortened(minutes), words.Count(max(0, minute(t.Lasts)+1-len(torn)), "minute")))
	}
	if !t.Ended {
		all = append(all, fmt.Sprintf("is cut off after %v, %d bytes: its process did not close the registry", t.Lasts.Round(time.Millisecond), t.Bytes))
	}
	if len(t.Reloads) > 0 {
		all = append(all, fmt.Sprintf("was recorded under changing settings: they changed %s, first after %v", words.Count(len(t.Reloads), "time"), t.Reloads[0].Round(time.Second)))
	}
	if i := slices.IndexFunc(t.Transitions, func(c trace.Transition) bool { return c.ByHand }); i >= 0 {
		all = append(all, fmt.Sprintf("has changes by hand, first of breaker %s after %v; they are not played", t.Names[t.Transitions[i].Breaker], t.Transitions[i].At.Round(time.Second)))
	}
	return all
}

// shortened is a list of so many that they can be read.
func shortened(all []string) string {
	const most = 20
	if len(all) > most {
		return strings.Join(all[:most], ", ") + fmt.Sprintf(" and %d more", len(all)-most)
	}
	return strings.Join(all, ", ")
}

// Only keeps the figures of guards of one name. It reports whether there are any.
func Only(name string, runs []*Run) bool {
	for _, r := range runs {
		maps.DeleteFunc(r.Figures, func(g Guard, _ Figures) bool { return g.Name != name })
	}
	return len(runs[0].Figures) > 0
}

// Write writes what the runs made of each guard.
func Write(out io.Writer, runs []*Run) {
	for _, r := range runs[1:] {
		fmt.Fprint(out, column.Wrap(r.summary(), "  "), "\n")
	}
	rows, ranges := table(runs)
	writeRows(out, rows)
	fmt.Fprint(out, "\n", column.Wrap("good ones: calls that were refused and would have gone well. failures: calls that were made and failed. in use: permits, as 99 of 100 calls found them at most.", ""), "\n")
	if ranges {
		fmt.Fprint(out, column.Wrap("From a to b: of some calls that were refused when they were recorded nobody knows how they would have ended, because those before and after them went in different ways. One is the figure if all of them had gone well, the other if all had failed.", ""), "\n")
	}
}

func (r *Run) summary() string {
	text := fmt.Sprintf("%s: %d of %s end in another way than when they were recorded", r.Name, r.Different, words.Count(r.Calls, "call"))
	if r.Different == 0 {
		text = fmt.Sprintf("%s: all %s end as when they were recorded", r.Name, words.Count(r.Calls, "call"))
	}
	if r.Unknown > 0 {
		text += fmt.Sprintf("; of %d nobody knows how they would have ended", r.Unknown)
	}
	if len(r.Missing) > 0 {
		text += "; it has no " + shortened(r.Missing) + ", so defaults hold there"
	}
	return text
}

// columns of each sort of guard.
var columns = map[string][]struct {
	title string
	text  func(Figures) string
}{
	"breaker": {
		{"openings", func(f Figures) string { return f.Openings.String() }},
		{"time open", func(f Figures) string { return lasted(f.Open) }},
		{"refused", func(f Figures) string { return f.Refused.String() }},
		{"good ones", func(f Figures) string { return f.Wronged.String() }},
		{"failures", func(f Figures) string { return f.Failed.String() }},
	},
	"bulkhead": {
		{"in use", func(f Figures) string { return f.InUse.String() }},
		{"refused", func(f Figures) string { return f.Refused.String() }},
		{"good ones", func(f Figures) string { return f.Wronged.String() }},
	},
	"rate limit": {
		{"refused", func(f Figures) string { return f.Refused.String() }},
		{"good ones", func(f Figures) string { return f.Wronged.String() }},
	},
}

// table is a line for each guard and run. It reports whether there are ranges.
func table(runs []*Run) (rows [][]string, ranges bool) {
	for _, g := range guardsOfRuns(runs) {
		head := []string{g.String()}
		for _, c := range columns[g.Sort] {
			head = append(head, c.title)
		}
		rows = append(rows, nil, head)
		for _, r := range runs {
			row := []string{"  " + r.Name}
			for _, c := range columns[g.Sort] {
				text := c.text(r.Figures[g])
				row, ranges = append(row, text), ranges || strings.Contains(text, "–")
			}
			rows = append(rows, row)
		}
	}
	return rows, ranges
}

func guardsOfRuns(runs []*Run) []Guard {
	return slices.SortedFunc(maps.Keys(runs[0].Figures), Guard.compare)
}

// writeRows writes rows in columns. A row without cells is an empty line.
func writeRows(out io.Writer, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line += cell + space
			} else {
				line += "  " + space + cell
			}
		}
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
}

// String is the number, or both bounds, the smaller one first.
func (r Range) String() string {
	if r[0] == r[1] {
		return strconv.Itoa(r[0])
	}
	return fmt.Sprintf("%d–%d", min(r[0], r[1]), max(r[0], r[1]))
}

func lasted(d [2]time.Duration) string {
	least, most := short(min(d[0], d[1])), short(max(d[0], d[1]))
	if least == most {
		return least
	}
	return least + "–" + most
}

// short is a duration as people write it, to a second from ten seconds on.
func short(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(10 * time.Millisecond).String()
	}
	return words.Duration(d.Round(time.Second))
}

// Add adds the figures of another trace under the same setting.
func (r *Run) Add(other *Run) {
	r.Calls, r.Unknown, r.Different = r.Calls+other.Calls, r.Unknown+other.Unknown, r.Different+other.Different
	for _, name := range other.Missing {
		if !slices.Contains(r.Missing, name) {
			r.Missing = append(r.Missing, name)
		}
	}
	for g, more := range other.Figures {
		f := r.Figures[g]
		for i := range 2 {
			f.Openings[i] += more.Openings[i]
			f.Open[i] += more.Open[i]
			f.Refused[i] += more.Refused[i]
			f.Wronged[i] += more.Wronged[i]
			f.Failed[i] += more.Failed[i]
			f.InUse[i] = max(f.InUse[i], more.InUse[i])
		}
		r.Figures[g] = f
	}
}

// open reports whether a breaker refuses in a state.
func open(s resilience.State) bool { return s == resilience.Open || s == resilience.ForcedOpen }

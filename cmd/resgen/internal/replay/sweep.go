package replay

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/resgen-go/resgen/internal/column"
	"github.com/resgen-go/resgen/internal/nearest"
	"github.com/resgen-go/resgen/runtime/settingsfile"
)

// sections are those with guards that are played.
var sections = map[string]string{"breakers": "breaker", "bulkheads": "bulkhead", "rateLimits": "rate limit", "timeouts": "timeout"}

// Sweep is one setting and the values to try.
type Sweep struct {
	Section, Name, Setting string
	Values                 []string
}

// maxValues is how many values a sweep may have.
const maxValues = 100

// ParseSweep reads a sweep such as breakers.payments.failureThreshold=2..6. Values are
// a list 2,3,5, a range 2..6 or a range with a step 10..50:10.
func ParseSweep(text string) (s Sweep, err error) {
	path, values, found := strings.Cut(text, "=")
	first, last := strings.Index(path, "."), strings.LastIndex(path, ".")
	if !found || first < 0 || last == first {
		return s, fmt.Errorf("%q is no sweep, which would be such as breakers.payments.failureThreshold=2..6", text)
	}
	s = Sweep{Section: path[:first], Name: path[first+1 : last], Setting: path[last+1:]}
	if sections[s.Section] == "" {
		return s, fmt.Errorf("%s: no section whose settings can be swept; there are %s", s.Section, strings.Join(sectionNames(), ", "))
	}
	if s.Values, err = valuesOf(values); err != nil {
		return s, fmt.Errorf("%s: %w", text, err)
	}
	return s, nil
}

func sectionNames() []string { return slices.Sorted(maps.Keys(sections)) }

func valuesOf(text string) ([]string, error) {
	from, to, isRange := strings.Cut(text, "..")
	if !isRange {
		all := strings.Split(text, ",")
		if len(all) > maxValues || slices.Contains(all, "") {
			return nil, fmt.Errorf("a list of 1 to %d values, none of them empty", maxValues)
		}
		return all, nil
	}
	to, by, stepped := strings.Cut(to, ":")
	if !stepped {
		by = "1"
	}
	var ends [3]int
	for i, part := range []string{from, to, by} {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, fmt.Errorf("%q is no whole number; write other values as a list, such as 5s,10s,20s", part)
		}
		ends[i] = n
	}
	if ends[2] < 1 || ends[1] < ends[0] || (ends[1]-ends[0])/ends[2] >= maxValues {
		return nil, fmt.Errorf("a range goes up, in at most %d steps", maxValues)
	}
	var all []string
	for n := ends[0]; n <= ends[1]; n += ends[2] {
		all = append(all, strconv.Itoa(n))
	}
	return all, nil
}

// Settings are the base with each of the values.
func (s Sweep) Settings(base Settings, r *Replay) (all []Settings, err error) {
	if names := r.names(s.Section); !slices.Contains(names, s.Name) && s.Section != "timeouts" {
		return nil, fmt.Errorf("-sweep: the trace has no %s %s%s", sections[s.Section], s.Name, suggestion(s.Name, names))
	}
	for _, value := range s.Values {
		doc, err := r.document(base)
		if err != nil {
			return nil, err
		}
		doc.set(s.Section, s.Name, s.Setting, literal(value))
		all = append(all, doc.settings(s.Setting+"="+value))
		if _, err := settingsfile.Parse("-sweep "+s.Setting+"="+value, all[len(all)-1].Text); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func suggestion(name string, names []string) string {
	if near, ok := nearest.Name(name, names); ok {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return ""
}

// literal is a value as JSON has it.
func literal(text string) any {
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return text
	}
	return value
}

// document is a settings file, by section and name.
type document map[string]map[string]map[string]any

func (d document) set(section, name, setting string, value any) {
	if d[section][name] == nil {
		d.put(section, name, map[string]any{})
	}
	d[section][name][setting] = value
}

// put puts an object in the place of what is there.
func (d document) put(section, name string, object map[string]any) {
	if d[section] == nil {
		d[section] = map[string]map[string]any{}
	}
	d[section][name] = object
}

// settings are the document as text.
func (d document) settings(name string) Settings {
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil { // can't be: it came from a file
		panic(err)
	}
	return Settings{name, text}
}

// document is what settings say of the guards that are played, each by its name.
func (r *Replay) document(of Settings) (document, error) {
	file, err := settingsfile.Parse(of.Name, of.Text)
	if err != nil {
		return nil, err
	}
	d := document{}
	for _, section := range sectionNames() {
		for _, name := range append(file.Names(section), r.names(section)...) {
			for _, v := range file.Effective(section, name) {
				if v.From != "built in" && v.Setting != "shadow" { // a shadow refuses nobody
					d.set(section, name, v.Setting, v.Value)
				}
			}
		}
	}
	return d, nil
}

// names are those of a section that the trace has.
func (r *Replay) names(section string) (all []string) {
	if section != "timeouts" {
		return r.score.named(sections[section])
	}
	for i := range r.score.trace.Methods {
		if name := r.score.trace.Methods[i].Timeout; name != "" {
			all = append(all, name)
		}
	}
	return all
}

// Cost is what a lost call costs against a good one that is refused.
type Cost struct{ Lost, Wronged float64 }

// ParseCost reads costs such as 1:1 or 5:1.
func ParseCost(text string) (c Cost, err error) {
	lost, wronged, found := strings.Cut(text, ":")
	if !found {
		wronged = "1"
	}
	c.Lost, err = strconv.ParseFloat(lost, 64)
	if err == nil {
		c.Wronged, err = strconv.ParseFloat(wronged, 64)
	}
	if err != nil || !(c.Lost >= 0 && c.Wronged >= 0 && c.Lost+c.Wronged > 0 && c.Lost < 1e9 && c.Wronged < 1e9) {
		return c, errors.New("costs are two numbers such as 5:1: a lost call costs five times as much as a good one that is refused")
	}
	return c, nil
}

// of are the bounds of what a run costs at a breaker.
func (c Cost) of(f Figures) [2]float64 {
	var bounds [2]float64
	for i := range bounds {
		bounds[i] = c.Lost*float64(f.Failed[i]) + c.Wronged*float64(f.Wronged[i])
	}
	return bounds
}

// candidate is a setting of a breaker that may be suggested.
type candidate struct {
	name, text string // text: as in a settings file
}

func candidates() (all []candidate) {
	add := func(name, strategy, rest string, args ...any) {
		all = append(all, candidate{name, fmt.Sprintf(`{ "strategy": %q`+rest+" }", append([]any{strategy}, args...)...)})
	}
	for _, delay := range []string{"2s", "20s"} {
		for _, w := range [][2]int{{2, 10}, {3, 10}, {5, 10}, {5, 20}, {10, 50}} {
			add(fmt.Sprintf("STATIC %d of %d, %s", w[0], w[1], delay), "STATIC_THRESHOLD", `, "failureThreshold": %d, "failureThresholdCapacity": %d, "testDelay": %q`, w[0], w[1], delay)
		}
		for _, n := range []int{3, 5, 10} {
			add(fmt.Sprintf("CONSECUTIVE %d, %s", n, delay), "CONSECUTIVE_FAILURES", `, "failureThreshold": %d, "testDelay": %q`, n, delay)
		}
	}
	for _, rate := range []int{10, 21, 50} {
		add(fmt.Sprintf("CANARY %d %%", rate), "CANARY_RATE_THRESHOLD", `, "failureRateThreshold": %d, "initialState": "CLOSED"`, rate)
	}
	for _, rate := range []int{25, 50} {
		add(fmt.Sprintf("PACED %d %%", rate), "PACED_RATE_THRESHOLD", `, "failureRateThreshold": %d`, rate)
	}
	add("NONE", "NONE", "")
	return all
}

// Candidates are the settings that a suggestion for a breaker is made from: everything
// else is what the base gives it.
func (r *Replay) Candidates(base Settings, breaker string) (all []Settings, err error) {
	for _, c := range candidates() {
		doc, err := r.document(base)
		if err != nil {
			return nil, err
		}
		doc.put("breakers", breaker, literal(c.text).(map[string]any))
		all = append(all, doc.settings(c.name))
	}
	return all, nil
}

// Breakers are the names of those that the trace has.
func (r *Replay) Breakers() []string { return r.names("breakers") }

// best is how many settings a suggestion has.
const best = 5

// WriteSuggestions writes for each breaker which of the settings tried on it are the
// cheapest, beside the others that were played, such as what was recorded.
func WriteSuggestions(out io.Writer, cost Cost, played []*Run, tried map[string][]*Run) {
	var rows [][]string
	var lines []string
	for _, breaker := range slices.Sorted(maps.Keys(tried)) {
		g := Guard{"breaker", breaker}
		dearest := func(r *Run) float64 { b := cost.of(r.Figures[g]); return max(b[0], b[1]) }
		ranked := slices.Clone(tried[breaker])
		slices.SortStableFunc(ranked, func(a, b *Run) int { return cmp.Compare(dearest(a), dearest(b)) })
		rows = append(rows, nil, []string{g.String(), "cost", "openings", "failures", "good ones"})
		for _, r := range slices.Concat(ranked[:best], played) {
			rows = append(rows, cost.row(r, r.Figures[g]))
		}
		all := candidates()
		i := slices.IndexFunc(all, func(c candidate) bool { return c.name == ranked[0].Name })
		lines = append(lines, fmt.Sprintf("    %q: %s,", breaker, all[i].text))
	}
	writeRows(out, rows)
	fmt.Fprint(out, "\n", column.Wrap(fmt.Sprintf("A lost call, which was made and failed, costs %v, a good one that was refused %v. "+
		"The cheapest come first, by their higher bound; each was tried with everything else as it is. For settings:", cost.Lost, cost.Wronged), ""), "\n\n")
	fmt.Fprintln(out, strings.Join(lines, "\n"))
}

func (c Cost) row(r *Run, f Figures) []string {
	b := c.of(f)
	bounds := Range{int(math.Round(b[0])), int(math.Round(b[1]))}
	return []string{"  " + r.Name, bounds.String(), f.Openings.String(), f.Failed.String(), f.Wronged.String()}
}

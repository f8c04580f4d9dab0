package resiliencetest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

// Expect fails the test if a registry is not as the lines say. A line is a name with
// what is expected of its guards; lines stand below each other or are parted by
// semicolons:
//
//	payments: OPEN 3/3, refused 2
//	inventory: in use 0, waiting 0
//
// Of a breaker these can be expected: its state, failures and calls in its window, as
// 3/10, and "refused", "gates", "trials". Of a bulkhead: "in use", "reserved",
// "available", "waiting", "full" (refused for want of permits). Of a rate limit:
// "left", "waiting", "limited" (refused). What a line leaves out may be anything.
func Expect(t testing.TB, registry *resilience.Registry, lines string) {
	t.Helper()
	snapshot := registry.Snapshot()
	for line := range strings.FieldsFuncSeq(lines, func(r rune) bool { return r == ';' || r == '\n' }) {
		line = strings.Join(strings.Fields(line), " ")
		if line == "" {
			continue
		}
		real, err := realLine(snapshot, line)
		if err != nil {
			t.Fatalf("resiliencetest.Expect: %q: %v", line, err)
		}
		if real != line {
			t.Errorf("expected %s\n     got %s", line, real)
		}
	}
}

// realLine is the line with what is true in the place of what is expected.
func realLine(s resilience.Snapshot, line string) (string, error) {
	name, expected, found := strings.Cut(line, ": ")
	if !found {
		return "", fmt.Errorf("a line is such as %q", "payments: OPEN 3/3, refused 2")
	}
	known := figures(s, name)
	if len(known) == 0 {
		return "", fmt.Errorf("there is no guard %q; there are %s", name, strings.Join(names(s), ", "))
	}
	var real []string
	for item := range strings.SplitSeq(expected, ", ") {
		text, err := realItem(known, item)
		if err != nil {
			return "", err
		}
		real = append(real, text)
	}
	return name + ": " + strings.Join(real, ", "), nil
}

var (
	stateItem  = regexp.MustCompile(`^[A-Z_]+( \d+/\d+)?$`)
	figureItem = regexp.MustCompile(`^([a-z ]+) \d+$`)
)

func realItem(known map[string]string, item string) (string, error) {
	if match := figureItem.FindStringSubmatch(item); match != nil {
		if value, is := known[match[1]]; is {
			return match[1] + " " + value, nil
		}
		return "", fmt.Errorf("nothing is %q; there are %s", match[1], strings.Join(keys(known), ", "))
	}
	state, is := known[stateKey]
	if !stateItem.MatchString(item) || !is {
		return "", fmt.Errorf("%q is neither a state nor a figure; there are %s", item, strings.Join(keys(known), ", "))
	}
	if !strings.Contains(item, "/") {
		state, _, _ = strings.Cut(state, " ")
	}
	return state, nil
}

// stateKey is the key of the state, which has no word before it.
const stateKey = "STATE"

// figures are what can be expected of a name.
func figures(s resilience.Snapshot, name string) map[string]string {
	all := map[string]string{}
	put := func(what string, n uint64) { all[what] = strconv.FormatUint(n, 10) }
	for _, b := range s.Breakers {
		if b.Name == name {
			all[stateKey] = fmt.Sprintf("%v %d/%d", b.State, b.Failures, b.Calls)
			put("refused", b.Refused)
			put("gates", b.Gates)
			put("trials", uint64(b.Trials))
		}
	}
	for _, b := range s.Bulkheads {
		if b.Name == name {
			put("in use", uint64(b.InUse))
			put("reserved", uint64(b.ReservedIdle))
			put("available", uint64(b.Available))
			put("waiting", uint64(b.Waiting))
			put("full", b.Refused.Full)
		}
	}
	for _, l := range s.RateLimits {
		if l.Name == name {
			put("left", uint64(l.Available))
			put("waiting", uint64(l.Waiting))
			put("limited", l.Refused.Rate)
		}
	}
	return all
}

func keys(known map[string]string) (all []string) {
	for key := range known {
		all = append(all, key)
	}
	slices.Sort(all)
	return all
}

func names(s resilience.Snapshot) (all []string) {
	for _, b := range s.Breakers {
		all = append(all, b.Name)
	}
	for _, b := range s.Bulkheads {
		all = append(all, b.Name)
	}
	for _, l := range s.RateLimits {
		all = append(all, l.Name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

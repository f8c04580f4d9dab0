package rule

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Settings are those of the rule, alike in all processes or told of.
type Settings struct {
	Threshold float64 // percent of failures that begins an outage
	Errors    int64   // no outage by that before so many
	Window    int64
	Votes     int64   // processes that must have opened their breakers
	Share     float64 // and percent of those that reported
	Retry     int64   // from the beginning of an outage, or failed trials, to the next
	Trial     int64   // a trial that does not come back in this is given anew
	Ramp      int64   // the share of calls grows after this
	Good, Of  int64   // trials that end an outage
}

// Names are the settings as users write them, in the order of the fields. The
// trials follow from a breaker's strategy.
var Names = [...]string{
	"outageThreshold", "minimumErrors", "outageWindow", "minimumVotes", "voteShare", "secondsBeforeRetry", "trialTimeout",
	"rampInterval", "good trials of its strategy", "trials of its strategy",
}

// Values are the settings in the order of Names.
func (s Settings) Values() [len(Names)]float64 {
	return [...]float64{
		s.Threshold, float64(s.Errors), float64(s.Window), float64(s.Votes), s.Share, float64(s.Retry), float64(s.Trial), float64(s.Ramp),
		float64(s.Good), float64(s.Of),
	}
}

// most is above every value that a setting can have.
const most = 4e10

// String writes the values, with blanks between them.
func (s Settings) String() string {
	var texts []string
	for _, v := range s.Values() {
		texts = append(texts, strconv.FormatFloat(v, 'f', -1, 64))
	}
	return strings.Join(texts, " ")
}

// ParseSettings reads what String wrote.
func ParseSettings(text string) (s Settings, ok bool) {
	fields := strings.Fields(text)
	if len(fields) != len(Names) {
		return s, false
	}
	var v [len(Names)]float64
	for i, field := range fields {
		n, err := strconv.ParseFloat(field, 64)
		if err != nil || math.IsNaN(n) || n < 0 || n > most {
			return s, false
		}
		v[i] = n
	}
	whole := func(i int) int64 { return int64(v[i]) }
	return Settings{v[0], whole(1), whole(2), whole(3), v[4], whole(5), whole(6), whole(7), whole(8), whole(9)}, true
}

// Kinds reads State.Rules: the settings of all processes, those in force first.
func Kinds(rules string) (kinds []Kind) {
	for part := range strings.SplitSeq(rules, ";") {
		count, text, _ := strings.Cut(part, ":")
		n, err := strconv.ParseInt(count, 10, 64)
		s, ok := ParseSettings(text)
		if err != nil || !ok {
			return kinds
		}
		kinds = append(kinds, Kind{s, n})
	}
	return kinds
}

func encode(counts map[Settings]int64) string {
	var kinds []Kind
	for s, n := range counts {
		kinds = append(kinds, Kind{s, n})
	}
	slices.SortFunc(kinds, byForce)
	var parts []string
	for _, k := range kinds {
		parts = append(parts, fmt.Sprintf("%d:%v", k.Processes, k.Settings))
	}
	return strings.Join(parts, ";")
}

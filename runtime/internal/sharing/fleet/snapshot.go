package fleet

import (
	"slices"
	"strings"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/sharing"
	"github.com/resgen-go/resgen/runtime/internal/sharing/rule"
)

// publish lets Snapshot see how the members are.
func (w *worker) publish() {
	var all []sharing.Breaker
	for _, m := range w.all {
		if m.sharing == joined {
			all = append(all, m.snapshot())
		}
	}
	slices.SortFunc(all, func(a, b sharing.Breaker) int { return strings.Compare(a.Name, b.Name) })
	w.fleet.mu.Lock()
	defer w.fleet.mu.Unlock()
	w.fleet.published = all
}

func (m *member) snapshot() sharing.Breaker {
	b := Describe(m.name, m.last, m.viewed)
	b.Linked = m.linked
	if m.last.Rules == "" {
		b.Rule = rules(m.rule)
	}
	return b
}

// Describe is a view in words and moments of this process's clock.
func Describe(name string, v rule.View, at time.Time) sharing.Breaker {
	b := sharing.Breaker{
		Name: name, At: at, Calls: uint64(v.Calls), Failures: uint64(v.Failures), Votes: int(v.Votes), Processes: int(v.Members),
		Witnesses: int(v.Witnesses), TrialsOut: int(v.Out), TrialsGood: int(v.Good), TrialsBad: int(v.Bad), Reason: v.Reason, Order: v.Hand.Word, By: v.Hand.By,
	}
	if v.Outage > 0 {
		b.OutageSince = at.Add(-milliseconds(max(v.Now-v.Outage, 0)))
		b.RetryAt = at.Add(milliseconds(v.RetryIn))
	}
	if v.Hand.For > 0 {
		b.OrderUntil = at.Add(milliseconds(v.Hand.For))
	}
	for i, kind := range rule.Kinds(v.Rules) {
		r := rules(kind.Settings)
		r.Processes = int(kind.Processes)
		if i == 0 {
			b.Rule = r
		} else {
			b.Others = append(b.Others, r)
		}
	}
	return b
}

func rules(s rule.Settings) sharing.Rule {
	return sharing.Rule{
		OutageThreshold: s.Threshold, MinimumErrors: int(s.Errors), OutageWindow: milliseconds(s.Window), MinimumVotes: int(s.Votes),
		VoteShare: s.Share, SecondsBeforeRetry: milliseconds(s.Retry), TrialTimeout: milliseconds(s.Trial), RampInterval: milliseconds(s.Ramp),
		TrialsGood: int(s.Good), TrialsOf: int(s.Of),
	}
}

package replay

import (
	"bytes"
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/resgen-go/resgen/internal/trace"
	resilience "github.com/resgen-go/resgen/runtime"
)

// Guard is a breaker, bulkhead or rate limit, instances together.
type Guard struct{ Sort, Name string }

func (g Guard) compare(h Guard) int {
	return cmp.Or(cmp.Compare(g.Sort, h.Sort), cmp.Compare(g.Name, h.Name))
}

func (g Guard) String() string { return g.Sort + " " + g.Name }

// Range is a number of which only bounds are known: the first if every call of which
// nobody knows how it would have ended had gone well, the second if each had failed.
type Range [2]int

// Figures are what became of the calls of one guard.
type Figures struct {
	Openings Range
	Open     [2]time.Duration
	Refused  Range
	Wronged  Range // of the refused: those that went well when they were recorded, or may have
	Failed   Range // calls of a breaker that were made and failed
	InUse    Range // of a bulkhead: permits, as 99 of 100 calls found them at most
}

// Run is a trace under one setting.
type Run struct {
	Name      string
	Figures   map[Guard]Figures
	Calls     int
	Unknown   int // calls that were made now and not then
	Different int // calls that ended in another way than when they were recorded
	Missing   []string
	lanes     map[string]*lane // by breaker, of the hopeful play
	lasts     time.Duration
}

// Replay is a trace that can be played.
type Replay struct {
	score  *score
	before *play
}

// New makes a trace ready.
func New(t *trace.Trace) *Replay {
	s := newScore(t)
	return &Replay{s, recorded(s)}
}

// Recorded is the run that was recorded. Of its refused calls nobody knows how they
// would have ended.
func (r *Replay) Recorded() *Run { return r.run("recorded", r.before, r.before) }

// Play plays the trace against settings.
func (r *Replay) Play(settings Settings) (*Run, error) {
	if bytes.Contains(settings.Text, []byte(`"faults"`)) { // what fails is in the trace, and their time is not that of a play
		doc, err := r.document(settings)
		if err != nil {
			return nil, err
		}
		settings = doc.settings(settings.Name)
	}
	hopeful, err := newPlay(r.score, settings, true)
	if err != nil {
		return nil, err
	}
	fearful := hopeful
	if hopeful.guessed.Load() {
		if fearful, err = newPlay(r.score, settings, false); err != nil {
			return nil, err
		}
	}
	return r.run(settings.Name, hopeful, fearful), nil
}

func (r *Replay) run(name string, hopeful, fearful *play) *Run {
	run := &Run{Name: name, Unknown: hopeful.unknown, Figures: map[Guard]Figures{}, Missing: hopeful.missing, lanes: hopeful.lanes(), lasts: r.score.trace.Lasts}
	for _, g := range r.score.guards() {
		run.Figures[g] = Figures{}
	}
	for i, p := range []*play{hopeful, fearful} {
		for g, sum := range p.sums(i == 0) {
			f, ours := run.Figures[g]
			if !ours { // no guard of a method: nobody wrote that trace
				continue
			}
			f.Openings[i], f.Open[i], f.Refused[i], f.Wronged[i], f.Failed[i], f.InUse[i] = sum.openings, sum.open, sum.refused, sum.wronged, sum.failed, sum.inUse
			run.Figures[g] = f
		}
	}
	for i := range r.score.trace.Calls {
		if r.score.whole(r.score.trace.Calls[i].At) {
			run.Calls++
			if hopeful.fates[i] != r.before.fates[i] {
				run.Different++
			}
		}
	}
	return run
}

// named are the names of the guards of a sort, in order.
func (s *score) named(sort string) (all []string) {
	for _, g := range s.guards() {
		if g.Sort == sort {
			all = append(all, g.Name)
		}
	}
	return all
}

// guards are all there are, in order.
func (s *score) guards() []Guard {
	all := map[Guard]bool{}
	add := func(sort, name string) {
		if name != "" {
			all[Guard{sort, name}] = true
		}
	}
	for i := range s.trace.Methods {
		m := &s.trace.Methods[i]
		add("breaker", m.Breaker)
		add("bulkhead", m.Bulkhead)
		add("rate limit", m.RateLimit)
		for _, w := range m.Check {
			add("breaker", w.Name)
		}
		for _, w := range m.Rate {
			add("rate limit", w.Name)
		}
		for _, w := range reserved(m) {
			add("bulkhead", w.Name)
		}
	}
	return slices.SortedFunc(maps.Keys(all), Guard.compare)
}

// sum is what Figures are made of.
type sum struct {
	openings, refused, wronged, failed, inUse int
	open                                      time.Duration
}

// end is what came of a call or a ghost.
type end struct {
	fate
	breaker   string // of its method; empty: none
	at, began time.Duration
	well      bool // it would have gone well
}

// ends are those of all calls and ghosts. A refused call of which nobody knows how it
// would have ended would have gone well, if hopeful.
func (p *play) ends(hopeful bool) iter.Seq[end] {
	return func(yield func(end) bool) {
		for i, f := range p.fates {
			c := &p.trace.Calls[i]
			well := c.Outcome == trace.Success
			if c.Refused != 0 {
				well = p.hoped(c.Method, c.At, hopeful)
			}
			if !yield(end{f, p.trace.Methods[c.Method].Breaker, c.At, c.Began(), well}) {
				return
			}
		}
		for _, g := range p.ghosts {
			method := p.trace.Calls[g.like].Method
			if !yield(end{g.fate, p.trace.Methods[method].Breaker, g.at, g.at, p.hoped(method, g.at, hopeful)}) {
				return
			}
		}
	}
}

// sums counts what came of the calls of whole minutes.
func (p *play) sums(hopeful bool) map[Guard]*sum {
	all := map[Guard]*sum{}
	of := func(sort, name string) *sum {
		g := Guard{sort, name}
		if all[g] == nil {
			all[g] = new(sum)
		}
		return all[g]
	}
	for e := range p.ends(hopeful) {
		if !p.whole(e.at) {
			continue
		}
		if e.breaker != "" && e.bad() {
			of("breaker", e.breaker).failed++
		}
		if sort := e.refuser(); sort != "" {
			s := of(sort, e.by)
			s.refused++
			if e.well {
				s.wronged++
			}
		}
	}
	p.sumChanges(of)
	for name, met := range p.usage.met {
		of("bulkhead", name).inUse = p99(met)
	}
	return all
}

// refuser is the sort of the guard that refused; empty: none did.
func (f fate) refuser() string {
	switch f.refused {
	case 0, resilience.KindDone:
		return ""
	case resilience.KindFull, resilience.KindTooLarge:
		return "bulkhead"
	case resilience.KindRate:
		return "rate limit"
	}
	return "breaker"
}

// sumChanges sums up openings, and the time in which breakers were open.
func (p *play) sumChanges(of func(sort, name string) *sum) {
	for name, stays := range p.stays() {
		base, _, _ := strings.Cut(name, "/")
		s := of("breaker", base)
		for i, stay := range stays {
			if !open(stay.state) {
				continue
			}
			if i > 0 && p.whole(stay.from) {
				s.openings++
			}
			s.open += p.wholeTime(stay.from, stay.to)
		}
	}
}

// stay is a breaker's time in a state.
type stay struct {
	state    resilience.State
	from, to time.Duration
}

// stays are those of each breaker that changed, one after the other.
func (p *play) stays() map[string][]stay {
	all := map[string][]stay{}
	for name, state := range p.first {
		all[name] = []stay{{state, 0, p.trace.Lasts}}
	}
	for _, c := range p.changes {
		at := min(max(c.at, 0), p.trace.Lasts)
		stays := all[c.breaker]
		if len(stays) == 0 {
			stays = append(stays, stay{c.from, 0, at})
		}
		stays[len(stays)-1].to = at
		all[c.breaker] = append(stays, stay{c.to, at, p.trace.Lasts})
	}
	return all
}

// wholeTime is the part of a time that is in whole minutes.
func (s *score) wholeTime(from, to time.Duration) time.Duration {
	whole := to - from
	for m := range s.torn {
		begin := time.Duration(m) * time.Minute
		whole -= max(0, min(to, begin+time.Minute)-max(from, begin))
	}
	return whole
}

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/resgen-go/resgen/cmd/resgen/internal/replay"
	"github.com/resgen-go/resgen/internal/trace"
)

// mostCalls is how many calls a trace may have: some 4 GB of memory.
const mostCalls = 20_000_000

// files are names of files, one for each time that a flag is given.
type files []string

func (f *files) String() string { return fmt.Sprint(*f) }

func (f *files) Set(text string) error {
	if text == "" {
		return errors.New("it names no file")
	}
	*f = append(*f, text)
	return nil
}

// replayOptions are the command line of replay.
type replayOptions struct {
	settings    files
	sweep, cost string
	guard       string
	suggest     bool
	picture     path
}

func (o *replayOptions) flags() *flag.FlagSet {
	flags := flag.NewFlagSet("resgen replay", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), "Usage: resgen replay [flags] TRACE…\n\n",
			"Plays calls that resilience.Record recorded against settings, with the real\n",
			"guards in fake time, and says what they would have made of them: openings,\n",
			"refusals, refused calls that would have gone well, failures at the dependency.\n",
			"Each trace is a process; figures of several are added up.\n\nFlags:\n")
		flags.PrintDefaults()
		fmt.Fprint(flags.Output(), "\nExit status: 0 fine, 1 a fault in a trace or in settings, 2 wrong usage.\n")
	}
	flags.Var(&o.settings, "settings", "settings `file` to play against; give it again for another one beside it")
	flags.StringVar(&o.sweep, "sweep", "", "`values` of one setting to play against, such as breakers.payments.failureThreshold=2..6, "+
		"5..50:5 or 2,3,5; everything else is as in the last settings file")
	flags.StringVar(&o.guard, "guard", "", "write of the guards with this `name` only")
	flags.BoolVar(&o.suggest, "suggest", false, "try many settings of the breakers, and rank them by what they cost")
	flags.StringVar(&o.cost, "cost", "1:1", "for -suggest, two `numbers`: what a lost call costs, and a good one that is refused")
	flags.Var(&o.picture, "picture", "draw into this `file`, in SVG, what each of the settings makes of the trace")
	return flags
}

// replayTraces plays recorded calls against settings.
func replayTraces(args []string, stdout, stderr io.Writer) int {
	var o replayOptions
	flags := o.flags()
	status, ok := parseFlags(flags, flagsFirst(flags, args), stderr)
	if !ok {
		return status
	}
	plan, fault := o.plan(flags.Args())
	if fault != nil {
		fmt.Fprintln(stderr, "resgen replay:", fault)
		return exitUsage
	}
	var err error
	if plan.settings, err = readAll(o.settings); err == nil {
		err = plan.run(stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "resgen:", err)
		return exitFault
	}
	return exitFine
}

// flagsFirst are arguments with the flags before all others, wherever they stand.
func flagsFirst(flags *flag.FlagSet, args []string) []string {
	var first, others []string
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if !strings.HasPrefix(arg, "-") {
			others = append(others, arg)
			continue
		}
		first = append(first, arg)
		f := flags.Lookup(strings.TrimLeft(arg, "-"))
		if f == nil || len(args) == 0 {
			continue
		}
		if b, is := f.Value.(interface{ IsBoolFlag() bool }); !is || !b.IsBoolFlag() {
			first, args = append(first, args[0]), args[1:]
		}
	}
	return append(first, others...)
}

// replayPlan is what to play, and what to write of it.
type replayPlan struct {
	traces   []string
	settings []replay.Settings
	sweep    *replay.Sweep // nil: none
	suggest  bool
	cost     replay.Cost
	guard    string // empty: all
	picture  string // empty: none
}

// plan is what the flags ask for. The error is one of usage.
func (o *replayOptions) plan(traces []string) (*replayPlan, error) {
	p := &replayPlan{traces: traces, suggest: o.suggest, guard: o.guard, picture: string(o.picture)}
	if len(traces) == 0 || len(o.settings) == 0 && o.sweep == "" && !o.suggest {
		return nil, errors.New("it takes a trace and -settings, -sweep or -suggest: resgen replay -settings resilience.json calls.trace")
	}
	if p.picture != "" && len(traces) > 1 {
		return nil, errors.New("-picture is of one trace")
	}
	if o.sweep != "" {
		sweep, err := replay.ParseSweep(o.sweep)
		if err != nil {
			return nil, fmt.Errorf("-sweep: %w", err)
		}
		p.sweep = &sweep
	}
	cost, err := replay.ParseCost(o.cost)
	if err != nil {
		return nil, fmt.Errorf("-cost: %w", err)
	}
	p.cost = cost
	return p, nil
}

// run plays, and writes what came of it.
func (p *replayPlan) run(stdout io.Writer) error {
	var runs []*replay.Run
	var tried map[string][]*replay.Run // by breaker
	for i, name := range p.traces {
		t, err := readTrace(name)
		if err != nil {
			return err
		}
		replay.WriteTrace(stdout, filepath.Base(name), t)
		played, candidates, err := p.play(replay.New(t))
		if err != nil {
			return err
		}
		if i == 0 {
			runs, tried = played, candidates
			continue
		}
		addRuns(runs, played)
		for breaker := range candidates {
			if tried[breaker] == nil {
				tried[breaker] = candidates[breaker]
			} else {
				addRuns(tried[breaker], candidates[breaker])
			}
		}
	}
	if p.guard != "" && !replay.Only(p.guard, runs) {
		return fmt.Errorf("-guard: the trace has no guard %s", p.guard)
	}
	if len(runs) > 1 {
		replay.Write(stdout, runs)
	}
	if p.suggest {
		replay.WriteSuggestions(stdout, p.cost, runs, tried)
	}
	if p.picture == "" {
		return nil
	}
	if err := os.WriteFile(p.picture, replay.Draw(runs), 0o666); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "\nThe picture is %s.\n", p.picture)
	return err
}

func addRuns(sum, more []*replay.Run) {
	for i := range sum {
		sum[i].Add(more[i])
	}
}

// play plays a trace against everything that was asked for. The first of the runs is
// what was recorded.
func (p *replayPlan) play(r *replay.Replay) (runs []*replay.Run, tried map[string][]*replay.Run, err error) {
	base, against := replay.Settings{Name: "defaults", Text: []byte("{}")}, p.settings
	if len(against) > 0 {
		base = against[len(against)-1]
	}
	if p.sweep != nil {
		swept, err := p.sweep.Settings(base, r)
		if err != nil {
			return nil, nil, err
		}
		against = slices.Concat(against, swept)
	}
	if runs, err = playAll(r, against); err != nil {
		return nil, nil, err
	}
	if p.suggest {
		tried, err = p.try(r, base)
	}
	return append([]*replay.Run{r.Recorded()}, runs...), tried, err
}

// try plays a trace with many settings of each breaker.
func (p *replayPlan) try(r *replay.Replay, base replay.Settings) (tried map[string][]*replay.Run, err error) {
	tried = map[string][]*replay.Run{}
	for _, breaker := range r.Breakers() {
		if p.guard != "" && breaker != p.guard {
			continue
		}
		candidates, err := r.Candidates(base, breaker)
		if err != nil {
			return nil, err
		}
		if tried[breaker], err = playAll(r, candidates); err != nil {
			return nil, err
		}
	}
	return tried, nil
}

func readAll(names []string) (all []replay.Settings, err error) {
	for _, name := range names {
		if _, err := readSettings(name); err != nil {
			return nil, err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, replay.Settings{Name: filepath.Base(name), Text: text})
	}
	return all, nil
}

func readTrace(name string) (*trace.Trace, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := trace.Read(f, mostCalls)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// playAll plays a trace against all settings, as many at a time as there are
// processors.
func playAll(r *replay.Replay, against []replay.Settings) ([]*replay.Run, error) {
	runs, errs := make([]*replay.Run, len(against)), make([]error, len(against))
	var all sync.WaitGroup
	places := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, settings := range against {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			runs[i], errs[i] = r.Play(settings)
		})
	}
	all.Wait()
	return runs, errors.Join(errs...)
}

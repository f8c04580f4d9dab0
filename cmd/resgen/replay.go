package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
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

// replayTraces plays recorded calls against settings.
func replayTraces(args []string, stdout, stderr io.Writer) int {
	var settings files
	flags := flag.NewFlagSet("resgen replay", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), "Usage: resgen replay -settings FILE [-settings FILE …] TRACE…\n\n",
			"Plays calls that resilience.Record recorded against settings, with the real guards\n",
			"in fake time, and says what they would have made of them: openings, refusals,\n",
			"refused calls that would have gone well, failures at the dependency. Each trace is\n",
			"a process; figures of several are added up.\n\nFlags:\n")
		flags.PrintDefaults()
		fmt.Fprint(flags.Output(), "\nExit status: 0 fine, 1 a fault in a trace or in settings, 2 wrong usage.\n")
	}
	flags.Var(&settings, "settings", "settings `file` to play against; give it again for another one beside it")
	status, ok := parseFlags(flags, args, stderr)
	switch {
	case !ok:
		return status
	case flags.NArg() == 0 || len(settings) == 0:
		fmt.Fprintln(stderr, "resgen replay: it takes a trace and -settings: resgen replay -settings resilience.json calls.trace")
		return exitUsage
	}
	against, err := readAll(settings)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitFault
	}
	runs, err := playTraces(flags.Args(), against, stdout)
	if err != nil {
		fmt.Fprintln(stderr, "resgen:", err)
		return exitFault
	}
	replay.Write(stdout, runs)
	return exitFine
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

// playTraces plays all traces against all settings. The first run is what was
// recorded.
func playTraces(names []string, against []replay.Settings, stdout io.Writer) (sum []*replay.Run, err error) {
	for _, name := range names {
		t, err := readTrace(name)
		if err != nil {
			return nil, err
		}
		replay.WriteTrace(stdout, filepath.Base(name), t)
		runs, err := playAll(replay.New(t), against)
		if err != nil {
			return nil, err
		}
		if sum == nil {
			sum = runs
			continue
		}
		for i, run := range runs {
			sum[i].Add(run)
		}
	}
	return sum, nil
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
	runs, errs := make([]*replay.Run, 1+len(against)), make([]error, len(against))
	runs[0] = r.Recorded()
	var all sync.WaitGroup
	places := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, settings := range against {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			runs[i+1], errs[i] = r.Play(settings)
		})
	}
	all.Wait()
	return runs, errors.Join(errs...)
}

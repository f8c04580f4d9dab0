package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	resilience "github.com/resgen-go/resgen/runtime"
)

func TestPreloadWastesNothingAndServesMore(t *testing.T) {
	r, err := measure(t.Context(), 100, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if r.plain.entries < 30 || r.plain.entries != r.preload.entries {
		t.Errorf("%d entries without preload and %d with it, want as many, about 100", r.plain.entries, r.preload.entries)
	}
	if got := r.plain.wastedPercent(); got < 15 {
		t.Errorf("%.1f %% of the work is wasted without preload, want far more", got)
	}
	if r.preload.wasted != 0 || r.preload.calls != callsPerEntry*r.preload.ok {
		t.Errorf("with preload %+v, want %d calls for each entry that is ok, none wasted", r.preload, callsPerEntry)
	}
	if plain, preload := r.plain.okPercent(), r.preload.okPercent(); preload < plain+3 {
		t.Errorf("%.1f %% ok with preload, %.1f %% without, want clearly more", preload, plain)
	}
}

func TestEntryE5NoEntryThatHoldsTrialsIsCutOff(t *testing.T) {
	r, err := recoverBoth(t.Context(), 2*cycle)
	if err != nil {
		t.Fatal(err)
	}
	if r.plain.entries() < 60 || r.plain.entries() != r.reserved.entries() {
		t.Errorf("%d and %d entries, want as many, about 120", r.plain.entries(), r.reserved.entries())
	}
	if got := r.reserved.of[cutOff]; got != 0 || r.reserved.wasted != 0 {
		t.Errorf("%d entries that held trials were cut off after %d calls", got, r.reserved.wasted)
	}
	if got := r.plain.of[cutOff]; got == 0 {
		t.Error("the breaker cut off no entry, though none held trials")
	}
	for name, side := range map[string]ends{"plain": r.plain, "reserved": r.reserved} {
		if side.of[finished] == 0 || side.of[refused] == 0 {
			t.Errorf("%s: the breaker did not refuse, and close again: %+v", name, side)
		}
	}
}

func TestWhatBecameOfAnEntry(t *testing.T) {
	open, answer := error(&resilience.RefusalError{Kind: resilience.KindOpen}), errors.New("items: answered 503")
	for _, c := range []struct {
		err   error
		calls int
		want  outcome
	}{
		{nil, 5, finished},
		{open, 0, refused},
		{errors.Join(open, open), 0, refused},
		{errors.Join(open, open), 3, cutOff},
		{errors.Join(open, answer), 3, failed},
		{answer, 1, failed},
	} {
		if got := endOf(c.err, c.calls); got != c.want {
			t.Errorf("%v after %d calls: %d, want %d", c.err, c.calls, got, c.want)
		}
	}
}

func TestDirectiveReservesWhatAnEntryCalls(t *testing.T) {
	s, err := startSide(preloaded)
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	s.enter(t.Context(), 0, time.Now())
	if got, err := s.tally(0); got != (tally{entries: 1, ok: 1, calls: callsPerEntry}) {
		t.Errorf("one entry gave %+v, %v", got, err)
	}
	items := s.registry.Snapshot().Bulkheads[0]
	if items.Reserved != callsPerEntry || items.ReturnedUnused != 0 || items.Overflow != 0 {
		t.Errorf("the reservation does not fit the calls: %+v", items)
	}
}

func TestTallyCountsWhatCameAfterTheWarmUp(t *testing.T) {
	full := &resilience.RefusalError{Kind: resilience.KindFull}
	s := &side{
		dependency: &dependency{calls: map[int]int{0: 5, 1: 3, 2: 5, 3: 2, 4: 0}},
		ended:      map[int]ended{0: {}, 1: {err: full}, 2: {}, 3: {err: full}, 4: {err: full}},
	}
	got, err := s.tally(2)
	if want := (tally{entries: 3, ok: 1, calls: 7, wasted: 2}); got != want || err != nil {
		t.Errorf("tally is %+v, %v, want %+v", got, err, want)
	}
}

func TestEntryThatFailsForAnotherReasonSpoilsTheTally(t *testing.T) {
	broken := errors.New("connection refused")
	s := &side{dependency: &dependency{}, ended: map[int]ended{0: {err: broken}}}
	if got, err := s.tally(0); !errors.Is(err, broken) {
		t.Errorf("tally is %+v, %v, want the entry's error", got, err)
	}
}

func TestNothingOfNothingIsNoPercent(t *testing.T) {
	if got := (tally{}).wastedPercent(); got != 0 {
		t.Errorf("got %v, want 0", got)
	}
}

func TestEntriesComeAtTheRateForTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, entries := time.Now(), 0
		poisson(t.Context(), 100, 100*time.Second, func() { entries++ })
		if took := time.Since(began); took != 100*time.Second {
			t.Errorf("took %v, want 100s", took)
		}
		if entries < 9300 || entries > 10700 { // seven standard deviations
			t.Errorf("%d entries came, want about 10000", entries)
		}
	})
}

func TestEntriesThatWereHeldUpStillCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entries := 0
		poisson(t.Context(), 100, 100*time.Second, func() {
			if entries++; entries == 1 {
				time.Sleep(50 * time.Second)
			}
		})
		if entries < 9300 {
			t.Errorf("%d entries came, want about 10000", entries)
		}
	})
}

func TestFieldL08RunWritesATableOfEightyColumnsAndAChart(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "made", "here")
	var out bytes.Buffer
	o := options{rates: []float64{20, 80}, over: 500 * time.Millisecond, out: folder}
	if err := run(t.Context(), o, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"at best", "|        20 |", "|   100 % |", "|        80 |", "|    50 % |", "preload.svg"} {
		if !strings.Contains(strings.ReplaceAll(out.String(), "\n", "|"), want) {
			t.Errorf("the output lacks %q:\n%s", want, &out)
		}
	}
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 && !strings.Contains(line, folder) {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, name := range []string{"preload.svg", "recovery.svg"} {
		chart, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		checkXML(t, chart)
	}
}

func TestRunEndsWhenToldAndKeepsWhatItHas(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &interrupter{after: "|        10 |", interrupt: cancel}
	o := options{rates: []float64{10, 20}, over: 300 * time.Millisecond, out: t.TempDir()}
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, o, out, io.Discard) }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it never ends")
	}
	if got := out.text.String(); !strings.Contains(got, "Interrupted") || strings.Contains(got, "|        20 |") {
		t.Errorf("want one row and that it was interrupted:\n%s", got)
	}
	if left, _ := os.ReadDir(o.out); len(left) > 0 {
		t.Errorf("a chart of half the rates was left: %v", left)
	}
}

// interrupter interrupts once a text has been written to it.
type interrupter struct {
	text      bytes.Buffer
	after     string
	interrupt func()
}

func (w *interrupter) Write(p []byte) (int, error) {
	n, err := w.text.Write(p)
	if strings.Contains(w.text.String(), w.after) {
		w.interrupt()
	}
	return n, err
}

func TestRunFailsAtOnceWhereNoFolderCanBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), options{rates: []float64{20}, over: time.Hour, out: file}, &out, io.Discard); err == nil {
		t.Errorf("a file passed as a folder:\n%s", &out)
	}
}

func TestCountdownShowsWhatIsLeftAndGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer
		stop := countdown(&screen, "20 entries/s", 3*time.Second)
		time.Sleep(1500 * time.Millisecond)
		stop()
		want := "\r\x1b[K20 entries/s: 3s left\r\x1b[K20 entries/s: 2s left\r\x1b[K"
		if got := screen.String(); got != want {
			t.Errorf("the screen got %q, want %q", got, want)
		}
	})
}

package main_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// trips is a service whose entries reach clients by way of another package.
var trips = map[string]string{
	"clients/clients.go": `package clients

import "context"

//resilience:breaker
//resilience:bulkhead
type Hotels interface {
	Book(ctx context.Context, name string) error

	//resilience:none
	Close() error
}

//resilience:breaker
//resilience:ratelimit
//resilience:bulkhead by=country
type Trains interface {
	Book(ctx context.Context, country string) error
}

//resilience:breaker
type Cars interface {
	Rent(ctx context.Context) error
}

type Trips interface {
	//resilience:anticipate check=hotels:2,cars rate=trains:2 preload=hotels:2 lease=trains:n
	Plan(ctx context.Context, n int) error

	//resilience:anticipate check=hotels
	Again(ctx context.Context, depth int) error
}

type Office interface {
	//resilience:anticipate check=cars
	Open(ctx context.Context) error
}
`,
	"steps/steps.go": `package steps

import (
	"context"

	"example.com/shop/clients"
)

// Step is what a trip is made of.
type Step interface{ Take(ctx context.Context) error }

type Night struct{ Hotels clients.Hotels }

func (s Night) Take(ctx context.Context) error {
	defer s.Hotels.Close()
	return s.Hotels.Book(ctx, "inn")
}

type Ride struct{ Trains *clients.ResilientTrains }

func (s *Ride) Take(ctx context.Context) error {
	for range 3 {
		s.Trains.Book(ctx, "fr")
	}
	return nil
}

func All(ctx context.Context, steps []Step, first func(context.Context) error) error {
	first(ctx)
	for _, s := range steps {
		s.Take(ctx)
	}
	return nil
}
`,
	"trips/trips.go": `package trips

import (
	"context"

	"example.com/shop/clients"
	"example.com/shop/steps"
)

type trips struct {
	hotels clients.Hotels
	again  clients.Trips
	steps  []steps.Step
}

var _ clients.Trips = (*trips)(nil)

func (t *trips) Plan(ctx context.Context, n int) error {
	return steps.All(ctx, t.steps, t.book)
}

func (t *trips) book(ctx context.Context) error {
	if err := t.hotels.Book(ctx, "first"); err != nil {
		return t.hotels.Book(ctx, "second")
	}
	return nil
}

func (t *trips) Again(ctx context.Context, depth int) error {
	if depth == 0 {
		return t.hotels.Book(ctx, "last")
	}
	return t.Again(ctx, depth-1)
}
`,
}

const tripsTable = `example.com/shop/trips.Trips.Plan at trips/trips.go:18:1
  breaker cars                check         NOT REACHED   –
  breaker hotels              check 2       calls: n ≥ 3  trips.Plan → trips.book → Hotels.Book
  breaker trains              NOT DECLARED  calls: n ≥ 1  trips.Plan → steps.All → steps.Ride.Take → Trains.Book
  bulkhead hotels             preload 2     calls: n ≥ 3  trips.Plan → trips.book → Hotels.Book
  bulkhead trains             lease n       NOT REACHED   –
  bulkhead trains by country  NOT DECLARED  calls: n ≥ 1  trips.Plan → steps.All → steps.Ride.Take → Trains.Book
  rate limit trains           rate 2        calls: n ≥ 1  trips.Plan → steps.All → steps.Ride.Take → Trains.Book

example.com/shop/trips.Trips.Again at trips/trips.go:29:1
  breaker hotels   check         calls: n ≥ 1  trips.Again → Hotels.Book
  bulkhead hotels  NOT DECLARED  calls: n ≥ 1  trips.Again → Hotels.Book

example.com/shop/clients.Office.Open: no implementation is known; var _ Interface = (*type)(nil) beside the type makes it one
`

func TestEntriesShowsWhatIsDeclaredAndReached(t *testing.T) {
	dir := writeModule(t, trips)
	output, err := run(dir, build(t), "-entries", "./...")
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(tripsTable, strings.ReplaceAll(output, dir+"/", "")); diff != "" {
		t.Errorf("the table (-want +got):\n%s", diff)
	}
}

func TestEntriesSaysWhichPackageDoesNotBuild(t *testing.T) {
	dir := smallModule(t)
	write(t, dir, "shop/fault.go", "package shop\n\nvar x int = \"\"\n")
	output, err := run(dir, build(t), "-entries", "./...")
	if err == nil || !strings.Contains(output, "fault.go:3:13") {
		t.Errorf("%v\n%s", err, output)
	}
}

// hundred is a module of ten packages with ten entries each, and a mark that makes
// it another one.
func hundred(mark int) map[string]string {
	clients, steps := "package clients\n\nimport \"context\"\n", "package steps\n\nimport (\n\t\"context\"\n\n\t\"example.com/shop/clients\"\n)\n"
	files := map[string]string{}
	for i := range 10 {
		clients += fmt.Sprintf("\n//resilience:breaker\n//resilience:bulkhead\ntype Client%d interface{ Call(ctx context.Context) error }\n", i)
		steps += fmt.Sprintf("\nfunc Step%d(ctx context.Context, c clients.Client%[1]d) error { return c.Call(ctx) }\n", i)
		entries := fmt.Sprintf("package entries%d // %d\n\nimport (\n\t\"context\"\n\n\t\"example.com/shop/clients\"\n\t\"example.com/shop/steps\"\n)\n", i, mark)
		for j := range 10 {
			entries += fmt.Sprintf(`
type Entry%[1]d interface {
	//resilience:anticipate check=client%[1]d preload=client%[1]d:1
	Do(ctx context.Context) error
}

type entry%[1]d struct{ c clients.Client%[1]d }

var _ Entry%[1]d = entry%[1]d{}

func (e entry%[1]d) Do(ctx context.Context) error { return steps.Step%[1]d(ctx, e.c) }
`, j)
		}
		files[fmt.Sprintf("entries%d/entries.go", i)] = entries
	}
	files["clients/clients.go"] = clients + fmt.Sprintf("\n// %d\n", mark)
	files["steps/steps.go"] = steps
	return files
}

// BenchmarkAHundredEntries compares go vet with what resgenvet adds to it, of a
// module in which everything has just changed. Processor time is what a machine
// with other work to do can compare.
func BenchmarkAHundredEntries(b *testing.B) {
	tool, mark := build(b), int(time.Now().UnixNano())
	dir := writeModule(b, hundred(mark))
	for _, c := range []struct {
		name    string
		command []string
	}{
		{"go vet", []string{"go", "vet", "./..."}},
		{"resgenvet", []string{"go", "vet", "-vettool=" + tool, "./..."}},
		{"entries", []string{tool, "-entries", "./..."}},
	} {
		b.Run(c.name, func(b *testing.B) {
			inTime(b, dir, c.command) // what it finds out about the packages of Go is kept
			var busy time.Duration
			for b.Loop() {
				b.StopTimer()
				mark++
				for name, text := range hundred(mark) {
					write(b, dir, name, text)
				}
				b.StartTimer()
				busy += inTime(b, dir, c.command)
			}
			b.ReportMetric(busy.Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}

// inTime runs a command and says how much processor time it took, with all that it
// started.
func inTime(b *testing.B, dir string, command []string) time.Duration {
	b.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, alone()
	if output, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, output)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// Command fleet shows and orders what processes that share breakers do
// together:
//
//	fleet [flags] list | show NAME | open NAME | close NAME | off NAME | history NAME | watch
//
// Flags say where the server is, as the section sharedState of a settings file
// does; -config reads that file. An order needs -by, and holds -for so long, or
// until close.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/config"
	"github.com/resgen-go/resgen/runtime/internal/setting"
	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
	"github.com/resgen-go/resgen/runtime/internal/sharing"
	"github.com/resgen-go/resgen/runtime/internal/sharing/fleet"
	"github.com/resgen-go/resgen/runtime/internal/sharing/rule"
	_ "github.com/resgen-go/resgen/runtime/redis"
	"github.com/resgen-go/resgen/runtime/redis/internal/door"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "fleet:", err)
		}
		os.Exit(1)
	}
}

// tool is a connection with what is asked of it.
type tool struct {
	store door.Store
	out   io.Writer
	by    string
	lasts time.Duration
}

const usage = "fleet [flags] list | show NAME | open NAME | close NAME | off NAME | history NAME | watch"

func run(ctx context.Context, args []string, out io.Writer) error {
	t := &tool{out: out}
	flags := flag.NewFlagSet("fleet", flag.ContinueOnError)
	file := flags.String("config", "", "settings file whose section sharedState says where the server is")
	service := flags.String("service", "", "the service's name, as in the settings")
	prefix := flags.String("prefix", "", "keyPrefix, where the settings have one in place of service")
	address := flags.String("address", "", "the server; without it $REDIS_URL says")
	flags.StringVar(&t.by, "by", "", "who gives the order, and why")
	flags.DurationVar(&t.lasts, "for", 0, "how long the order holds; 0: until close")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), usage)
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	do, err := t.command(flags.Args())
	if err != nil {
		return err
	}
	settings, err := settingsOf(*file, *service, *prefix, *address)
	if err != nil {
		return err
	}
	if t.store, err = door.Connect(ctx, settings); err != nil {
		return err
	}
	defer t.store.Close()
	return do(ctx)
}

// command is what the words ask for.
func (t *tool) command(words []string) (do func(context.Context) error, err error) {
	word, name := "", ""
	if len(words) > 0 {
		word = words[0]
	}
	if len(words) > 1 {
		name = words[1]
	}
	commands := map[string]func(context.Context) error{
		"list":    t.list,
		"watch":   t.watch,
		"show":    func(ctx context.Context) error { return t.show(ctx, name) },
		"history": func(ctx context.Context) error { return t.history(ctx, name) },
		"open":    func(ctx context.Context) error { return t.order(ctx, name, rule.Force) },
		"close":   func(ctx context.Context) error { return t.order(ctx, name, rule.Close) },
		"off":     func(ctx context.Context) error { return t.order(ctx, name, rule.Off) },
	}
	do, known := commands[word]
	switch named := word != "list" && word != "watch"; {
	case !known:
		return nil, fmt.Errorf("%q is no command; %s", word, usage)
	case named && len(words) != 2:
		return nil, fmt.Errorf("%s needs the name of one breaker; %s", word, usage)
	case !named && len(words) != 1:
		return nil, fmt.Errorf("%s takes no name; %s", word, usage)
	case (word == "open" || word == "close" || word == "off") && strings.TrimSpace(t.by) == "":
		return nil, fmt.Errorf("%s needs -by: who gives the order, and why", word)
	}
	return do, nil
}

// settingsOf are those of a file, with flags in place of some.
func settingsOf(file, service, prefix, address string) (*sharedstate.Settings, error) {
	s := new(sharedstate.Settings)
	setting.Defaults(s)
	if file != "" {
		text, err := config.ReadFile(file)
		if err != nil {
			return nil, err
		}
		parsed, err := config.Parse(file, text, config.Process{Shares: true, Injects: true})
		if err != nil {
			return nil, err
		}
		s = parsed.SharedState()
	}
	for value, into := range map[*string]**string{&service: &s.Service, &prefix: &s.KeyPrefix, &address: &s.Address} {
		if *value != "" {
			*into = value
		}
	}
	if s.Prefix() == "" {
		return nil, errors.New("say -service, -prefix or -config: it begins every key")
	}
	for _, problem := range s.Check() {
		return nil, fmt.Errorf("%s %s", problem.Field, problem.Message)
	}
	return s, nil
}

// views asks for breakers, without a report.
func (t *tool) views(ctx context.Context, order *rule.Hand, names ...string) ([]sharing.Breaker, error) {
	usual := rule.Settings{Threshold: 50, Errors: 20, Window: 120_000, Votes: 3, Share: 50, Retry: 20_000, Trial: 10_000, Ramp: 1000, Good: 1, Of: 1}
	request := fleet.Request{}
	for _, name := range names {
		request.Inputs = append(request.Inputs, fleet.Input{Breaker: name, Input: rule.Input{Rule: usual, Order: order}})
	}
	response, err := t.store.Exchange(ctx, request)
	if err != nil {
		return nil, err
	}
	var all []sharing.Breaker
	for i, answer := range response.Answers {
		if answer.Err != nil {
			return nil, fmt.Errorf("%s: %w", names[i], answer.Err)
		}
		all = append(all, fleet.Describe(names[i], answer.View, time.Now()))
	}
	return all, nil
}

func (t *tool) list(ctx context.Context) error {
	names, err := t.store.Breakers(ctx)
	if err != nil {
		return err
	}
	all, err := t.views(ctx, nil, names...)
	for _, b := range all {
		fmt.Fprintf(t.out, "%s\t%s\t%d processes, %d votes, %d failures in %d calls\n", b.Name, state(b), b.Processes, b.Votes, b.Failures, b.Calls)
	}
	return err
}

// state is how a breaker is, in few words.
func state(b sharing.Breaker) string {
	switch {
	case b.Order != "":
		return b.Order + " by " + b.By
	case b.OutageSince.IsZero():
		return "no outage"
	}
	return fmt.Sprintf("outage since %s", b.OutageSince.Format(time.DateTime))
}

func (t *tool) show(ctx context.Context, name string) error {
	if err := t.known(ctx, name); err != nil {
		return err
	}
	all, err := t.views(ctx, nil, name)
	if err != nil {
		return err
	}
	b := all[0]
	line := func(about, format string, values ...any) {
		fmt.Fprintf(t.out, "%-12s"+format+"\n", append([]any{about}, values...)...)
	}
	line("breaker", "%s", b.Name)
	line("state", "%s", state(b))
	if !b.OutageSince.IsZero() {
		line("trials", "from %s; %d out, %d good, %d bad", b.RetryAt.Format(time.DateTime), b.TrialsOut, b.TrialsGood, b.TrialsBad)
	}
	if !b.OrderUntil.IsZero() {
		line("until", "%s", b.OrderUntil.Format(time.DateTime))
	}
	line("last change", "%s", b.Reason)
	line("processes", "%d, of which %d made calls lately and %d opened their own breakers", b.Processes, b.Witnesses, b.Votes)
	line("calls", "%d, of which %d failed; a process counts for no more than four times the median", b.Calls, b.Failures)
	line("rule", "%+v", b.Rule)
	for _, other := range b.Others {
		line("differs", "%+v", other)
	}
	return nil
}

// known finds the names that there are, where there is none of that name.
func (t *tool) known(ctx context.Context, name string) error {
	names, err := t.store.Breakers(ctx)
	if err != nil {
		return err
	}
	for _, n := range names {
		if n == name {
			return nil
		}
	}
	return fmt.Errorf("the server knows no breaker %q; it knows %s", name, strings.Join(names, ", "))
}

func (t *tool) history(ctx context.Context, name string) error {
	if err := t.known(ctx, name); err != nil {
		return err
	}
	events, err := t.store.History(ctx, name)
	for _, e := range events {
		fmt.Fprintf(t.out, "%s\t%s\t%s\t%s\n", time.UnixMilli(e.N).Format(time.DateTime), e.What, e.By, e.Reason)
	}
	return err
}

func (t *tool) order(ctx context.Context, name, word string) error {
	if err := t.known(ctx, name); err != nil {
		return err
	}
	all, err := t.views(ctx, &rule.Hand{Word: word, By: t.by, For: t.lasts.Milliseconds()}, name)
	if err == nil {
		fmt.Fprintf(t.out, "%s\t%s\n", name, state(all[0]))
	}
	return err
}

// watch prints changes until it is interrupted.
func (t *tool) watch(ctx context.Context) error {
	told := map[string]int64{}
	news := make(chan string, 1000)
	go t.store.Changes(ctx, func(name string, _ int64) {
		select {
		case news <- name:
		default: // it has enough to print
		}
	})
	for {
		select {
		case <-ctx.Done():
			return nil
		case name := <-news:
			if err := t.printNew(ctx, name, told); err != nil {
				return err
			}
		}
	}
}

// printNew prints the changes of a breaker that were not printed yet. Without a
// name, those so far are taken for printed.
func (t *tool) printNew(ctx context.Context, name string, told map[string]int64) error {
	names := []string{name}
	if name == "" {
		var err error
		if names, err = t.store.Breakers(ctx); err != nil {
			return err
		}
	}
	for _, n := range names {
		events, err := t.store.History(ctx, n)
		if err != nil {
			return err
		}
		for i := len(events) - 1; i >= 0; i-- {
			if e := events[i]; e.N > told[n] {
				told[n] = e.N
				if name != "" {
					fmt.Fprintf(t.out, "%s\t%s\t%s\t%s\t%s\n", time.UnixMilli(e.N).Format(time.DateTime), n, e.What, e.By, e.Reason)
				}
			}
		}
	}
	return nil
}

// Command shop runs a small shop whose calls are guarded by generated wrappers,
// and shows what the guards do while its services become slow, fail and recover.
//
//	go run ./examples/shop [-duration 20s] [-rate 50] [-config resilience.json] [-admin 127.0.0.1:0] [-record FILE]
//
// Everything is real and on loopback: three HTTP servers, HTTP clients behind
// the annotated interfaces of shop.go, customers that check out at a fixed rate.
// Edit the settings file while it runs to see what they do.
//
// One run is in shop.trace, so that other settings can be tried on it:
//
//	go run ./cmd/resgen replay -settings examples/shop/resilience.json -sweep breakers.inventory.testDelay=500ms,4s examples/shop/shop.trace
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/resgen-go/resgen/internal/column"
	"github.com/resgen-go/resgen/internal/words"
	resilience "github.com/resgen-go/resgen/runtime"
)

type options struct {
	duration time.Duration
	rate     int
	config   string
	admin    string
	record   string
}

func main() {
	var o options
	flag.DurationVar(&o.duration, "duration", 20*time.Second, "how long to run")
	flag.IntVar(&o.rate, "rate", 50, "checkouts per second, 1 to 1000")
	flag.StringVar(&o.config, "config", "", "the settings (default: this example's resilience.json)")
	flag.StringVar(&o.admin, "admin", "", "serve the live page on this loopback `address`; port 0 takes a free one")
	flag.StringVar(&o.record, "record", "", "record all guarded calls in this `file`, for resgen replay")
	flag.Parse()
	if err := o.check(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "shop:", err)
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "shop:", err)
		os.Exit(1)
	}
}

// check says what is wrong with the command line.
func (o options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("it takes no arguments: %q", rest)
	case o.duration <= 0:
		return fmt.Errorf("-duration %v is not above 0", o.duration)
	case o.rate < 1 || o.rate > 1000:
		return fmt.Errorf("-rate %d is outside 1 to 1000", o.rate)
	}
	return nil
}

// findConfig looks where people start the example: the module's root and its
// own folder.
func findConfig(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	for _, path := range []string{"examples/shop/resilience.json", "resilience.json"} {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no resilience.json here: name one with -config")
}

// run plays the whole example and returns when everything has stopped.
func run(ctx context.Context, o options, out io.Writer) error {
	config, err := findConfig(o.config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, o.duration)
	defer cancel()
	screen := &screen{out: out, began: time.Now()}
	record, closeRecord, err := recordTo(o.record)
	if err != nil {
		return err
	}
	defer closeRecord()
	registry, err := resilience.New(resilience.Watch(config), resilience.Observe(screen), resilience.Time(), resilience.Logger(nil), record)
	if err != nil {
		return err
	}
	defer registry.Close()
	town, err := build(registry)
	defer town.stop()
	if err != nil {
		return err
	}
	hello := fmt.Sprintf("%s/s on %s for %v; edit %s while it runs", words.Count(o.rate, "checkout"), town.front.url, o.duration, config)
	fmt.Fprintln(out, column.Wrap(hello, "  "))
	stop, err := servePage(o.admin, registry, out)
	if err != nil {
		return err
	}
	defer stop()
	town.live(ctx, o, screen, registry)
	return nil
}

// recordTo is the option that records in a file; without one nothing is recorded.
func recordTo(name string) (option resilience.Option, closeFile func() error, err error) {
	if name == "" {
		return resilience.Record(nil), func() error { return nil }, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, nil, err
	}
	return resilience.Record(f), f.Close, nil
}

// town is the three services and how they find each other.
type town struct {
	payments, inventory, front *service
}

// build starts the services and wires the front-end through the generated
// wrappers. What it started before an error is for the caller to stop.
func build(registry *resilience.Registry) (town, error) {
	var t town
	var err error
	if t.payments, err = startService("payments", paymentsHandler()); err != nil {
		return t, err
	}
	if t.inventory, err = startService("inventory", inventoryHandler()); err != nil {
		return t, err
	}
	guarded, err := guardedShop(registry, t.payments.url, t.inventory.url)
	if err != nil {
		return t, err
	}
	t.front, err = startService("front", frontHandler(guarded))
	return t, err
}

// guardedShop is all that a service does to be guarded: it makes the wrappers
// in place of the bare clients.
func guardedShop(registry *resilience.Registry, paymentsURL, inventoryURL string) (Shop, error) {
	transport := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	payments, err := NewResilientPayments(paymentsClient{client{paymentsURL, transport}}, registry)
	if err != nil {
		return nil, err
	}
	inventory, err := NewResilientInventory(inventoryClient{client{inventoryURL, transport}}, registry)
	if err != nil {
		return nil, err
	}
	return NewResilientShop(&shop{payments, inventory}, registry)
}

func (t town) stop() {
	for _, s := range []*service{t.front, t.inventory, t.payments} {
		if s != nil {
			s.stop()
		}
	}
}

// live lets customers come and the script play until ctx is done.
func (t town) live(ctx context.Context, o options, screen *screen, registry *resilience.Registry) {
	services := map[string]*service{"payments": t.payments, "inventory": t.inventory}
	var seen second
	var running sync.WaitGroup
	running.Go(func() { play(ctx, o.duration, services, screen) })
	running.Go(func() { customers(ctx, t.front.url, o.rate, &seen) })
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
			screen.second(seen.take(), registry.Snapshot())
		}
	}
	running.Wait()
}

package breaker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/text"
)

// Probe is a probe that has ended, or that is overdue: it has not come back by its
// timeout.
type Probe struct {
	Breaker  string
	At       time.Time
	Err      error // nil: the dependency is well
	Overdue  bool
	External bool // reported by a prober outside
	Took     time.Duration
}

// ErrProbed is the error of a second probe for one breaker.
var ErrProbed = errors.New("has a probe already")

// prober asks whether the dependency of a breaker is back. Its worker is a goroutine
// that lives as long as an OPEN period of a strategy that probes.
type prober struct {
	probe   func(context.Context) error // nil: it is outside and reports
	out     chan struct{}               // holds an element while a probe is out: never two at a time
	changed chan struct{}               // tells the worker that the settings changed
	stop    context.CancelFunc          // ends the worker; nil: there is none
	workers sync.WaitGroup
}

// Probe makes probe the way to ask whether the dependency is back. Strategies
// that probe call it while the breaker is OPEN, at once if it is OPEN now, with
// a context that ends after the timeout of the settings. A probe that does not
// return then has failed, but is waited for before the next one. A probe that
// panics has failed.
func (b *Breaker) Probe(probe func(context.Context) error) error {
	return b.addProber(&prober{probe: probe, out: make(chan struct{}, 1), changed: make(chan struct{}, 1)})
}

// ExternalProbe leaves probing to a prober outside: report(nil) tells that the
// dependency is well. That counts while a breaker whose strategy probes is
// OPEN.
func (b *Breaker) ExternalProbe() (report func(error), err error) {
	if err := b.addProber(new(prober)); err != nil {
		return nil, err
	}
	return b.report, nil
}

func (b *Breaker) addProber(p *prober) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.prober != nil {
		return fmt.Errorf("breaker %s %w", b.name, ErrProbed)
	}
	b.prober = p
	if period := b.period.Load(); period.state == Open {
		b.goOn(period, period.stay)
		b.guide(longAgo) // nothing has failed yet that would have to be waited for
	}
	return nil
}

// Probed reports whether the breaker has a probe, of its own or outside.
func (b *Breaker) Probed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.prober != nil
}

func (b *Breaker) report(err error) {
	text := Describe(err)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.noteProbe(err, text)
	b.hooks.Probe(Probe{Breaker: b.name, At: time.Now(), Err: err, External: true})
	b.present(Now())
	if b.probing() != nil && err == nil {
		b.probed()
	}
}

// probing is how the current period is probed; nil: not.
func (b *Breaker) probing() *Probing {
	if b.period.Load().state != Open || b.hold.outage != 0 {
		return nil
	}
	return b.strategy.Open().Probing
}

func (b *Breaker) probed() {
	now := Now()
	b.move(HalfOpen, now, now, reason("a probe succeeded"))
}

// Close stops probing for good; calls serve as canaries where nothing else ends
// OPEN. It does not wait for a probe that is out; its context is done.
func (b *Breaker) Close() {
	b.mu.Lock()
	b.closed = true
	p := b.prober
	if p != nil {
		p.stopWorker()
	}
	if period := b.period.Load(); period.state == Open {
		b.goOn(period, period.stay)
	}
	b.mu.Unlock()
	if p != nil {
		p.workers.Wait()
	}
}

// guide starts, stops or wakes the worker as the current period needs it. The first
// pause of a new worker began at from.
func (b *Breaker) guide(from Instant) {
	prober := b.prober
	if prober == nil || prober.probe == nil || b.closed {
		return
	}
	switch {
	case b.probing() == nil:
		prober.stopWorker()
	case prober.stop == nil:
		b.startWorker(from)
	default:
		select {
		case prober.changed <- struct{}{}:
		default: // the worker has not read the last change yet
		}
	}
}

func (p *prober) stopWorker() {
	if p.stop != nil {
		p.stop()
		p.stop = nil
	}
}

func (b *Breaker) startWorker(from Instant) {
	ctx, stop := context.WithCancel(context.Background())
	b.prober.stop = stop
	b.prober.workers.Go(func() { b.work(ctx, from) })
}

// work probes until the period is over. The pause before the first tick began at
// from.
func (b *Breaker) work(ctx context.Context, from Instant) {
	for failed := 0; ; {
		probing, ok := b.task(ctx)
		if !ok {
			return
		}
		if !b.prober.rest(ctx, jitter(probing.pause(probing.Probes, failed))-Now().Sub(from)) {
			continue
		}
		for range probing.Probes.Size {
			if done := b.try(ctx, probing.Timeout); done {
				return
			}
		}
		failed++
		from = Now()
	}
}

// rest waits for d, or until ctx is done. It reports false, and returns sooner,
// when the breaker has changed.
func (p *prober) rest(ctx context.Context, d time.Duration) bool {
	// A context, not a timer: testing/synctest under the race detector crashes
	// where goroutines meet channels of timers that are overdue, as this one
	// may be (https://go.dev/issue/78156).
	ctx, end := context.WithTimeout(ctx, d)
	defer end()
	select {
	case <-p.changed:
		return false
	case <-ctx.Done():
		return true
	}
}

// task is how the worker probes, and false once it is to stop.
func (b *Breaker) task(ctx context.Context) (Probing, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	probing := b.probing()
	if ctx.Err() != nil || probing == nil {
		return Probing{}, false
	}
	return *probing, true
}

// jitter is d, up to ten percent less or more, so that many processes that lost one
// dependency don't probe it in step.
func jitter(d time.Duration) time.Duration {
	return d + time.Duration((rand.Float64()-0.5)/5*float64(d))
}

// try sends one probe. It reports whether the period is over, because of this probe
// or for another reason.
func (b *Breaker) try(ctx context.Context, timeout time.Duration) (done bool) {
	if !b.await(ctx, timeout) {
		return true
	}
	if ctx.Err() != nil {
		<-b.prober.out // the period ended just now
		return true
	}
	began := Now()
	result := b.send(ctx, timeout)
	overdue := time.NewTimer(timeout + timeout/10) // a probe that heeds its context comes before
	defer overdue.Stop()
	for {
		select {
		case <-ctx.Done():
			return true
		case <-overdue.C:
			b.answer(ctx, Probe{Err: context.DeadlineExceeded, Overdue: true, Took: Now().Sub(began)})
		case err := <-result:
			took := Now().Sub(began)
			if err == nil && took >= timeout {
				err = fmt.Errorf("it was good, but after %v, not within probeTimeout (%v): %w", took, timeout, context.DeadlineExceeded)
			}
			return b.answer(ctx, Probe{Err: err, Took: took})
		}
	}
}

// await waits until no probe is out, such as one of an earlier period that hangs,
// and tells of it once. It reports false when ctx is done.
func (b *Breaker) await(ctx context.Context, timeout time.Duration) bool {
	began := Now()
	overdue := time.NewTimer(timeout + timeout/10)
	defer overdue.Stop()
	for {
		select {
		case b.prober.out <- struct{}{}:
			return true
		case <-overdue.C:
			b.answer(ctx, Probe{Err: context.DeadlineExceeded, Overdue: true, Took: Now().Sub(began)})
		case <-ctx.Done():
			return false
		}
	}
}

// send runs the probe on a goroutine of its own, so that the worker need not wait
// for it.
func (b *Breaker) send(ctx context.Context, timeout time.Duration) <-chan error {
	result := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		err := errors.New("the probe ended its goroutine")
		defer func() {
			if r := recover(); r != nil {
				err = errors.New("the probe panicked: " + text.OfPanic(r))
			}
			cancel()
			<-b.prober.out
			result <- err
		}()
		err = b.prober.probe(ctx)
	}()
	return result
}

// answer tells of a probe and ends OPEN if it was good.
func (b *Breaker) answer(ctx context.Context, probe Probe) (done bool) {
	text := Describe(probe.Err)
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() != nil {
		return true
	}
	probe.Breaker, probe.At = b.name, time.Now()
	b.noteProbe(probe.Err, text)
	b.hooks.Probe(probe)
	if probe.Err == nil {
		b.probed()
	}
	return probe.Err == nil
}

package breaker

import "time"

// Ready reports whether the breaker admits calls, or need not ask first whether its
// dependency is well. If it is not ready, ask again after the duration, or when
// [Breaker.Watch] has news.
func (b *Breaker) Ready() (ready bool, after time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := Now()
	p := b.period.Load()
	if b.strategy.Open().Probing == nil || p.state != Open && p.state != ForcedOpen || b.admits(p, 1, now) {
		return true, 0
	}
	if at, known := b.retryAt(p, now); known {
		return false, at.Sub(now)
	}
	return false, time.Duration(never)
}

// Watch sends to news, without waiting, whenever the breaker changes its state
// or its wait, until Unwatch.
func (b *Breaker) Watch(news chan<- struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watchers == nil {
		b.watchers = map[chan<- struct{}]struct{}{}
	}
	b.watchers[news] = struct{}{}
}

// Unwatch ends Watch.
func (b *Breaker) Unwatch(news chan<- struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.watchers, news)
}

// enter makes p the current period, and lets watchers know.
func (b *Breaker) enter(p *Period) {
	b.period.Store(p)
	for news := range b.watchers {
		select {
		case news <- struct{}{}:
		default: // the watcher has not read the last news yet
		}
	}
}

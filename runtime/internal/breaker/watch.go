package breaker

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
		default: // they have not read the last news yet
		}
	}
}

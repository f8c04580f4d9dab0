package redis

import (
	"math"
	"math/rand/v2"
	"time"
)

// report is outcomes that came at about one moment.
type report struct {
	number          uint64
	at              time.Time
	calls, failures float64
}

// collect makes a report of what was counted since the last one.
func (m *member) collect(now time.Time, s *settings) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.membership != joined {
		return
	}
	calls, failures := m.core.Totals()
	newCalls, newFailures := calls-m.calls, failures-m.failures
	m.calls, m.failures = calls, failures
	for len(m.reports) > 0 && now.Sub(m.reports[0].at) > s.OutageWindow {
		m.reports = m.reports[1:]
	}
	if newCalls == 0 || m.outage != 0 {
		return
	}
	counted := sample(newCalls-newFailures, s.sampleRate()) + float64(newFailures)
	if counted > 0 {
		m.add(report{at: now, calls: counted, failures: float64(newFailures)}, s.bucket())
	}
}

// add keeps the reports few while the server is away: one for each bucket.
func (m *member) add(r report, width time.Duration) {
	if n := len(m.reports); n > 0 {
		if last := &m.reports[n-1]; last.number > m.sent && r.at.Sub(last.at) < width {
			last.calls += r.calls
			last.failures += r.failures
			return
		}
	}
	m.reported++
	r.number = m.reported
	m.reports = append(m.reports, r)
}

// sample counts each of n successes with probability p, as 1/p.
func sample(n uint64, p float64) float64 {
	if p == 1 {
		return float64(n)
	}
	taken, skip := 0, math.Log1p(-p)
	for left := float64(n); ; taken++ {
		left -= 1 + math.Floor(math.Log(1-rand.Float64())/skip) // successes up to the next one that is taken
		if left < 0 {
			return float64(taken) / p
		}
	}
}

// drop forgets the reports up to a number.
func (m *member) drop(number uint64) {
	for len(m.reports) > 0 && m.reports[0].number <= number {
		m.reports = m.reports[1:]
	}
}

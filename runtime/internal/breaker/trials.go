package breaker

// trials are the calls that a HALF_OPEN period has admitted.
type trials struct {
	out    int     // have not ended
	begun  bool    // there was one
	newest Instant // when it began
}

func (p *Period) takeTrial(now Instant) bool {
	if !p.trialFree(now) {
		return false
	}
	p.trials = trials{p.trials.out + 1, true, now}
	return true
}

// trialFree reports that HALF_OPEN would admit a call now.
func (p *Period) trialFree(now Instant) bool {
	return p.state == HalfOpen && p.permitLeft() &&
		(!p.trials.begun || now.Sub(p.trials.newest) >= p.rules.Trials.Apart)
}

// permitLeft holds while no trial is out, whatever the total: after a reload
// that lowered it, somebody must still decide.
func (p *Period) permitLeft() bool {
	out, limit := p.trials.out, p.rules.Trials
	if out == 0 {
		return true
	}
	counted := int(p.window.counts(p.trials.newest).Calls)
	return (limit.AtATime == 0 || out < limit.AtATime) && (limit.Total == 0 || counted+out < limit.Total)
}

// lost reports since when the trials must be taken for lost: no permit is left,
// and the newest trial began too long ago. The breaker is OPEN from that
// moment, although only the next call that asks to be admitted makes the move.
func (p *Period) lost(now Instant) (since Instant, lost bool) {
	if p.state != HalfOpen || p.permitLeft() {
		return 0, false
	}
	since = p.trials.newest.Add(p.rules.Trials.Longest)
	return since, now >= since
}

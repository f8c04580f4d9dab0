package resilience

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/bulkhead"
	"github.com/resgen-go/resgen/runtime/internal/ratelimit"
	"github.com/resgen-go/resgen/runtime/internal/redact"
	"github.com/resgen-go/resgen/runtime/internal/shedding"
	"github.com/resgen-go/resgen/runtime/internal/text"
)

// newLog is a queue of events for the logger. It is not that of the observers, so
// that a slow observer does not hold up the log.
func newLog(logger *slog.Logger) *events {
	if logger == nil || logger.Handler() == nil {
		return new(events)
	}
	q := new(events)
	q.observers = []Observer{&journal{handler: logger.Handler(), emit: q.emit, turns: map[string]*turn{}, probes: map[string]*probeLog{}}}
	return q
}

// journal writes the events that need somebody's attention: each change once, and
// nothing again while it lasts. Events come one at a time.
type journal struct {
	handler  slog.Handler
	emit     func(Event)          // tells the journal later
	turns    map[string]*turn     // by subject, such as "breaker payments"
	probes   map[string]*probeLog // by breaker
	rejected string               // why the last settings were rejected; empty if they were not
	warnings map[string]bool      // of the settings in force
	outdated map[string]bool      // warnings of the settings before
}

// Events for the log only: observers get each refusal.
type (
	bulkheadRefuses struct{ bulkhead.Refusing }
	rateRefuses     struct{ ratelimit.Refusing }
	dueLine         string   // a turn whose time has come
	lastLines       struct{} // the log ends
)

func (bulkheadRefuses) event() {}
func (rateRefuses) event()     {}
func (dueLine) event()         {}
func (lastLines) event()       {}

func (j *journal) Observe(e Event) {
	switch e := e.(type) {
	case Transition:
		j.change("breaker "+e.Breaker, "breaker changed state", e)
	case ShadowTransition:
		j.change("shadow "+e.Breaker, "breaker would have changed state by the settings of its shadow", e.Transition)
	case Probed:
		j.probed(e)
	case bulkheadRefuses:
		j.bulkhead(e)
	case rateRefuses:
		j.rateLimit(e)
	case Reloaded:
		j.reloaded(e)
	case SettingWarning:
		j.warning(e)
	case UnknownName:
		j.unknown(e)
	case Outage:
		j.outage(e)
	case FleetLink:
		j.link(e)
	case dueLine:
		j.due(string(e))
	case unrecorded:
		j.write(e.at, slog.LevelError, "recording of calls has ended, because they could not be written", slog.String("error", redact.Text(text.Of(e.err))))
	case lastLines:
		j.flush()
	case Abandoned:
		j.writeOf("stream "+e.Method, e.At, slog.LevelWarn, "stream was neither closed nor read to its end", slog.String("method", e.Method))
	case Faulty:
		j.faulty(e)
	case Crowded:
		j.write(e.At, slog.LevelWarn, "calls with further keys are guarded by the base name, because as many instances live as may, and none is at rest",
			slog.String("name", e.Name), slog.Int("maxInstances", e.MaxInstances))
	case Undeclared:
		j.write(e.At, slog.LevelWarn, "entry was cut off by a guard that it neither checks nor reserves",
			slog.String("entry", e.Entry), slog.Any("refusal", e.Error))
	}
}

// pause is the shortest time between two lines about one subject.
const pause = time.Second

// turn is a subject with a line in the last pause.
type turn struct {
	next     time.Time // when it may have another line
	held     *slog.Record
	unlogged int // lines that are neither written nor held
}

// write writes a line.
func (j *journal) write(at time.Time, level slog.Level, message string, attrs ...slog.Attr) {
	j.writeOf("", at, level, message, attrs...)
}

// writeOf writes a line about a subject that may change often. Where there was one
// less than a pause ago it holds the line until then, or until a later one takes its
// place: so there is no flood, and the last word is always in the log.
func (j *journal) writeOf(subject string, at time.Time, level slog.Level, message string, attrs ...slog.Attr) {
	if !j.handler.Enabled(context.Background(), level) {
		return
	}
	record := slog.NewRecord(at, level, message, 0)
	record.AddAttrs(attrs...)
	if subject == "" {
		j.handler.Handle(context.Background(), record)
		return
	}
	t := j.turns[subject]
	if t == nil {
		t = new(turn)
		j.turns[subject] = t
	}
	if t.held != nil {
		t.unlogged++
	}
	t.held = &record
	if !time.Now().Before(t.next) {
		j.release(subject, t)
	}
}

// release writes the line that is held.
func (j *journal) release(subject string, t *turn) {
	if t.unlogged > 0 {
		t.held.AddAttrs(slog.Int("unlogged", t.unlogged))
	}
	j.handler.Handle(context.Background(), *t.held)
	*t = turn{next: time.Now().Add(pause)}
	time.AfterFunc(pause, func() { j.emit(dueLine(subject)) })
}

// due writes what is held of a turn, or forgets the turn.
func (j *journal) due(subject string) {
	switch t := j.turns[subject]; {
	case t == nil || time.Now().Before(t.next):
	case t.held != nil:
		j.release(subject, t)
	default:
		delete(j.turns, subject)
	}
}

// flush writes all lines that are held.
func (j *journal) flush() {
	for _, subject := range slices.Sorted(maps.Keys(j.turns)) {
		if t := j.turns[subject]; t.held != nil {
			j.release(subject, t)
		}
	}
}

func (j *journal) change(subject, message string, e Transition) {
	level := slog.LevelInfo
	attrs := []slog.Attr{
		slog.String("breaker", e.Breaker),
		slog.String("from", e.From.String()),
		slog.String("to", e.To.String()),
		slog.String("reason", e.Reason),
	}
	if e.By != "" {
		attrs = append(attrs, slog.String("by", e.By))
	}
	attrs = append(attrs, slog.Duration("lasted", time.Duration(e.Lasted)))
	if e.Refused > 0 {
		attrs = append(attrs, slog.Uint64("refused", e.Refused))
	}
	if e.DryRun {
		attrs = append(attrs, slog.Bool("dryRun", true))
	}
	if e.To == Open || e.To == ForcedOpen {
		level = slog.LevelWarn
	}
	attrs = e.LastProbe.appendTo(e.LastFailure.appendTo(attrs, "lastFailure"), "lastProbe")
	j.writeOf(subject, e.At, level, message, attrs...)
}

func (t Trouble) appendTo(attrs []slog.Attr, key string) []slog.Attr {
	if t == (Trouble{}) {
		return attrs
	}
	group := []slog.Attr{slog.Time("at", t.At)}
	if t.Method != "" {
		group = append(group, slog.String("method", t.Method))
	}
	return append(attrs, slog.Attr{Key: key, Value: slog.GroupValue(append(group, slog.String("error", t.Error))...)})
}

// probeLog says which probes of a breaker are in the log.
type probeLog struct {
	failed int       // since the last good one
	logged bool      // one of them is in the log
	text   string    // of that one
	full   time.Time // when probeChanges lines are allowed again
}

// Errors may differ each time, for example by the port of a connection. So many
// changes are logged at once, and then one each probePause.
const (
	probeChanges = 5
	probePause   = time.Minute
)

// allow reports whether a line may be written, and counts it.
func (p *probeLog) allow(now time.Time) bool {
	if p.full.Before(now) {
		p.full = now
	}
	if p.full.Sub(now) > (probeChanges-1)*probePause {
		return false
	}
	p.full = p.full.Add(probePause)
	return true
}

// probed logs a failure of a probe if its text is new, and the success that ends
// the failures.
func (j *journal) probed(e Probed) {
	p := j.probes[e.Breaker]
	if p == nil {
		p = new(probeLog)
		j.probes[e.Breaker] = p
	}
	if e.Err == nil {
		if p.logged {
			j.writeOf("probe "+e.Breaker, e.At, slog.LevelInfo, "probe succeeded", slog.String("breaker", e.Breaker), slog.Int("failedBefore", p.failed))
		}
		p.failed, p.logged, p.text = 0, false, ""
		return
	}
	p.failed++
	fault := redact.Text(text.Of(e.Err))
	if p.logged && p.text == fault || !p.allow(e.At) {
		return
	}
	p.logged, p.text = true, fault
	j.writeOf("probe "+e.Breaker, e.At, slog.LevelWarn, "probe failed", slog.String("breaker", e.Breaker), slog.String("error", fault), slog.Int("failed", p.failed))
}

func (j *journal) bulkhead(e bulkheadRefuses) {
	j.refusing("bulkhead", e.Bulkhead, fullKinds[e.Kind].String(), e.Bout, slog.Int("maxConcurrentCalls", e.Size))
}

func (j *journal) rateLimit(e rateRefuses) {
	kind := [...]string{ratelimit.Spent: "reached", ratelimit.TooLarge: "too large", ratelimit.Cancelled: "cancelled"}[e.Kind]
	j.refusing("rateLimit", e.Name, kind, e.Bout, slog.Int("limit", e.Limit), slog.Duration("period", e.Period))
}

// refusing logs that a guard begins to refuse, or that this is over.
func (j *journal) refusing(guard, name, reason string, b shedding.Bout, size ...slog.Attr) {
	attrs := append([]slog.Attr{slog.String(guard, name)}, size...)
	attrs = append(attrs, slog.String("reason", reason))
	words := map[string]string{"bulkhead": "bulkhead", "rateLimit": "rate limit"}[guard]
	if !b.Over {
		j.writeOf(guard+" "+name, b.At, slog.LevelWarn, words+" refuses calls", attrs...)
		return
	}
	attrs = append(attrs, slog.Uint64("refused", b.Refused), slog.Duration("lasted", b.Lasted))
	j.writeOf(guard+" "+name, b.At, slog.LevelInfo, words+" refuses calls no more", attrs...)
}

// reloaded logs changes, and a rejection once.
func (j *journal) reloaded(e Reloaded) {
	if e.Err != nil {
		if fault := text.Of(e.Err); fault != j.rejected {
			j.rejected = fault
			j.write(e.At, slog.LevelWarn, "settings rejected, those before stay in force", slog.String("source", e.Source), slog.String("error", fault))
		}
		return
	}
	level := slog.LevelInfo
	if len(e.Changed) == 0 && j.rejected == "" {
		level = slog.LevelDebug
	}
	j.rejected = ""
	j.outdated, j.warnings = j.warnings, nil
	j.write(e.At, level, "settings in force", slog.String("source", e.Source), slog.Any("changed", e.Changed))
}

// warning logs a warning unless it was logged of the settings before, because each
// reload warns anew.
func (j *journal) warning(e SettingWarning) {
	told := j.warnings[e.Text] || j.outdated[e.Text]
	if j.warnings == nil {
		j.warnings = map[string]bool{}
	}
	j.warnings[e.Text] = true
	if !told {
		j.write(e.At, slog.LevelWarn, "doubtful setting", slog.String("warning", e.Text))
	}
}

func (j *journal) unknown(e UnknownName) {
	attrs := []slog.Attr{slog.String("section", e.Section), slog.String("name", e.Name)}
	if e.Nearest != "" {
		attrs = append(attrs, slog.String("nearestUnused", e.Nearest))
	}
	j.write(e.At, slog.LevelWarn, "name is not in the settings, the defaults hold for it", attrs...)
}

func (j *journal) outage(e Outage) {
	level := slog.LevelInfo
	if e.Change == OutageBegan {
		level = slog.LevelWarn
	}
	j.writeOf("outage "+e.Breaker, e.At, level, "outage of all processes that share a breaker",
		slog.String("breaker", e.Breaker), slog.String("change", e.Change.String()), slog.String("reason", e.Reason))
}

func (j *journal) faulty(e Faulty) {
	level, message := slog.LevelWarn, "faults are injected by the settings"
	if !e.Active {
		level, message = slog.LevelInfo, "faults are injected no more"
	}
	attrs := []slog.Attr{slog.String("name", e.Name), slog.Float64("failPercent", e.FailPercent)}
	if e.Delay > 0 {
		attrs = append(attrs, slog.Duration("delay", time.Duration(e.Delay)), slog.Float64("delayPercent", e.DelayPercent))
	}
	attrs = append(attrs, slog.Time("until", e.Until), slog.Uint64("failed", e.Failed), slog.Uint64("delayed", e.Delayed))
	j.writeOf("faults "+e.Name, e.At, level, message, attrs...)
}

func (j *journal) link(e FleetLink) {
	var attrs []slog.Attr
	if e.Breaker != "" {
		attrs = append(attrs, slog.String("breaker", e.Breaker))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("error", text.Of(e.Err)))
		j.writeOf("link "+e.Breaker, e.At, slog.LevelWarn, "link to the processes that share breakers lost, each decides for itself", attrs...)
		return
	}
	j.writeOf("link "+e.Breaker, e.At, slog.LevelInfo, "link to the processes that share breakers is there", attrs...)
}

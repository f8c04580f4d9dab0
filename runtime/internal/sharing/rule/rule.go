// Package rule decides for all processes that share a breaker: when an outage
// begins, who may send trial calls, when it ends, and how quickly calls come
// back after it.
//
// [Step] is a pure function of what a store knows of the breaker, of one
// process's input, and of the store's clock. A store runs it where its state is,
// in one piece, so that nothing comes between what it reads and what it writes;
// the Redis adapter's script is the same function in Lua, and is held against
// this one.
//
// # Processes are witnesses
//
// Each process reports the calls and failures of its own window, and whether its
// own strategy has opened the breaker: that is its vote. Reports are totals, so
// one that is lost, repeated or late does no harm. An outage begins when enough
// processes vote, or when the sum of all windows has too many failures; in that
// sum a process counts for no more than four times the median process, because
// one broken host must not hold the others.
//
// # Nothing is forgotten
//
// Each input carries what its process knows: the highest outage that ended, and
// the outage that lasts. What a store has lost, because it was emptied, evicted
// or restored from a copy, comes back with the first input. An outage has a
// number, which is the moment of its beginning unless a higher number is known.
package rule

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Moments and durations are whole milliseconds; moments are of the store's
// clock.

// Horizon is how far ahead of a store's clock a number may be. A store that is
// behind its predecessor gets numbers from its future; one further ahead is
// garbage.
const Horizon = 3_600_000

// Shares of calls are in thousandths.
const (
	whole      = 1000
	firstShare = 100 // of a ramp
)

// State is what a store knows of a breaker. The zero State is that of a breaker
// that nobody has shared yet.
type State struct {
	Change int64 // number of the last change; numbers grow
	Outage int64 // number of the outage that lasts, 0: none
	Ended  int64 // highest number of an outage that ended
	Retry  int64 // moment from which trials are admitted
	Reason string

	Given, Good, Bad, Lost int64 // trials of this round
	Permits                map[string]Permit

	RampAt int64 // moment from which calls come back, 0: they are
	Top    int64 // share up to which a ramp doubles, 0: all

	Stir    int64 // moment of the first failure after a calm window, 0: calm
	Stirred int64 // moment of a late one
	Judged  int64 // moment of the last judgement
	Figures
	Rules string // settings of all processes; the first are in force, see Kinds

	Hand    Hand
	HandEnd int64 // moment at which an order ends, 0: none

	Records map[string]Record
}

// Permit lets one process make one trial call.
type Permit struct{ ID, Until int64 }

// Figures are what a judgement saw.
type Figures struct{ Members, Witnesses, Votes, Calls, Failures int64 }

// Record is the last report of a process.
type Record struct {
	At, Calls, Failures int64
	Vote                Vote
	Epoch               int64 // highest outage that had ended then
	Rule                Settings
}

// Vote is what a process says of its own breaker.
type Vote int64

// The votes.
const (
	Closed Vote = iota
	Open        // opened by its own judgement
	Left        // shared no more
	Young       // no calls yet, and so short a time that others must not decide without it
)

// Words of an order.
const (
	Auto  = ""      // the rule decides
	Force = "OPEN"  // every process holds the breaker, without trials
	Off   = "OFF"   // every process decides for itself
	Close = "CLOSE" // the outage ends; then the rule decides
)

// Hand is an order by hand for all processes.
type Hand struct {
	Word string
	N    int64  // its number
	For  int64  // how long it holds from now, 0: until another
	By   string // who, and why
}

// Input is what a process, or an operator's tool, tells a store of a breaker.
type Input struct {
	Process string // empty: a tool, which reports nothing
	Rule    Settings
	Told    int64 // highest change that the process was told of

	// What it knows:
	Ended, Outage int64
	RetryIn       int64
	Known         Hand

	Calls, Failures int64 // of its window
	Vote            Vote

	Trial Trial // that came back
	Want  bool  // calls wait for a trial

	Order *Hand // new, of an operator
}

// Result says how a trial ended.
type Result int64

// The results.
const (
	None   Result = iota // there was no trial
	Good                 // the call succeeded
	Bad                  // it failed
	Unused               // no call was made
)

// Trial is the end of one.
type Trial struct {
	Outage, ID int64
	Result     Result
}

// Event is a change that a process made for all.
type Event struct {
	N      int64
	What   string // BEGAN, TRIAL, TRIAL_FAILED, ENDED, or an order
	By     string // the process
	Reason string
}

// View is a breaker of all processes, as one of them sees it.
type View struct {
	Now, Change, Outage, Ended int64
	RetryIn                    int64
	RampFor                    int64 // since the ramp began; -1: there is none
	Top                        int64
	Hand                       Hand
	Permit                     int64 // ID of a trial that the process may make; 0: none
	PermitFor                  int64
	Calm                       bool  // nothing failed in any process for a window
	Again                      int64 // when another input may decide; 0: none would
	Figures
	Out, Good, Bad int64 // trials
	Rules          string
	Reason         string

	Events []Event // made by this step
	Push   bool    // all others should look
}

// Step takes an input in. Processes that the store heard of lately are alive.
func Step(s *State, alive map[string]bool, in Input, now int64) View {
	d := &decision{State: s, alive: alive, in: in, now: now}
	d.rule = d.inForce()
	d.clamp()
	d.merge()
	d.expire()
	d.order()
	d.report()
	d.judge()
	d.try()
	return d.view()
}

// decision is a State in the course of one Step.
type decision struct {
	*State
	alive  map[string]bool
	in     Input
	now    int64
	rule   Settings
	judged bool
	events []Event
	push   bool
}

// inForce are the settings of most processes, as far as they are known.
func (d *decision) inForce() Settings {
	for _, kind := range Kinds(d.Rules) {
		return kind.Settings
	}
	return d.in.Rule
}

func (d *decision) credible(n int64) bool { return n > 0 && n <= d.now+Horizon }

// clamp drops moments that this store's clock can't have written.
func (d *decision) clamp() {
	for _, n := range []*int64{&d.Change, &d.Outage, &d.Ended, &d.Hand.N} {
		if !d.credible(*n) {
			*n = 0
		}
	}
	d.Retry = min(d.Retry, d.now+d.rule.Retry)
	for process, p := range d.Permits {
		d.Permits[process] = Permit{p.ID, min(p.Until, d.now+d.rule.Trial)}
	}
	for _, at := range []*int64{&d.RampAt, &d.Stir, &d.Stirred} {
		*at = min(*at, d.now)
	}
	if d.Judged > d.now {
		d.Judged, d.Figures = 0, Figures{}
	}
}

// merge takes in what the process knows and the store may have lost.
func (d *decision) merge() {
	if d.credible(d.in.Ended) {
		d.Ended = max(d.Ended, d.in.Ended)
	}
	if d.in.Known.N > d.Hand.N && d.credible(d.in.Known.N) {
		d.Hand, d.HandEnd = d.in.Known, 0
		if d.Hand.For > 0 {
			d.HandEnd = d.now + d.Hand.For
		}
	}
	if d.Outage > 0 && d.Outage <= d.Ended {
		d.lift()
	}
	if d.credible(d.in.Outage) && d.in.Outage > max(d.Ended, d.Outage) && d.Hand.Word != Off {
		d.lift()
		d.Outage, d.Reason = d.in.Outage, "the store had lost it"
		d.Retry = d.now + min(max(d.in.RetryIn, 0), d.rule.Retry)
		d.RampAt = 0
	}
	d.Change = max(d.Change, d.Ended, d.Outage, d.Hand.N)
	if d.credible(d.in.Told) {
		d.Change = max(d.Change, d.in.Told)
	}
}

// lift forgets the outage.
func (d *decision) lift() {
	d.Outage, d.Retry = 0, 0
	d.newRound()
}

func (d *decision) newRound() {
	d.Given, d.Good, d.Bad, d.Lost = 0, 0, 0, 0
	clear(d.Permits)
}

// expire ends what time ends.
func (d *decision) expire() {
	if d.HandEnd > 0 && d.now >= d.HandEnd {
		d.obey(Hand{Word: Close, By: "its time is over"})
	}
	maps.DeleteFunc(d.Permits, func(_ string, p Permit) bool {
		if p.Until <= d.now {
			d.Lost++
		}
		return p.Until <= d.now
	})
	if d.RampAt > 0 && d.share() >= whole {
		d.RampAt, d.Top = 0, 0
	}
}

func (d *decision) order() {
	if d.in.Order != nil {
		d.obey(*d.in.Order)
	}
}

// obey puts an order in force.
func (d *decision) obey(order Hand) {
	forced := d.Hand.Word == Force
	d.HandEnd = 0
	if order.For > 0 {
		d.HandEnd = d.now + order.For
	}
	d.Hand = Hand{Word: order.Word, By: order.By}
	reason := "by hand: " + order.By
	switch {
	case order.Word == Force:
		d.lift()
		d.change("BEGAN", reason)
		d.Outage, d.Retry, d.RampAt, d.Top = d.Change, d.now+d.rule.Retry, 0, 0
	case d.Outage > 0 || forced:
		d.finish(reason)
	default:
		d.change(order.Word, reason)
	}
	if order.Word == Off {
		d.RampAt, d.Top = 0, 0
	}
	if order.Word == Close {
		d.Hand.Word = Auto
	}
	d.Hand.N = d.Change
}

// change numbers what happened.
func (d *decision) change(what, reason string) {
	d.Change = max(d.now, d.Change+1)
	d.Reason = reason
	d.events = append(d.events, Event{d.Change, what, d.in.Process, reason})
	d.push = d.push || what != "TRIAL"
}

// begin begins an outage. A relapse in a ramp is tried again soon, because a
// smaller share of the calls went well.
func (d *decision) begin(reason string) {
	wait := d.rule.Retry
	if share := d.share(); d.RampAt > 0 && share > firstShare {
		wait = min(wait, d.rule.Ramp)
		d.Top = max(firstShare, share*6/10)
	} else {
		d.Top = 0
	}
	d.change("BEGAN", reason)
	d.newRound()
	d.Outage, d.Retry, d.RampAt = d.Change, d.now+wait, 0
}

// finish ends an outage. Reports from before it count no more.
func (d *decision) finish(reason string) {
	d.change("ENDED", reason)
	d.Ended = max(d.Ended, d.Outage)
	d.lift()
	d.RampAt, d.Stir, d.Stirred = d.now, 0, 0
	d.Figures = Figures{Members: d.Members}
}

// share is what the ramp admits now.
func (d *decision) share() int64 {
	if d.RampAt == 0 {
		return whole
	}
	return Share(d.now-d.RampAt, d.rule.Ramp, d.Top)
}

// Share is what a ramp admits so long after its beginning, in thousandths: a
// tenth, twice as much after each interval, and above top a tenth more after
// each. A top of 0 is all.
func Share(since, interval, top int64) int64 {
	share := int64(firstShare)
	if top == 0 {
		top = whole
	}
	for ; since >= interval && share < whole; since -= interval {
		if share < top {
			share = min(2*share, top)
		} else {
			share = share * 11 / 10
		}
	}
	return min(share, whole)
}

func (d *decision) held() bool { return d.Outage > 0 || d.Hand.Word == Off }

// report keeps what the process saw. While the breaker is held, it saw nothing.
func (d *decision) report() {
	if d.in.Process == "" || d.held() || d.in.Ended != d.Ended {
		return
	}
	if d.Records == nil {
		d.Records = map[string]Record{}
	}
	d.Records[d.in.Process] = Record{d.now, d.in.Calls, d.in.Failures, d.in.Vote, d.Ended, d.in.Rule}
	if !d.failing() {
		return
	}
	if d.calm() {
		d.Stir, d.push = d.now, true
	}
	if d.calm() || d.now-d.Stirred > d.rule.Window/8 {
		d.Stirred = d.now
	}
}

func (d *decision) failing() bool { return d.in.Failures > 0 || d.in.Vote == Open }

func (d *decision) calm() bool { return d.Stirred == 0 || d.now-d.Stirred > d.rule.Window }

// pause is how long to leave between two judgements, which cost the more the
// more processes there are.
func (d *decision) pause() int64 {
	if d.in.Vote == Open {
		return min(max(d.Members/4, 5), 1000)
	}
	return 1000 + d.Members
}

// Settle is how long after the first failures votes wait for the reports of
// others, and sums do.
func (s Settings) Settle() (votes, sums int64) {
	sums = max(s.Window/24, 1)
	return min(250, sums), sums
}

// judge begins an outage if it is due.
func (d *decision) judge() {
	if d.held() || d.Judged > 0 && d.now-d.Judged < d.pause() && d.in.Process != "" {
		return
	}
	if d.judged = true; d.in.Process != "" || d.Judged == 0 { // a tool that looks often must not keep processes from judging
		d.Judged = d.now
	}
	w := d.weigh()
	d.Figures, d.Rules = w.Figures, w.rules
	d.rule = d.inForce()
	settleVotes, settleSums := d.rule.Settle()
	switch need := min(d.rule.Votes, w.Witnesses); {
	case d.Stir == 0 || need == 0 || d.in.Process == "": // a tool only looks
	case d.now >= d.Stir+settleVotes && w.Votes >= need && float64(w.Votes)*100 >= d.rule.Share*float64(w.Witnesses):
		d.begin(fmt.Sprintf("%d of %d processes opened their own breaker; enough are %d and %.4g %%", w.Votes, w.Witnesses, need, d.rule.Share))
	case d.now >= d.Stir+settleSums && w.failing >= need && w.Failures >= d.rule.Errors && float64(w.Failures)*100 >= d.rule.Threshold*float64(w.Calls):
		d.begin(fmt.Sprintf("%.4g %% of %d calls of %d processes failed in %.4gs; enough are %.4g %% and %d failures",
			float64(w.Failures)*100/float64(w.Calls), w.Calls, w.Witnesses, float64(d.rule.Window)/1000, d.rule.Threshold, d.rule.Errors))
	}
}

// weight is what the records say together.
type weight struct {
	Figures
	failing int64 // processes with failures
	rules   string
}

func (d *decision) weigh() (w weight) {
	kinds := map[Settings]int64{}
	var volumes []int64
	for process, r := range d.Records {
		here := d.alive[process] && r.Vote != Left
		fresh := r.At > d.now-d.rule.Window
		if !here && !fresh {
			delete(d.Records, process)
			continue
		}
		if here {
			w.Members++
			kinds[r.Rule]++
		}
		if !fresh || r.Epoch != d.Ended {
			continue
		}
		if here && (r.Calls > 0 || r.Vote == Open || r.Vote == Young) {
			w.Witnesses++
		}
		if here && r.Vote == Open {
			w.Votes++
		}
		if r.Failures > 0 {
			w.failing++
		}
		if r.Calls > 0 {
			volumes = append(volumes, r.Calls)
		}
	}
	w.Calls, w.Failures = d.sum(volumes)
	w.rules = encode(kinds)
	return w
}

// sum adds all windows up. A process counts for no more than four times the
// median.
func (d *decision) sum(volumes []int64) (calls, failures int64) {
	if len(volumes) == 0 {
		return 0, 0
	}
	slices.Sort(volumes)
	most := 4 * volumes[(len(volumes)-1)/2]
	for _, r := range d.Records {
		if r.Epoch != d.Ended || r.At <= d.now-d.rule.Window {
			continue
		}
		if r.Calls > most {
			calls, failures = calls+most, failures+r.Failures*most/r.Calls
		} else {
			calls, failures = calls+r.Calls, failures+r.Failures
		}
	}
	return calls, failures
}

// try counts a trial that came back, and gives permits for others.
func (d *decision) try() {
	if d.Outage == 0 || d.Hand.Word == Force {
		return
	}
	d.count(d.in.Trial)
	switch of := d.Good + d.Bad; {
	case d.Good >= d.rule.Good:
		d.finish(fmt.Sprintf("%d of %d trials succeeded", d.Good, of))
	case d.Bad > d.rule.Of-d.rule.Good:
		d.fail(fmt.Sprintf("%d of %d trials failed", d.Bad, of))
	case d.Lost >= d.rule.Of:
		d.fail(fmt.Sprintf("%d trials did not come back in %.4gs", d.Lost, float64(d.rule.Trial)/1000))
	case d.in.Want && d.in.Process != "":
		d.give()
	}
}

func (d *decision) count(t Trial) {
	permit, out := d.Permits[d.in.Process]
	if t.Result == None || !out || t.Outage != d.Outage || t.ID != permit.ID {
		return
	}
	delete(d.Permits, d.in.Process)
	switch t.Result {
	case Good:
		d.Good++
	case Bad:
		d.Bad++
	}
}

func (d *decision) fail(reason string) {
	d.change("TRIAL_FAILED", reason)
	d.newRound()
	d.Retry, d.Top = d.now+d.rule.Retry, 0
}

// give lets the process make a trial, if there is one left. It is asked for the
// rule's settings of now, because they may have changed since others were given.
func (d *decision) give() {
	_, out := d.Permits[d.in.Process]
	if out || d.now < d.Retry || d.Good+d.Bad+int64(len(d.Permits)) >= d.rule.Of {
		return
	}
	if d.Given == 0 {
		d.change("TRIAL", fmt.Sprintf("%d trial calls of all processes decide", d.rule.Of))
	}
	d.Given++
	if d.Permits == nil {
		d.Permits = map[string]Permit{}
	}
	d.Permits[d.in.Process] = Permit{d.Given, d.now + d.rule.Trial}
}

func (d *decision) view() View {
	v := View{
		Now: d.now, Change: d.Change, Outage: d.Outage, Ended: d.Ended, RetryIn: max(d.Retry-d.now, 0),
		RampFor: -1, Top: d.Top, Hand: d.Hand, Calm: d.calm(), Figures: d.Figures,
		Out: int64(len(d.Permits)), Good: d.Good, Bad: d.Bad, Rules: d.Rules, Reason: d.Reason,
		Events: d.events, Push: d.push, Again: d.again(),
	}
	if d.RampAt > 0 {
		v.RampFor = d.now - d.RampAt
	}
	if v.Hand.For = 0; d.HandEnd > 0 {
		v.Hand.For = max(d.HandEnd-d.now, 1)
	}
	if p, out := d.Permits[d.in.Process]; out {
		v.Permit, v.PermitFor = p.ID, p.Until-d.now
	}
	return v
}

// again is when to judge what was not judged now.
func (d *decision) again() int64 {
	if d.held() || d.in.Process == "" {
		return 0
	}
	again := int64(0)
	if !d.judged && !d.calm() {
		again = max(d.Judged+d.pause()-d.now, 1)
	}
	settle, sums := d.rule.Settle()
	if d.in.Vote != Open {
		settle = sums
	}
	if d.failing() && d.Stir > 0 && d.now < d.Stir+settle {
		again = max(again, d.Stir+settle-d.now)
	}
	return again
}

// Kind is settings of the rule, and how many processes have them.
type Kind struct {
	Settings
	Processes int64
}

// byForce puts the settings first that are in force: of most processes, then with
// the longest window, so that nobody drops what others count.
func byForce(a, b Kind) int {
	return cmp.Or(cmp.Compare(b.Processes, a.Processes), cmp.Compare(b.Window, a.Window), cmp.Compare(a.String(), b.String()))
}

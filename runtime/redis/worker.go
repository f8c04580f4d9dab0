package redis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"github.com/resgen-go/resgen/runtime/internal/sharing"
	"github.com/resgen-go/resgen/runtime/redis/internal/lua"
)

// pause is how long a server that failed is left alone, and how long to wait
// for work where there is none in sight.
const (
	pause = time.Second
	idle  = time.Hour
)

// worker is the goroutine of a fleet. It does one exchange at a time, for all
// members together.
type worker struct {
	fleet    *fleet
	settings *settings
	ctx      context.Context // ends all exchanges at once
	closing  chan struct{}   // closed to end the worker
	done     chan struct{}   // closed when it has

	client     *client    // nil: none
	deafen     func()     // ends the subscription
	deaf       chan error // why there is none
	refused    bool       // the server refuses parts of changes, and was complained of
	complaints []error    // of what leaves the link as it is, for when it is up
	listeners  sync.WaitGroup
	connectAt  time.Time
	collectAt  time.Time
	flushAt    time.Time
	link       link
}

// link is what observers were told last.
type link uint8

const (
	untold link = iota
	up
	down
)

func (w *worker) work() {
	defer close(w.done)
	defer w.rest()
	for {
		next := time.NewTimer(time.Until(w.step()))
		select {
		case <-w.closing:
			next.Stop()
			w.finish()
			return
		case <-w.fleet.wake:
			next.Stop()
		case <-next.C:
		}
	}
}

// step does all that is due, and says when something will be.
func (w *worker) step() (next time.Time) {
	now, members := time.Now(), w.fleet.all()
	if s := w.fleet.inForce(); s != w.settings {
		w.adopt(s, members, now)
	}
	for _, m := range members {
		if w.settings.Enabled {
			m.resume()
		} else {
			m.pause(now, w.settings)
		}
	}
	if !slices.ContainsFunc(members, (*member).busy) {
		w.rest()
		return now.Add(idle)
	}
	w.collect(members, now)
	if w.client == nil && !now.Before(w.connectAt) {
		w.connect(members)
	}
	if w.client == nil {
		return earliest(w.connectAt, w.collectAt)
	}
	select {
	case err := <-w.deaf:
		w.complaints = append(w.complaints, fmt.Errorf("changes of others are seen late, as pushes are refused: %w", err))
	default:
	}
	w.exchange(members, now)
	w.complain()
	next = w.collectAt
	for _, m := range members {
		next = earliest(next, m.due(w.flushAt))
	}
	return next
}

// adopt puts changed settings in force. Where the fleet meets elsewhere now,
// its old view holds no more.
func (w *worker) adopt(s *settings, members []*member, now time.Time) {
	if !s.samePlace(w.settings) {
		w.disconnect()
		w.connectAt = now
		for _, m := range members {
			m.lose(lua.Look, now, s)
		}
	}
	w.settings = s
	w.collectAt, w.flushAt = now, now
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// collect dates what was counted: for each flush, and for each bucket where
// flushes are rarer.
func (w *worker) collect(members []*member, now time.Time) {
	if w.flushAt.IsZero() {
		w.flushAt = now.Add(rand.N(w.settings.FlushInterval)) // processes that start together don't flush together
	}
	if now.Before(w.collectAt) && now.Before(w.flushAt) {
		return
	}
	for _, m := range members {
		m.collect(now, w.settings)
	}
	w.collectAt = now.Add(min(w.settings.FlushInterval, w.settings.bucket()))
}

func (w *worker) connect(members []*member) {
	c, err := connect(w.ctx, w.settings)
	if err != nil {
		w.connectAt = time.Now().Add(pause/2 + rand.N(pause))
		for _, m := range members {
			m.lose(lua.Look, w.connectAt, w.settings)
		}
		w.tell(err)
		return
	}
	ctx, cancel := context.WithCancel(w.ctx)
	w.client, w.deafen, w.deaf, w.refused = c, cancel, make(chan error, 1), false
	channel, complaint := w.settings.channel(), w.deaf
	w.listeners.Go(func() { w.fleet.listen(ctx, c, channel, complaint) })
	for _, m := range members {
		m.nudge(0)
	}
}

func (w *worker) disconnect() {
	if w.client == nil {
		return
	}
	w.deafen()
	w.client.close()
	w.listeners.Wait()
	w.client, w.complaints = nil, nil
}

// listen hears of changes. Whenever it begins to, and whenever it has to give
// up, some may have passed unheard. A server that refuses is complained of
// once.
func (f *fleet) listen(ctx context.Context, c *client, channel string, complaint chan<- error) {
	heard := rueidis.WithOnSubscriptionHook(ctx, func(rueidis.PubSubSubscription) {
		for _, m := range f.all() {
			m.nudge(0)
		}
		f.ring()
	})
	var once sync.Once
	for ctx.Err() == nil {
		err := c.Receive(heard, c.B().Subscribe().Channel(channel).Build(), func(message rueidis.PubSubMessage) {
			f.hear(message.Message)
		})
		if ctx.Err() != nil {
			return
		}
		if _, refused := rueidis.IsRedisErr(err); refused {
			once.Do(func() { complaint <- err })
		} else {
			f.doubt()
		}
		f.ring()
		select {
		case <-ctx.Done():
		case <-time.After(pause / 2):
		}
	}
}

// hear takes "payments 1732959999999", or what an operator wrote, who knows no
// number. Names may have blanks in them.
func (f *fleet) hear(message string) {
	name, change := message, int64(0)
	if i := strings.LastIndexByte(message, ' '); i >= 0 {
		if n, err := strconv.ParseInt(message[i+1:], 10, 64); err == nil {
			name, change = message[:i], n
		}
	}
	if m, known := f.members.Load(name); known && m.(*member).nudge(change) {
		f.ring()
	}
}

// doubt makes all members look that believe the server to be there.
func (f *fleet) doubt() {
	for _, m := range f.all() {
		if !m.isLost() {
			m.nudge(0)
		}
	}
}

// exchange asks what is due and takes the answers in.
func (w *worker) exchange(members []*member, now time.Time) {
	var asking []*member
	var requests []request
	for _, m := range members {
		if r, due := m.ask(now, w.flushAt, w.settings); due {
			asking, requests = append(asking, m), append(requests, r)
		}
	}
	for !w.flushAt.After(now) {
		w.flushAt = w.flushAt.Add(max(w.settings.FlushInterval, now.Sub(w.flushAt)))
	}
	if len(requests) > 0 {
		w.judge(members, w.run(asking, requests))
	}
}

// run asks, and says what is wrong with the answers.
func (w *worker) run(asking []*member, requests []request) (trouble error) {
	for i, answer := range w.client.run(w.ctx, requests) {
		v, err := readView(answer)
		if err == nil {
			err = asking[i].answered(requests[i], v, w.settings)
		}
		if err != nil {
			trouble = err
			asking[i].lose(requests[i].script, time.Now().Add(pause/2+rand.N(pause)), w.settings)
		}
		if errors.Is(err, errForgot) {
			w.fleet.doubt() // so that all which it forgot is one complaint
		}
		if v.trouble != "" && !w.refused {
			w.refused = true
			w.complaints = append(w.complaints, fmt.Errorf("the server refuses parts of a change, so that events come late or get lost: %s", v.trouble))
		}
	}
	return trouble
}

// judge finds out whether the link is there: that is when every member has an
// answer.
func (w *worker) judge(members []*member, trouble error) {
	if trouble != nil {
		w.tell(trouble)
		return
	}
	for _, m := range members {
		if m.isLost() {
			return
		}
	}
	w.tell(nil)
}

// tell tells observers once that the link is lost, with the server's address, and
// once that it is back.
func (w *worker) tell(trouble error) {
	state := up
	if trouble != nil {
		state = down
	}
	if w.link == state || w.ctx.Err() != nil {
		return
	}
	w.link = state
	if place := w.settings.place(); trouble != nil && place != "" {
		trouble = fmt.Errorf("link to Redis at %s: %w", place, trouble)
	}
	w.fleet.hooks.Link(sharing.Link{At: time.Now(), Err: trouble})
}

// rest ends the link where nobody needs it.
func (w *worker) rest() {
	w.disconnect()
	if w.link != untold {
		w.link = untold
		w.fleet.hooks.Rest()
	}
}

// complain tells observers of each complaint, as a loss and a return.
func (w *worker) complain() {
	if w.link != up {
		return
	}
	for _, complaint := range w.complaints {
		w.tell(complaint)
		w.tell(nil)
	}
	w.complaints = nil
}

// finish hands in what was counted, and the trial token, before the process goes.
func (w *worker) finish() {
	now, members := time.Now(), w.fleet.all()
	for _, m := range members {
		m.leave(now, w.settings)
	}
	if w.client != nil {
		w.exchange(members, now)
	}
}

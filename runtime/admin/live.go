package admin

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

// live is what viewers look at: the newest snapshot and the last events. One
// ticker serves them all, each snapshot is encoded once, and a slow viewer gets
// the newest and loses those between.
type live struct {
	registry *resilience.Registry
	limit    int // of viewers
	interval time.Duration
	boot     string // begins the ids of events, which others have after a restart

	mu      sync.Mutex
	viewers int
	stop    chan struct{} // ends the ticker; nil: nobody looks
	news    chan struct{} // closed when there is some
	shown   message       // the newest snapshot, with its number
	events  []message     // the last ones, oldest first
	counted int           // events so far
	probes  map[string]string
}

// message is one message of the stream.
type message struct {
	number int // of its kind, from 1 on
	text   []byte
}

// kept is how many events are there for somebody who comes.
const kept = 200

func newLive(registry *resilience.Registry) *live {
	return &live{
		registry: registry, limit: 16, interval: time.Second,
		boot: strconv.FormatInt(time.Now().UnixNano(), 36), news: make(chan struct{}), probes: map[string]string{},
	}
}

// Observe keeps an event and shows it to viewers.
func (l *live) Observe(e resilience.Event) {
	kind := kindOf(e)
	l.mu.Lock()
	defer l.mu.Unlock()
	if probed, ok := e.(resilience.Probed); kind == "" || ok && !l.tells(probed) {
		return
	}
	l.counted++
	data := encode(struct {
		Kind  string           `json:"kind"`
		Event resilience.Event `json:"event"`
	}{kind, e})
	text := "event: event\nid: " + l.boot + "-" + strconv.Itoa(l.counted) + "\ndata: " + string(data) + "\n\n"
	if len(l.events) == kept {
		l.events = l.events[:copy(l.events, l.events[1:])]
	}
	l.events = append(l.events, message{l.counted, []byte(text)})
	l.announce()
}

// kindOf names the events that the page shows; "" is for others.
func kindOf(e resilience.Event) string {
	switch e.(type) {
	case resilience.Transition:
		return "transition"
	case resilience.ShadowTransition:
		return "shadow"
	case resilience.Probed:
		return "probe"
	case resilience.Reloaded:
		return "reload"
	case resilience.UnknownName:
		return "unknownName"
	case resilience.SettingWarning:
		return "warning"
	case resilience.Outage:
		return "outage"
	case resilience.FleetLink:
		return "link"
	case resilience.Undeclared:
		return "undeclared"
	case resilience.Faulty:
		return "faults"
	case resilience.BudgetSpent:
		return "budget"
	}
	return ""
}

// tells reports whether a probe ended in another way than the one before, because
// one that fails each second would leave no room for anything else.
func (l *live) tells(e resilience.Probed) bool {
	text := ""
	if e.Err != nil {
		text = e.Err.Error()
	}
	before := l.probes[e.Breaker]
	l.probes[e.Breaker] = text
	return text != before
}

// announce wakes the viewers.
func (l *live) announce() {
	close(l.news)
	l.news = make(chan struct{})
}

// enter lets a viewer in, where there is room, and takes a snapshot for it.
func (l *live) enter() bool {
	l.mu.Lock()
	if l.viewers >= l.limit {
		l.mu.Unlock()
		return false
	}
	l.viewers++
	if l.stop == nil {
		l.stop = make(chan struct{})
		go l.tick(l.stop)
	}
	l.mu.Unlock()
	l.publish()
	return true
}

func (l *live) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.viewers--; l.viewers == 0 {
		close(l.stop)
		l.stop = nil
	}
}

func (l *live) tick(stop <-chan struct{}) {
	ticker := time.NewTicker(l.interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			l.publish()
		case <-l.registry.Done():
			return
		case <-stop:
			return
		}
	}
}

// publish shows viewers the present snapshot.
func (l *live) publish() {
	text := append(append([]byte("event: snapshot\ndata: "), encode(l.registry.Snapshot())...), "\n\n"...)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown = message{l.shown.number + 1, text}
	l.announce()
}

// encode writes a value as JSON, which has no line breaks.
func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil { // of a value that JSON can't say, such as NaN
		text, _ = json.Marshal(map[string]string{"fault": err.Error()})
	}
	return text
}

// position is how much a viewer has seen.
type position struct{ snapshot, event int }

// resume is the position of somebody who has the events up to id.
func (l *live) resume(id string) position {
	number, ours := strings.CutPrefix(id, l.boot+"-")
	if n, err := strconv.Atoi(number); ours && err == nil {
		return position{event: n}
	}
	return position{}
}

// since is what is new for a viewer, which is at the end of it then; more is closed
// when there is more. The first of all is a snapshot, later ones come behind events.
func (l *live) since(at *position) (text []byte, more <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var snapshot []byte
	if at.snapshot < l.shown.number {
		snapshot = l.shown.text
	}
	if at.snapshot == 0 {
		text, snapshot = append(text, snapshot...), nil
	}
	for _, e := range l.events {
		if e.number > at.event {
			text, at.event = append(text, e.text...), e.number
		}
	}
	at.snapshot = l.shown.number
	return append(text, snapshot...), l.news
}

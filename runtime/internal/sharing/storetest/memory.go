package storetest

import (
	"context"
	"errors"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/sharing/fleet"
	"github.com/resgen-go/resgen/runtime/internal/sharing/rule"
)

// Memory is a place in this process.
type Memory struct {
	mu        sync.Mutex
	down      bool
	states    map[string]*rule.State
	alive     map[string]int64
	listeners map[chan<- string]bool
	exchanges int
}

// NewMemory is a place where nobody has been.
func NewMemory() *Memory {
	return &Memory{states: map[string]*rule.State{}, alive: map[string]int64{}, listeners: map[chan<- string]bool{}}
}

// Open connects to the place.
func (m *Memory) Open(testing.TB) fleet.Store { return m }

// Lose drops all that is known of a breaker.
func (m *Memory) Lose(_ testing.TB, breaker string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.states, breaker)
}

// SetDown makes every exchange fail, or none.
func (m *Memory) SetDown(down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = down
}

// Exchanges is how many there were.
func (m *Memory) Exchanges() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.exchanges
}

var errDown = errors.New("the store is down")

func (m *Memory) Exchange(ctx context.Context, r fleet.Request) (response fleet.Response, err error) {
	if err := ctx.Err(); err != nil {
		return response, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.exchanges++
	if m.down {
		return response, errDown
	}
	now := time.Now().UnixMilli()
	if delete(m.alive, r.Process); r.Alive > 0 && r.Process != "" {
		m.alive[r.Process] = now + r.Alive.Milliseconds()
	}
	maps.DeleteFunc(m.alive, func(_ string, until int64) bool { return until <= now })
	live := map[string]bool{}
	for process := range m.alive {
		live[process] = true
	}
	for _, in := range r.Inputs {
		state := m.states[in.Breaker]
		if state == nil {
			state = new(rule.State)
			m.states[in.Breaker] = state
		}
		view := rule.Step(state, live, in.Input, now)
		response.Answers = append(response.Answers, fleet.Answer{View: view})
		if view.Push {
			m.push(in.Breaker)
		}
	}
	return response, nil
}

func (m *Memory) push(breaker string) {
	for listener := range m.listeners {
		select {
		case listener <- breaker:
		default: // it has enough to look at
		}
	}
}

func (m *Memory) Changes(ctx context.Context, changed func(string, int64)) error {
	news := make(chan string, 1000)
	m.mu.Lock()
	m.listeners[news] = true
	m.mu.Unlock()
	changed("", 0)
	for {
		select {
		case breaker := <-news:
			changed(breaker, 0)
		case <-ctx.Done():
			m.mu.Lock()
			delete(m.listeners, news)
			m.mu.Unlock()
			return ctx.Err()
		}
	}
}

// Close does nothing: others may use the place.
func (m *Memory) Close() {}

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// second is what the customers saw in one second.
type second struct {
	mu                 sync.Mutex
	ok, refused, wrong int
	took               []time.Duration // of those that went well
}

func (s *second) add(status int, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch status {
	case http.StatusOK:
		s.ok++
		s.took = append(s.took, took)
	case http.StatusServiceUnavailable:
		s.refused++
	default:
		s.wrong++
	}
}

// total is what a second had, taken out of it.
type total struct {
	ok, refused, wrong int
	p99                time.Duration
}

func (s *second) take() total {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := total{ok: s.ok, refused: s.refused, wrong: s.wrong}
	if len(s.took) > 0 {
		slices.Sort(s.took)
		t.p99 = s.took[(len(s.took)*99-1)/100]
	}
	s.ok, s.refused, s.wrong, s.took = 0, 0, 0, s.took[:0]
	return t
}

// customers check out at a fixed rate, whatever the answers, until ctx is done;
// it returns when the last has its answer.
func customers(ctx context.Context, front string, perSecond int, seen *second) {
	tick := time.NewTicker(time.Second / time.Duration(perSecond))
	defer tick.Stop()
	var inside sync.WaitGroup
	defer inside.Wait()
	browser := &http.Client{Timeout: 5 * time.Second}
	for number := 1; ; number++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		inside.Go(func() {
			began := time.Now()
			if status := checkout(ctx, browser, front, number); ctx.Err() == nil {
				seen.add(status, time.Since(began))
			}
		})
	}
}

// checkout returns the status of the answer, 0 where there was none.
func checkout(ctx context.Context, browser *http.Client, front string, number int) int {
	form := url.Values{"cart": {fmt.Sprint("cart-", number)}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, front+"/checkout?"+form.Encode(), nil)
	if err != nil {
		return 0
	}
	resp, err := browser.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

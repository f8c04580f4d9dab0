package admin

import (
	"errors"
	"net/http"
	"time"
)

const (
	silence  = 10 * time.Second // after it a comment shows whether the viewer is there
	patience = 5 * time.Second  // for one that does not read
)

// serve streams to one viewer.
func (l *live) serve(w http.ResponseWriter, r *http.Request) {
	if !l.enter() {
		w.Header().Set("Retry-After", "5")
		http.Error(w, "as many look at this stream as may; close another page", http.StatusServiceUnavailable)
		return
	}
	defer l.leave()
	s := stream{w, http.NewResponseController(w)}
	if err := s.begin(); err != nil {
		return
	}
	defer s.control.SetWriteDeadline(time.Time{})
	at := l.resume(r.Header.Get("Last-Event-ID"))
	for {
		text, more := l.since(&at)
		if s.write(text) != nil {
			return
		}
		select {
		case <-more:
		case <-time.After(silence):
			if s.write([]byte(": nothing new\n\n")) != nil {
				return
			}
		case <-r.Context().Done():
			return
		case <-l.registry.Done():
			l.publish()
			text, _ = l.since(&at)
			s.write(append(text, "event: closed\ndata: {}\n\n"...))
			return
		}
	}
}

// stream is one answer that goes on and on.
type stream struct {
	http.ResponseWriter
	control *http.ResponseController
}

// begin says what comes, or that what wraps our writer hides what we need.
func (s stream) begin() error {
	s.Header().Set("Content-Type", "text/event-stream")
	s.Header().Set("X-Accel-Buffering", "no") // which nginx heeds
	s.control.SetWriteDeadline(time.Now().Add(patience))
	err := s.control.Flush()
	if errors.Is(err, http.ErrNotSupported) {
		http.Error(s, "a middleware in front of this page hides http.Flusher: give its ResponseWriter a method Unwrap", http.StatusInternalServerError)
	}
	return err
}

// write sends text, to a viewer that takes it in time.
func (s stream) write(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	s.control.SetWriteDeadline(time.Now().Add(patience)) // in place of the server's; not every writer has one
	if _, err := s.Write(text); err != nil {
		return err
	}
	return s.control.Flush()
}

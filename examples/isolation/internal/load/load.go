// Package load offers requests to endpoints at a fixed rate, whatever the
// answers (an open model, as independent users are), and keeps what came back,
// by endpoint and over time.
package load

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// Endpoint is what requests are sent to. Those with the same seed get them at the
// same moments.
type Endpoint struct {
	URL  string
	Seed uint64
}

// Plan says how much is offered and for how long.
type Plan struct {
	Rate    int           // requests per second to each endpoint
	WarmUp  time.Duration // from the start: not in the total
	Over    time.Duration // after the warm-up: what counts
	Slice   time.Duration // of time, by which answers are kept
	Timeout time.Duration // how long to wait for an answer
}

// Lasts is the time in which requests are sent.
func (p Plan) Lasts() time.Duration { return p.WarmUp + p.Over }

// Offer carries the plan out and returns a record for each endpoint when the
// last answer has come. Where ctx is done before, it returns its error at once.
func (p Plan) Offer(ctx context.Context, endpoints ...Endpoint) ([]*Record, error) {
	offering, end := context.WithCancel(ctx)
	defer end() // closes the connections
	client := p.client(offering)
	records := make([]*Record, len(endpoints))
	var running sync.WaitGroup
	for i, endpoint := range endpoints {
		records[i] = NewRecord(p)
		running.Go(func() { p.attack(offering, client, endpoint, records[i]) })
	}
	running.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("load ended early: %w", err)
	}
	return records, nil
}

// client is an HTTP client whose connections are closed when ctx is done.
func (p Plan) client(ctx context.Context) *http.Client {
	var dialer net.Dialer
	dial := func(dialing context.Context, network, addr string) (net.Conn, error) {
		conn, err := dialer.DialContext(dialing, network, addr)
		if err == nil {
			context.AfterFunc(ctx, func() { conn.Close() })
		}
		return conn, err
	}
	return &http.Client{
		Timeout:   p.Timeout,
		Transport: &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 1000},
	}
}

// attack sends the requests to one endpoint.
func (p Plan) attack(ctx context.Context, client *http.Client, endpoint Endpoint, record *Record) {
	attacker := vegeta.NewAttacker(vegeta.Client(client), vegeta.MaxBody(0))
	defer context.AfterFunc(ctx, func() { attacker.Stop() })()
	began := time.Now()
	to := vegeta.NewStaticTargeter(vegeta.Target{Method: http.MethodGet, URL: endpoint.URL})
	for result := range attacker.Attack(to, newPace(p, endpoint.Seed), 0, "") {
		record.Add(Answer{
			Number: int(result.Seq),
			Sent:   result.Timestamp.Sub(began),
			Kind:   kindOf(result.Code, result.Error),
			Took:   result.Latency,
		})
	}
}

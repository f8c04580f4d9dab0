package stand

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Dependencies are A, which is called through a proxy that makes it slow or
// dead, and B, which is called directly.
type Dependencies struct {
	a, b     address // A's is the proxy's
	upstream address // A without the proxy
	proxy    *proxy
	servers  []*http.Server
}

// OwnDependencies starts both on this machine. A answers at once, B after a
// time.
func OwnDependencies(bTakes time.Duration) (*Dependencies, error) {
	a, aAddr, errA := serve(answerAfter(0))
	b, bAddr, errB := serve(answerAfter(bTakes))
	d := &Dependencies{
		a:       address{"http://" + aAddr, aAddr},
		b:       address{"http://" + bAddr, bAddr},
		servers: []*http.Server{a, b},
	}
	if err := errors.Join(errA, errB, d.startProxy()); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// TheirDependencies are two URLs that somebody else serves, on this machine
// unless remote is true.
func TheirDependencies(ctx context.Context, a, b string, remote bool) (*Dependencies, error) {
	var d Dependencies
	var errA, errB error
	d.a, errA = lookUp(ctx, a, remote)
	d.b, errB = lookUp(ctx, b, remote)
	if err := errors.Join(errA, errB); err != nil {
		return nil, err
	}
	return &d, d.startProxy()
}

func answerAfter(takes time.Duration) http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(takes):
		case <-r.Context().Done():
		}
	})
}

// startProxy puts the proxy before A.
func (d *Dependencies) startProxy() error {
	var err error
	if d.proxy, err = startProxy(d.a.addr); err != nil {
		return fmt.Errorf("start the proxy before A: %w", err)
	}
	d.upstream, d.a.addr = d.a, d.proxy.addr()
	return nil
}

// Slow makes answers of A come later, by whole milliseconds, give or take some.
func (d *Dependencies) Slow(by, give time.Duration) error { return d.proxy.slow(by, give) }

// Dead makes A refuse connections, and cuts those there are.
func (d *Dependencies) Dead() { d.proxy.stop() }

// Close stops what was started.
func (d *Dependencies) Close() {
	if d.proxy != nil {
		d.proxy.stop()
	}
	for _, server := range d.servers {
		if server != nil {
			server.Close()
		}
	}
}

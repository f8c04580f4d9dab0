package stand

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// proxy is a Toxiproxy before a server. It needs no API server to listen.
type proxy struct{ *toxiproxy.Proxy }

func startProxy(upstream string) (*proxy, error) {
	unused := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	p := &proxy{toxiproxy.NewProxy(unused, "a", loopback, upstream)}
	return p, p.Start()
}

// addr stays the same when the proxy is stopped and started.
func (p *proxy) addr() string { return p.Listen }

func (p *proxy) slow(by, give time.Duration) error {
	if err := p.start(); err != nil {
		return err
	}
	p.Toxics.ResetToxics(context.Background())
	toxic := fmt.Sprintf(`{"type": "latency", "attributes": {"latency": %d, "jitter": %d}}`, by.Milliseconds(), give.Milliseconds())
	_, err := p.Toxics.AddToxicJson(strings.NewReader(toxic))
	return err
}

func (p *proxy) start() error {
	if p.Enabled {
		return nil
	}
	return p.Start()
}

func (p *proxy) stop() { p.Stop() }

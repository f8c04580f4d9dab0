package redis

import (
	"context"
	"crypto/tls"
	"fmt"
	"maps"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/rueidis"
)

// client is a connection to the server, or one to each of a cluster.
type client struct {
	rueidis.Client
	timeout time.Duration
	cluster bool
	lines   *lines
}

// connect waits for the server, at most about twice the timeout for each of its
// addresses. The client ends with ctx.
func connect(ctx context.Context, s *settings) (*client, error) {
	option, err := s.option()
	if err != nil {
		return nil, err
	}
	c := &client{timeout: s.Timeout, lines: newLines(ctx, option.DialCtxFn)}
	option.DialCtxFn = c.lines.dial
	option.Dialer.Timeout = s.Timeout
	option.Dialer.KeepAlive = 10 * time.Second // more than processes are silent, so that there is no PING
	option.ConnWriteTimeout = s.Timeout
	option.ClientName = "resgen"
	option.DisableCache = true
	option.DisableRetry = true
	option.PipelineMultiplex = -1 // one connection
	option.RingScaleEachConn = 8
	option.ReadBufferEachConn, option.WriteBufferEachConn = 16<<10, 16<<10
	option.ClusterOption.ShardsRefreshInterval = time.Minute
	if c.Client, err = rueidis.NewClient(option); err != nil {
		c.lines.cut()
		return nil, err
	}
	if err := c.checkVersion(ctx); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// oldest is the first version whose scripts may ask for the time and write, and
// that speaks RESP3.
const oldest = 6

func (c *client) checkVersion(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	info, err := c.Do(ctx, c.B().Info().Section("server").Build()).ToString()
	if err != nil {
		return err
	}
	c.cluster = strings.Contains(info, "redis_mode:cluster")
	_, version, _ := strings.Cut(info, "redis_version:")
	version, _, _ = strings.Cut(version, "\r")
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < oldest {
		return fmt.Errorf("the server is Redis %s; %d.0 or newer is needed", version, oldest)
	}
	return nil
}

// run runs scripts in one go and returns the answers in their order.
func (c *client) run(ctx context.Context, requests []request) []rueidis.RedisResult {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	answers := c.send(ctx, requests, true)
	var unknown []request
	var places []int
	for i, answer := range answers {
		if err, ok := rueidis.IsRedisErr(answer.Error()); ok && err.IsNoScript() {
			unknown, places = append(unknown, requests[i]), append(places, i)
		}
	}
	if len(unknown) > 0 {
		for i, answer := range c.send(ctx, unknown, false) {
			answers[places[i]] = answer
		}
	}
	return answers
}

func (c *client) send(ctx context.Context, requests []request, known bool) []rueidis.RedisResult {
	commands := make(rueidis.Commands, len(requests))
	for i, r := range requests {
		commands[i] = r.command(c.B(), known)
	}
	return c.DoMulti(ctx, commands...)
}

// close does not wait for the server.
func (c *client) close() {
	c.lines.cut()
	c.Client.Close()
}

// lines are the network connections of a client. It knows them so that they can
// be cut while the server does not answer.
type lines struct {
	connect func(context.Context, string, *net.Dialer, *tls.Config) (net.Conn, error)
	ctx     context.Context // of dialling; done once they are cut
	cancel  context.CancelFunc

	mu   sync.Mutex
	open map[*line]bool
}

type line struct {
	net.Conn
	lines *lines
}

// newLines dials as the address says, nil: by TCP.
func newLines(ctx context.Context, connect func(context.Context, string, *net.Dialer, *tls.Config) (net.Conn, error)) *lines {
	l := &lines{connect: connect, open: map[*line]bool{}}
	if connect == nil {
		l.connect = dialTCP
	}
	l.ctx, l.cancel = context.WithCancel(ctx)
	context.AfterFunc(l.ctx, l.cut)
	return l
}

func dialTCP(ctx context.Context, address string, dialer *net.Dialer, config *tls.Config) (net.Conn, error) {
	if config == nil {
		return dialer.DialContext(ctx, "tcp", address)
	}
	return (&tls.Dialer{NetDialer: dialer, Config: config}).DialContext(ctx, "tcp", address)
}

func (l *lines) dial(ctx context.Context, address string, dialer *net.Dialer, config *tls.Config) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.ctx, cancel)()
	conn, err := l.connect(ctx, address, dialer, config)
	if err != nil {
		return nil, err
	}
	made := &line{conn, l}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.ctx.Err(); err != nil {
		conn.Close()
		return nil, err
	}
	l.open[made] = true
	return made, nil
}

// cut ends all connections, and all attempts to make one.
func (l *lines) cut() {
	l.cancel()
	l.mu.Lock()
	open := maps.Clone(l.open)
	l.mu.Unlock()
	for conn := range open {
		conn.Close()
	}
}

func (c *line) Close() error {
	c.lines.mu.Lock()
	delete(c.lines.open, c)
	c.lines.mu.Unlock()
	return c.Conn.Close()
}

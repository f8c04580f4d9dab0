package redis

import (
	"io"
	"net"
	"regexp"
	"sync"
	"testing"
	"time"
)

// proxy stands between a fleet and its server, and can spoil the line.
type proxy struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	mode  proxyMode
	conns map[net.Conn]bool
}

// proxyMode is what a proxy does to what it passes on.
type proxyMode struct {
	delay  time.Duration // of each piece, either way
	mute   bool          // pieces vanish, and all that follow on the same connection
	refuse bool          // connections end at once
	forge  func([]byte) []byte
}

func startProxy(t testing.TB, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, target: target, conns: map[net.Conn]bool{}}
	go p.serve()
	t.Cleanup(func() {
		l.Close()
		p.set(proxyMode{refuse: true})
	})
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

// set changes what the proxy does. Refusing ends the connections that are there.
func (p *proxy) set(mode proxyMode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = mode
	if mode.refuse {
		for conn := range p.conns {
			conn.Close()
		}
	}
}

// retarget sends new connections to another server.
func (p *proxy) retarget(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = address
}

func (p *proxy) now() proxyMode {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mode
}

func (p *proxy) serve() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.handle(conn)
	}
}

func (p *proxy) handle(conn net.Conn) {
	defer conn.Close()
	if p.now().refuse {
		return
	}
	p.mu.Lock()
	target := p.target
	p.mu.Unlock()
	server, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	p.conns[conn] = true
	p.mu.Unlock()
	go func() {
		p.pass(server, conn, false)
		server.Close()
	}()
	p.pass(conn, server, true)
	p.mu.Lock()
	delete(p.conns, conn)
	p.mu.Unlock()
}

func (p *proxy) pass(to io.Writer, from io.Reader, answers bool) {
	piece, muted := make([]byte, 64<<10), false
	for {
		n, err := from.Read(piece)
		if err != nil {
			return
		}
		mode, data := p.now(), piece[:n]
		time.Sleep(mode.delay)
		if mode.forge != nil && answers {
			data = mode.forge(data)
		}
		if muted = muted || mode.mute; muted {
			continue
		}
		if _, err := to.Write(data); err != nil {
			return
		}
	}
}

var version = regexp.MustCompile(`redis_version:\d.`)

// oldVersion makes a server look like one of long ago. Answers say how long
// they are, so none changes its length.
func oldVersion(data []byte) []byte {
	return version.ReplaceAll(data, []byte("redis_version:5."))
}

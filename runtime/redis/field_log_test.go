package redis

import (
	"bytes"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

// logged is a log that a test reads while it is written.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *logged) Write(line []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(line)
}

func (p *logged) read() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func TestFieldL04RedisThatIsDownFromTheStartIsLogged(t *testing.T) {
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := nobody.Addr().String()
	nobody.Close()
	for given, secret := range map[string]string{address: "", "redis://user:hunter2@" + address + "/0": "hunter2"} {
		t.Setenv("RESGEN_FIELD_REDIS", given)
		var log logged
		registry, err := resilience.New(Share(), resilience.Logger(slog.New(slog.NewTextHandler(&log, nil))),
			resilience.Settings("r.json", []byte(`{"sharedState": {"keyPrefix": "shop:", "addressEnv": "RESGEN_FIELD_REDIS"}, "breakers": {"b": {"shared": true}}}`)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := registry.Breaker("b"); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it is logged", func() bool { return log.read() != "" })
		text := log.read()
		if !strings.Contains(text, "level=WARN") || !strings.Contains(text, "Redis at "+address) || secret != "" && strings.Contains(text, secret) {
			t.Errorf("given %s: logged %s", given, text)
		}
		registry.Close()
	}
}

func TestFieldL04LinkThatIsLostAndBackIsLogged(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	var log logged
	registry, err := resilience.New(Share(), resilience.Logger(slog.New(slog.NewTextHandler(&log, nil))),
		resilience.Settings("r.json", fmt.Appendf(nil, `{"sharedState": {"keyPrefix": "shop:", "address": %q}, "breakers": {"b": {"shared": true}}}`, s.address)))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	registry.Breaker("b")
	eventually(t, "it is there", func() bool { return strings.Contains(log.read(), "is there") })
	s.stop()
	eventually(t, "it is lost", func() bool {
		return strings.Contains(log.read(), "level=WARN") && strings.Contains(log.read(), s.address)
	})
	s.start()
	eventually(t, "it is back", func() bool { return strings.Count(log.read(), "is there") == 2 })
	if lines := strings.Count(log.read(), "\n"); lines != 3 {
		t.Errorf("%d lines: %s", lines, log.read())
	}
}

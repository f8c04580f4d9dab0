package redis

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/rueidis"
)

// server is a Redis server of a test, on a free port of the loopback.
type server struct {
	t       testing.TB
	address string
	dir     string
	args    []string
	command *exec.Cmd
	rueidis.Client
}

// startServer starts a real server. Without one installed the test is skipped, but not in CI.
func startServer(t testing.TB, args ...string) *server {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("redis-server is not installed; CI has to install it: apt-get install -y redis-server")
		}
		t.Skip("redis-server is not installed (Debian: apt-get install redis-server), so nothing of this is tested")
	}
	s := &server{t: t, address: freeAddress(t), dir: t.TempDir(), args: args}
	s.start()
	t.Cleanup(s.stop)
	return s
}

func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start starts the server, empty, and waits until it answers.
func (s *server) start() {
	s.t.Helper()
	_, port, _ := net.SplitHostPort(s.address)
	args := append([]string{"--bind", "127.0.0.1", "--port", port, "--dir", s.dir, "--save", "", "--appendonly", "no", "--logfile", filepath.Join(s.dir, "log")}, s.args...)
	s.command = exec.Command("redis-server", args...)
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.command.Start(); err != nil {
		s.t.Fatal(err)
	}
	eventually(s.t, 10*time.Second, "the server answers", func() bool {
		conn, err := net.Dial("tcp", s.address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	client, err := rueidis.NewClient(rueidis.ClientOption{
		InitAddress: []string{s.address}, DisableCache: true, ForceSingleClient: true, PipelineMultiplex: -1,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.Client = client
}

// stop ends the server like a crash: nothing is saved.
func (s *server) stop() {
	if s.command == nil {
		return
	}
	s.command.Process.Signal(syscall.SIGCONT)
	s.command.Process.Kill()
	s.command.Wait()
	s.Client.Close()
	s.command = nil
}

// freeze makes the server accept connections and answer nothing, until thaw.
func (s *server) freeze() { s.command.Process.Signal(syscall.SIGSTOP) }
func (s *server) thaw()   { s.command.Process.Signal(syscall.SIGCONT) }

// do runs a command given as words and returns its answer as text, lines for lists.
func (s *server) do(words ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	answer, err := s.Do(ctx, s.B().Arbitrary(words...).Build()).ToAny()
	if err != nil && !rueidis.IsRedisNil(err) {
		s.t.Fatalf("%v: %v", words, err)
	}
	return show(answer)
}

func show(answer any) string {
	switch answer := answer.(type) {
	case nil:
		return ""
	case []any:
		lines := make([]string, len(answer))
		for i, a := range answer {
			lines[i] = show(a)
		}
		return strings.Join(lines, "\n")
	case map[string]any:
		var b bytes.Buffer
		for k, v := range answer {
			b.WriteString(k + "=" + show(v) + "\n")
		}
		return b.String()
	case string:
		return answer
	case int64:
		return time.Duration(answer).String()
	default:
		return "?"
	}
}

// eventually waits for something that happens outside of this process.
func eventually(t testing.TB, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", limit, what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

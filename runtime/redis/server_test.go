package redis

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
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
	ended   chan struct{} // closed when it has
	rueidis.Client
}

// startServer starts a real server. Without one installed the test is skipped,
// but not in CI.
func startServer(t testing.TB, args ...string) *server {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("redis-server is not installed; CI has to install it: apt-get install -y redis-server")
		}
		t.Skip("redis-server is not installed (Debian: apt-get install redis-server), so nothing of this is tested")
	}
	s := &server{t: t, dir: t.TempDir(), args: args}
	s.address = freeAddress(t)
	err := s.launch()
	for tries := 1; err != nil && tries < 5; tries++ { // another program may have been faster to take the port
		s.address = freeAddress(t)
		err = s.launch()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	return s
}

// addresses are those that a test has got.
var addresses sync.Map

// freeAddress is one that no other test gets. Its port is below those that
// systems give to clients: one of these could take it away from a server that
// is restarted.
func freeAddress(t testing.TB) string {
	t.Helper()
	for range 1000 {
		address := fmt.Sprint("127.0.0.1:", 10000+rand.N(22000))
		if _, given := addresses.LoadOrStore(address, true); given {
			continue
		}
		if l, err := net.Listen("tcp", address); err == nil {
			l.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}

// start starts the server again, empty, where it was.
func (s *server) start() {
	s.t.Helper()
	if err := s.launch(); err != nil {
		s.t.Fatal(err)
	}
}

// launch starts the server, empty, and waits until it answers, or gives up.
func (s *server) launch() error {
	_, port, _ := net.SplitHostPort(s.address)
	log := filepath.Join(s.dir, "log")
	args := append([]string{"--bind", "127.0.0.1", "--port", port, "--dir", s.dir, "--save", "", "--appendonly", "no", "--logfile", log}, s.args...)
	command, ended := exec.Command("redis-server", args...), make(chan struct{})
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		return err
	}
	go func() {
		command.Wait()
		close(ended)
	}()
	for began := time.Now(); time.Since(began) < patience; time.Sleep(2 * time.Millisecond) {
		if s.Client = meet(s.address, command.Process.Pid); s.Client != nil {
			s.command, s.ended = command, ended
			return nil
		}
		select {
		case <-ended:
			text, _ := os.ReadFile(log)
			return fmt.Errorf("the server ended at once: %s", text)
		default:
		}
	}
	command.Process.Kill()
	return fmt.Errorf("the server does not answer within %v", patience)
}

// meet connects to the server that is the process, and to no other that has its
// port.
func meet(address string, pid int) rueidis.Client {
	client, err := rueidis.NewClient(rueidis.ClientOption{
		InitAddress: []string{address}, DisableCache: true, ForceSingleClient: true, PipelineMultiplex: -1,
	})
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	info, err := client.Do(ctx, client.B().Info().Section("server").Build()).ToString()
	if err != nil || !strings.Contains(info, fmt.Sprintf("process_id:%d\r", pid)) {
		client.Close()
		return nil
	}
	return client
}

// stop ends the server like a crash: nothing is saved.
func (s *server) stop() {
	if s.command == nil {
		return
	}
	s.command.Process.Signal(syscall.SIGCONT)
	s.command.Process.Kill()
	<-s.ended
	s.Client.Close()
	s.command = nil
}

// freeze makes the server accept connections and answer nothing, until thaw.
func (s *server) freeze() { s.command.Process.Signal(syscall.SIGSTOP) }
func (s *server) thaw()   { s.command.Process.Signal(syscall.SIGCONT) }

// do runs a command given as words and returns its answer as text, lines for
// lists.
func (s *server) do(words ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
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

// patience is how long to wait for what a slow machine is late with. A test
// that passes does not need it.
const patience = 20 * time.Second

// eventually waits for something that happens outside of this process.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/redis/rueidis"
)

// server is the redis-server that is measured, on a free port of the loopback.
type server struct {
	rueidis.Client
	address string
	dir     string
	command *exec.Cmd
}

func startServer() (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	l.Close()
	dir, err := os.MkdirTemp("", "schemes")
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(address)
	command := exec.Command("redis-server", "--bind", "127.0.0.1", "--port", port, "--dir", dir, "--save", "", "--logfile", "log")
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("redis-server is needed (Debian: apt-get install redis-server): %w", err)
	}
	s := &server{address: address, dir: dir, command: command}
	for range 100 {
		if s.Client, err = s.connect(); err == nil {
			return s, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.stop()
	return nil, err
}

func (s *server) connect() (rueidis.Client, error) {
	return rueidis.NewClient(rueidis.ClientOption{
		InitAddress: []string{s.address}, DisableCache: true, ForceSingleClient: true, PipelineMultiplex: -1,
		ReadBufferEachConn: 16 << 10, WriteBufferEachConn: 16 << 10,
	})
}

func (s *server) stop() {
	s.command.Process.Kill()
	s.command.Wait()
	os.RemoveAll(s.dir)
}

// do runs a command of which no answer is needed.
func (s *server) do(words ...string) {
	s.Do(context.Background(), s.B().Arbitrary(words...).Build())
}

// info is a number of the server's INFO.
func (s *server) info(section, field string) (n float64) {
	text, _ := s.Do(context.Background(), s.B().Info().Section(section).Build()).ToString()
	_, value, _ := strings.Cut(text, field)
	fmt.Sscan(strings.TrimLeft(value, ":="), &n)
	return n
}

// usage is what the server has done so far.
type usage struct {
	scripts float64
	cpu     float64 // seconds
}

func (s *server) usage() usage {
	return usage{
		scripts: s.info("commandstats", "cmdstat_evalsha:calls"),
		cpu:     s.info("cpu", "used_cpu_sys") + s.info("cpu", "used_cpu_user"),
	}
}

func (u usage) since(before usage) usage {
	return usage{u.scripts - before.scripts, u.cpu - before.cpu}
}

package redis

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestFleetS21AUnixSocket(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "redis.sock")
	startServer(t, "--unixsocket", socket)
	all := startProcesses(t, 2, shared("unix://"+socket))
	inAll(t, all, "the link is there", linked)
	breakDown(t, all)
	recovers(t, all)
}

// Sentinels say who is the master, and after a failover another one.
func TestFleetS21Sentinels(t *testing.T) {
	t.Parallel()
	first, second := startServer(t), startServer(t)
	host, port, _ := net.SplitHostPort(first.address)
	second.do("REPLICAOF", host, port)
	eventually(t, "the replica follows", func() bool { return strings.Contains(second.do("INFO", "replication"), "master_link_status:up") })
	sentinel := startSentinel(t, host, port)
	all := startProcesses(t, 2, shared("redis://"+sentinel+"?master_set=mymaster", "secondsBeforeRetry", "1h", "outageCheckInterval", "200ms"))
	inAll(t, all, "the link is there", linked)
	breakDown(t, all)
	first.stop()
	inAll(t, all, "the link is there again, to the new master", func(p *process) bool { return strings.HasSuffix(p.links(), "down up") })
	inAll(t, all, "held on", (*process).held)
	eventually(t, "the new master knows the outage", func() bool {
		outage := second.B().Hget().Key(stateKey).Field("outage").Build() // over a connection that was killed, perhaps
		text, err := second.Do(t.Context(), outage).ToString()
		return err == nil && text != ""
	})
}

func startSentinel(t *testing.T, host, port string) (address string) {
	t.Helper()
	address = freeAddress(t)
	_, own, _ := net.SplitHostPort(address)
	config := filepath.Join(t.TempDir(), "sentinel.conf")
	text := fmt.Sprintf("port %s\nbind 127.0.0.1\nsentinel monitor mymaster %s %s 1\nsentinel down-after-milliseconds mymaster 500\nsentinel failover-timeout mymaster 2000\n", own, host, port)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("redis-server", config, "--sentinel")
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Kill()
		command.Wait()
	})
	eventually(t, "the sentinel answers", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return address
}

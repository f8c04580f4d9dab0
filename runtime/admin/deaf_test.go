package admin_test

import (
	"bufio"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/admin"
)

// pipes is a listener within a test: its connections hold nothing, so that whoever
// writes waits for who reads.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if conn, open := <-p; open {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// visit asks for the stream.
func (p pipes) visit(t *testing.T) net.Conn {
	t.Helper()
	ours, theirs := net.Pipe()
	p <- theirs
	if _, err := io.WriteString(ours, "GET /events HTTP/1.1\r\nHost: shop\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return ours
}

// status is that of the answer.
func status(conn net.Conn) string {
	line, _ := bufio.NewReader(conn).ReadString('\n')
	return strings.TrimSpace(line)
}

// One viewer reads nothing for a minute, another one reads all, and calls go on.
func TestAdminA05AViewerThatNeverReadsDisturbsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, one)
		wiring, err := resilience.Wire(registry, "example.com/shop", "shop.Payments", new(int))
		if err != nil {
			t.Fatal(err)
		}
		guard := wiring.Guard("Charge", resilience.Guards{Breaker: "payments"})
		if err := wiring.Done(); err != nil {
			t.Fatal(err)
		}
		line := make(pipes)
		server := &http.Server{Handler: admin.Handler(registry, admin.Viewers(2)), ErrorLog: log.New(io.Discard, "", 0)}
		go server.Serve(line)
		defer func() {
			close(line)
			server.Close()
		}()

		deaf, good := line.visit(t), line.visit(t)
		var snapshots atomic.Int64
		go func() {
			for lines := bufio.NewScanner(good); lines.Scan(); {
				if lines.Text() == "event: snapshot" {
					snapshots.Add(1)
				}
			}
		}()
		synctest.Wait()
		third := line.visit(t)
		if got := status(third); !strings.Contains(got, "503") {
			t.Errorf("while both look the third got %s", got)
		}
		third.Close()

		for range 600 {
			began := time.Now()
			var call resilience.Call
			if err := call.Begin(context.Background(), guard); err != nil {
				t.Fatal(err)
			}
			call.Finish(nil)
			if took := time.Since(began); took > 0 {
				t.Fatalf("a call took %v", took)
			}
			time.Sleep(100 * time.Millisecond)
		}
		synctest.Wait()
		if got := snapshots.Load(); got < 60 || got > 62 {
			t.Errorf("the other viewer got %d snapshots in a minute", got)
		}
		if third = line.visit(t); !strings.Contains(status(third), "200") {
			t.Error("the place of the viewer that never reads is not free")
		}
		if _, err := deaf.Read(make([]byte, 1)); err == nil {
			t.Error("the viewer that never reads still has its connection")
		}
		third.Close()
		good.Close()
	})
}

// It is cut when it has not read for five seconds, and not before.
func TestAdminA05ItIsCutAfterFiveSeconds(t *testing.T) {
	for after, cut := range map[time.Duration]bool{5*time.Second - 1: false, 5 * time.Second: true} {
		synctest.Test(t, func(t *testing.T) {
			line := make(pipes)
			server := &http.Server{Handler: admin.Handler(newRegistry(t, one)), ErrorLog: log.New(io.Discard, "", 0)}
			go server.Serve(line)
			conn := line.visit(t)
			time.Sleep(after)
			synctest.Wait()
			if got := status(conn); (got == "") != cut {
				t.Errorf("after %v it reads %q", after, got)
			}
			conn.Close()
			close(line)
			server.Close()
		})
	}
}

package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
)

// dialled are lines to nowhere, and the other end of the last one.
type dialled struct {
	*lines
	far net.Conn
}

func newDialled(ctx context.Context) *dialled {
	d := new(dialled)
	d.lines = newLines(ctx, func(context.Context, string, *net.Dialer, *tls.Config) (near net.Conn, err error) {
		near, d.far = net.Pipe()
		return near, nil
	})
	return d
}

func (d *dialled) ended() bool {
	synctest.Wait() // for what ends with a context
	_, err := d.far.Read(make([]byte, 1))
	return errors.Is(err, io.EOF)
}

func TestLinesEndWhenTheyAreCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		for about, end := range map[string]func(*dialled){
			"cut":                func(d *dialled) { d.cut() },
			"their context done": func(*dialled) { cancel() },
		} {
			d := newDialled(ctx)
			if _, err := d.dial(t.Context(), "", nil, nil); err != nil {
				t.Fatal(about, err)
			}
			end(d)
			if !d.ended() {
				t.Errorf("%s: the line is there", about)
			}
			ctx, cancel = context.WithCancel(t.Context())
		}
		cancel()
	})
}

func TestNoLineIsMadeAfterTheyAreCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDialled(t.Context())
		d.cut()
		if _, err := d.dial(t.Context(), "", nil, nil); err == nil || !d.ended() {
			t.Errorf("a line is made: error %v", err)
		}
	})
}

func TestDiallingEndsWhenLinesAreCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		l := newLines(t.Context(), func(ctx context.Context, _ string, _ *net.Dialer, _ *tls.Config) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		done := false
		go func() {
			_, err := l.dial(ctx, "", nil, nil)
			done = err != nil
		}()
		synctest.Wait()
		l.cut()
		synctest.Wait()
		if !done {
			t.Error("it goes on dialling")
		}
	})
}

func TestALineThatIsClosedIsForgotten(t *testing.T) {
	d := newDialled(t.Context())
	conn, err := d.dial(t.Context(), "", nil, nil)
	if err != nil || len(d.open) != 1 {
		t.Fatalf("open are %v; %v", d.open, err)
	}
	conn.Close()
	if len(d.open) != 0 {
		t.Error("it is kept")
	}
}

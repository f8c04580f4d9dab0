package trace

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var start = time.Unix(1_700_000_000, 42)

// written is a trace of all kinds of records.
func written() []byte {
	var b bytes.Buffer
	w := NewWriter(&b, start)
	method, _ := w.Method(&Method{Name: "payments.Client.Do", Breaker: "payments", Bulkhead: "payments", Traits: BreakerByKey | Probed, Preload: []Want{{"inventory", 4, 0}, {"stock", 0, 2}}})
	payments := w.Name("payments")
	for i := range 3 {
		w.Call(&Call{At: time.Duration(i) * time.Millisecond, Method: method, Took: 3 * time.Millisecond, Since: uint32(i)})
	}
	w.Gap(4*time.Millisecond, time.Millisecond, 7)
	w.Call(&Call{At: 2 * time.Second, Method: method, Took: time.Second, Waited: 4, Outcome: TimedOut, Limit: time.Second, Key: 9, Within: 1, Entry: 2, Numbers: []int{3, 0}})
	w.Call(&Call{At: 2 * time.Second, Method: method, Refused: 1, Gone: true, By: payments, Waited: 5})
	w.Transition(Transition{At: 2 * time.Second, Breaker: payments, Key: 9, From: 0, To: 1, ByHand: true})
	w.Probe(Probe{At: 2 * time.Second, Took: 5, Breaker: payments, Good: true})
	w.Reload(2 * time.Second)
	w.Close(3 * time.Second)
	return b.Bytes()
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	bytesOf := written()
	got, err := Read(bytes.NewReader(bytesOf), 100)
	if err != nil {
		t.Fatal(err)
	}
	ms := time.Millisecond
	want := &Trace{
		Start: start, Lasts: 3 * time.Second, Names: []string{"", "payments.Client.Do", "payments", "inventory", "stock"}, Ended: true, Bytes: int64(len(bytesOf)),
		Methods: []Method{{Name: "payments.Client.Do", Breaker: "payments", Bulkhead: "payments", Traits: BreakerByKey | Probed, Preload: []Want{{"inventory", 4, 0}, {"stock", 0, 2}}}},
		Calls: []Call{
			{At: 0, Took: 3 * ms}, {At: ms, Took: 3 * ms, Since: 1}, {At: 2 * ms, Took: 3 * ms, Since: 2},
			{At: 2 * time.Second, Took: time.Second, Waited: 4, Outcome: TimedOut, Limit: time.Second, Key: 9, Within: 1, Entry: 2, Numbers: []int{3, 0}},
			{At: 2 * time.Second, Refused: 1, Gone: true, By: 2, Waited: 5},
		},
		Transitions: []Transition{{2 * time.Second, 2, 9, 0, 1, true}},
		Probes:      []Probe{{2 * time.Second, 5, 2, true}},
		Reloads:     []time.Duration{2 * time.Second},
		Gaps:        []Gap{{4 * ms, ms, 7, 3}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestManyCallsAreReadBackAndTakeSixteenBytesAtMost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		w := NewWriter(&b, start)
		w.Method(&Method{Name: "a.B.C"})
		head := b.Len() + len(w.block)
		var want []Call
		at := time.Duration(0)
		for range rapid.IntRange(1, 20_000).Draw(t, "calls") {
			at += time.Duration(len(want)%17) * 100 * time.Microsecond
			c := Call{At: at, Took: time.Duration(len(want)%13) * 10 * time.Millisecond, Since: uint32(min(len(want), 20)), Outcome: Outcome(len(want) % 2)}
			w.Call(&c)
			want = append(want, c)
		}
		w.Close(at)
		if most := head + 16*len(want) + 32*(2+int(at/blockLasts)+len(want)*16/roomy); b.Len() > most {
			t.Fatalf("%d calls take %d bytes, more than %d", len(want), b.Len(), most)
		}
		got, err := Read(&b, len(want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.Calls); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Each cut of a trace is one that ended early, and each changed byte is found.
func TestCutsAndDamageAreFound(t *testing.T) {
	whole := written()
	for n := range whole {
		got, err := Read(bytes.NewReader(whole[:n]), 100)
		var fault *Error
		switch {
		case err != nil && !errors.As(err, &fault):
			t.Errorf("%d bytes: %v is no *Error", n, err)
		case err == nil && got.Ended:
			t.Errorf("%d bytes pass for the whole", n)
		case err == nil && got.Bytes > int64(n):
			t.Errorf("%d bytes: %d were read", n, got.Bytes)
		}
		changed := bytes.Clone(whole)
		changed[n] ^= 0x10
		if n >= len(magic)+1 && n < len(magic)+9 {
			continue // another beginning is as good
		}
		if got, err := Read(bytes.NewReader(changed), 100); err == nil && got.Ended {
			t.Errorf("byte %d was changed unnoticed", n)
		}
	}
}

func TestFaultsSayWhereAndWhat(t *testing.T) {
	block := func(payload ...byte) []byte {
		var b bytes.Buffer
		w := NewWriter(&b, start)
		w.block = payload
		w.Flush(0)
		return b.Bytes()
	}
	for _, test := range []struct {
		want string
		text []byte
	}{
		{`byte 0: no trace, which would begin with "resgen trace\n"`, []byte("{}")},
		{"byte 13: a trace of version 9; this program reads version 1", append([]byte(magic), 9)},
		{"byte 15: the trace ends in its header", append([]byte(magic), version, 0)},
		{"byte 22: byte 0x07 where a block would begin with 0xb1", append(block()[:22], 7, 7, 7, 7, 7)},
		{"a block of 2097151 bytes; there are at most 65536", append(block()[:27], 0xff, 0xff, 0x7f)},
		{"a damaged block: its checksum is 00000000", append(block()[:22], mark, 0, 0, 0, 0, 1, 'x')},
		{"byte 28: no time of a block", block()},
		{"this block comes after 5 calls, and before it there are 0", block(0, 5)},
		{"byte 31: no time of a record", block(0, 0, 1)},
		{"record of kind 12; there are 1 to 9", block(0, 0, 12, 0)},
		{"a name of 200 bytes where the block has 1", block(0, 0, recordName, 0, 200, 1, 'x')},
		{"9 as number of a name, which is at most 0", block(0, 0, recordMethod, 0, 9)},
		{"outcome 5; there are 0 to 4", block(0, 0, recordMethod, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, recordCall, 0, 0, 0, 5, 0)},
		{"a guard without a name", block(0, 0, recordMethod, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0)},
		{"a call before any method", block(0, 0, recordCall, 0, 0)},
		{"a record at -1ns after the beginning", block(0, 0, recordReload, 1)},
		{"a record behind the end", block(0, 0, recordEnd, 0, 0)},
		{"something follows the end of the trace; give several traces as several files", append(block(0, 0, recordEnd, 0), 'x')},
		{"257 as number of guards, which is at most 256", block(0, 0, recordMethod, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x81, 2)},
		{"more than 0 calls; record less, or split the trace", block(0, 0, recordMethod, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, recordCall, 0, 0)},
		{"18446744073709551615 as length of a name, which is at most 1024", block(0, 0, recordName, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1)},
	} {
		_, err := Read(bytes.NewReader(test.text), strings.Count(test.want, "outcome"))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

// failing fails from the second write on.
type failing struct{ writes int }

func (f *failing) Write(p []byte) (int, error) {
	if f.writes++; f.writes > 1 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestNothingIsWrittenAfterAFault(t *testing.T) {
	f := new(failing)
	w := NewWriter(f, start)
	for range 5 {
		w.Reload(0)
		w.Flush(0)
	}
	if err := w.Close(0); err != io.ErrClosedPipe || f.writes != 2 {
		t.Errorf("%d writes, then %v", f.writes, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(written())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, text := range [][]byte{text, sealed(text)} {
			got, err := Read(bytes.NewReader(text), 10_000)
			var fault *Error
			switch {
			case err != nil && !errors.As(err, &fault):
				t.Fatalf("%v is no *Error", err)
			case err != nil && (fault.Offset < 0 || fault.Offset > int64(len(text))):
				t.Fatalf("%v: there are %d bytes", err, len(text))
			case err == nil && got.Bytes > int64(len(text)):
				t.Fatalf("%d bytes of %d", got.Bytes, len(text))
			}
		}
	})
}

// sealed is a trace with one block that has a true checksum, so that the fuzzer gets
// behind it.
func sealed(payload []byte) []byte {
	var b bytes.Buffer
	w := NewWriter(&b, start)
	w.block = payload
	w.Flush(0)
	return b.Bytes()
}

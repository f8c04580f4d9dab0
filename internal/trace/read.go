package trace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"
)

// Read reads a trace of at most so many calls. What is no trace, or a damaged one, is
// an [*Error]. Of one that ends in the middle of a block, because its process did, it
// returns what comes before, and Ended is false.
func Read(from io.Reader, most int) (*Trace, error) {
	r := &reader{from: bufio.NewReaderSize(from, MaxBlock), most: most, trace: &Trace{Names: []string{""}}}
	err := r.header()
	for err == nil && !r.trace.Ended {
		err = r.block()
	}
	if errors.Is(err, errCut) {
		err = nil
	}
	if err == nil && r.trace.Ended {
		err = r.nothingMore()
	}
	if err != nil {
		return nil, err
	}
	r.trace.Bytes = r.at
	return r.trace, nil
}

// errCut says that the bytes ended before the trace did.
var errCut = errors.New("the trace is cut off")

// reader reads blocks, and the records of one.
type reader struct {
	from  *bufio.Reader
	at    int64 // the offset of whatever is read next from it
	most  int
	trace *Trace

	buffer []byte
	rest   []byte // of the block
	end    int64  // the offset behind the block
	time   time.Duration
	fault  error // in the block; what is read after it means nothing
}

func (r *reader) header() error {
	head := make([]byte, len(magic)+1+8)
	n, err := io.ReadFull(r.from, head)
	switch {
	case n < len(magic) || string(head[:len(magic)]) != magic:
		return &Error{0, fmt.Sprintf("no trace, which would begin with %q", magic)}
	case n > len(magic) && head[len(magic)] != version:
		return &Error{int64(len(magic)), fmt.Sprintf("a trace of version %d; this program reads version %d, so take the resgen of the module that recorded it", head[len(magic)], version)}
	case err != nil:
		return &Error{int64(n), "the trace ends in its header"}
	}
	r.at = int64(n)
	r.trace.Start = time.Unix(0, int64(binary.LittleEndian.Uint64(head[len(magic)+1:])))
	return nil
}

// nothingMore reports bytes behind the end.
func (r *reader) nothingMore() error {
	if _, err := r.from.ReadByte(); err == nil {
		return &Error{r.at, "something follows the end of the trace; give several traces as several files"}
	}
	return nil
}

// block reads a block.
func (r *reader) block() error {
	size, sum, err := r.blockHead()
	if err != nil {
		return err
	}
	if cap(r.buffer) < size {
		r.buffer = make([]byte, size)
	}
	r.rest = r.buffer[:size]
	if _, err := io.ReadFull(r.from, r.rest); err != nil {
		return cut(err)
	}
	if found := crc32.ChecksumIEEE(r.rest); found != sum {
		return &Error{r.at, fmt.Sprintf("a damaged block: its checksum is %08x, and that of its %d bytes %08x", sum, size, found)}
	}
	r.end = r.at + int64(size)
	r.beginBlock()
	for len(r.rest) > 0 && r.fault == nil {
		r.record()
	}
	r.at = r.end
	return r.fault
}

// blockHead reads how large a block is, and its checksum. The offset is that of what
// follows only if nothing is wrong.
func (r *reader) blockHead() (size int, sum uint32, err error) {
	var head [5]byte
	if _, err = io.ReadFull(r.from, head[:]); err != nil {
		return 0, 0, cut(err)
	}
	if head[0] != mark {
		return 0, 0, &Error{r.at, fmt.Sprintf("byte %#02x where a block would begin with %#02x", head[0], mark)}
	}
	large, n := uint64(0), 0
	for shift := 0; ; shift += 7 {
		b, err := r.from.ReadByte()
		if err != nil {
			return 0, 0, cut(err)
		}
		large |= uint64(b&0x7f) << shift
		if n++; b < 0x80 || n == 5 {
			break
		}
	}
	if large > MaxBlock {
		return 0, 0, &Error{r.at, fmt.Sprintf("a block of %d bytes; there are at most %d", large, MaxBlock)}
	}
	r.at += int64(len(head) + n)
	return int(large), binary.LittleEndian.Uint32(head[1:]), nil
}

func cut(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errCut
	}
	return err
}

func (r *reader) beginBlock() {
	if at := time.Duration(r.upTo(uint64(maxTime), "time of a block")); r.fault == nil {
		r.time = at
	}
	calls := len(r.trace.Calls)
	if n := r.number("number of calls"); r.fault == nil && n != uint64(calls) {
		r.fail("this block comes after %d calls, and before it there are %d: a block is missing or twice there", n, calls)
	}
}

func (r *reader) offset() int64 { return r.end - int64(len(r.rest)) }

func (r *reader) fail(format string, args ...any) {
	if r.fault == nil {
		r.fault = &Error{r.offset(), fmt.Sprintf(format, args...)}
	}
}

func (r *reader) number(of string) uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.fail("no %s", of)
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// upTo is a number that is at most so large.
func (r *reader) upTo(most uint64, of string) uint64 {
	n := r.number(of)
	if n > most {
		r.fail("%d as %s, which is at most %d", n, of, most)
		return 0
	}
	return n
}

func (r *reader) byte(of string) byte {
	if len(r.rest) == 0 {
		r.fail("no %s", of)
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *reader) lasts(of string) time.Duration {
	return time.Duration(r.upTo(uint64(maxTime), of))
}

func (r *reader) record() {
	kind := r.byte("record")
	step, size := binary.Varint(r.rest)
	if size <= 0 {
		r.fail("no time of a record")
		return
	}
	r.rest = r.rest[size:]
	if r.time = r.time + time.Duration(step); step > int64(maxTime) || step < -int64(maxTime) || r.time > maxTime || r.time < 0 {
		r.fail("a record at %v after the beginning", r.time)
		return
	}
	r.trace.Lasts = max(r.trace.Lasts, r.time)
	switch kind & recordMask {
	case recordName:
		r.name()
	case recordMethod:
		r.method()
	case recordCall, recordRefusal:
		r.call(kind)
	case recordTransition:
		r.transition()
	case recordProbe:
		r.probe()
	case recordReload:
		r.trace.Reloads = append(r.trace.Reloads, r.time)
	case recordGap:
		r.trace.Gaps = append(r.trace.Gaps, Gap{
			At: r.time, Lasted: r.lasts("length of a gap"), Dropped: int(r.upTo(1<<62, "number of missing calls")), Before: len(r.trace.Calls),
		})
	case recordEnd:
		if r.trace.Ended = true; len(r.rest) > 0 {
			r.fail("a record behind the end")
		}
	default:
		r.fail("record of kind %d; there are 1 to %d", kind&recordMask, recordEnd)
	}
}

func (r *reader) name() {
	n := int(r.upTo(MaxName, "length of a name"))
	switch {
	case n > len(r.rest):
		r.fail("a name of %d bytes where the block has %d", n, len(r.rest))
	case len(r.trace.Names) > MaxNames:
		r.fail("more than %d names", MaxNames)
	}
	if r.fault == nil {
		r.trace.Names = append(r.trace.Names, string(r.rest[:n]))
		r.rest = r.rest[n:]
	}
}

// nameNumber is the number of a name that there is.
func (r *reader) nameNumber() uint32 {
	return uint32(r.upTo(uint64(len(r.trace.Names)-1), "number of a name"))
}

func (r *reader) method() {
	var m Method
	for _, field := range m.fields() {
		*field = r.trace.Names[r.nameNumber()]
	}
	m.Traits = Traits(r.upTo(uint64(allTraits), "traits of a method"))
	for _, wants := range m.wants() {
		for range r.upTo(MaxList, "number of guards") {
			if r.fault != nil {
				return
			}
			name := r.trace.Names[r.nameNumber()]
			if name == "" {
				r.fail("a guard without a name")
			}
			*wants = append(*wants, Want{
				name, int(r.upTo(MaxPermits, "permits")), int(r.upTo(MaxList, "number of a number")),
			})
		}
	}
	if len(r.trace.Methods) >= MaxNames {
		r.fail("more than %d methods", MaxNames)
	}
	if r.fault == nil {
		r.trace.Methods = append(r.trace.Methods, m)
	}
}

func (r *reader) call(kind byte) {
	calls := len(r.trace.Calls)
	switch {
	case len(r.trace.Methods) == 0:
		r.fail("a call before any method")
		return
	case calls >= r.most:
		r.fail("more than %d calls; record less, or split the trace", r.most)
		return
	}
	c := Call{At: r.time}
	c.Method = uint32(r.upTo(uint64(len(r.trace.Methods)-1), "number of a method"))
	c.Since = uint32(r.upTo(uint64(calls), "number of calls meanwhile"))
	if kind&recordMask == recordRefusal {
		kind := uint8(r.upTo(255, "kind of a refusal"))
		c.Refused, c.Gone = kind&^isGone, kind&isGone != 0
		c.By = r.nameNumber()
		if c.Refused == 0 {
			r.fail("a refusal without a kind")
		}
	} else {
		outcome := Outcome(r.upTo(uint64(isLate+lastOutcome-1), "outcome"))
		if c.Outcome = outcome &^ isLate; c.Outcome >= lastOutcome {
			r.fail("outcome %d; there are 0 to %d", c.Outcome, lastOutcome-1)
		}
		c.Took = r.lasts("duration")
		if outcome&isLate != 0 {
			c.Limit = r.lasts("timeout")
		}
	}
	if r.more(kind, &c); r.fault == nil {
		r.trace.Calls = append(r.trace.Calls, c)
	}
}

// more reads what few calls have.
func (r *reader) more(kind byte, c *Call) {
	if kind&hasWait != 0 {
		c.Waited = r.lasts("wait")
	}
	if kind&hasKey != 0 {
		c.Key = uint32(r.upTo(1<<32-1, "key"))
	}
	if kind&hasWithin != 0 {
		c.Within = uint32(r.upTo(MaxNames, "number of an entry"))
	}
	if kind&hasNumbers == 0 {
		return
	}
	c.Entry = uint32(r.upTo(MaxNames, "number of an entry"))
	for range r.upTo(MaxList, "number of numbers") {
		if r.fault != nil {
			return
		}
		c.Numbers = append(c.Numbers, int(r.upTo(MaxPermits, "number of permits")))
	}
}

func (r *reader) transition() {
	t := Transition{At: r.time, Breaker: r.nameNumber(), Key: uint32(r.upTo(1<<32-1, "key"))}
	t.From, t.To, t.ByHand = r.byte("state"), r.byte("state"), r.byte("hand") != 0
	if r.fault == nil {
		r.trace.Transitions = append(r.trace.Transitions, t)
	}
}

func (r *reader) probe() {
	p := Probe{At: r.time, Breaker: r.nameNumber(), Took: r.lasts("duration"), Good: r.byte("result") != 0}
	if r.fault == nil {
		r.trace.Probes = append(r.trace.Probes, p)
	}
}

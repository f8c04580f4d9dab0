package trace

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"time"
)

// blockLasts is how long a writer keeps a block, so that a process that dies loses no
// more than that.
const blockLasts = time.Second

// roomy is what a block has to hold before it is written: the largest record still
// has room behind it.
const roomy = MaxBlock / 2

// A Writer writes a trace. One goroutine uses it at a time. After a write that failed
// it writes nothing more.
type Writer struct {
	to     io.Writer
	err    error
	block  []byte // payload
	head   []byte
	begun  time.Duration // of the block
	last   time.Duration // time of the last record
	calls  uint64
	names  map[string]uint32
	method uint32 // how many there are
}

// NewWriter begins a trace.
func NewWriter(to io.Writer, start time.Time) *Writer {
	w := &Writer{to: to, names: map[string]uint32{}}
	header := append([]byte(magic), version)
	w.write(binary.LittleEndian.AppendUint64(header, uint64(start.UnixNano())))
	w.begin(0)
	return w
}

// Err is that of the first write that failed.
func (w *Writer) Err() error { return w.err }

func (w *Writer) write(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.to.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	w.err = err
}

// begin begins a block.
func (w *Writer) begin(at time.Duration) {
	w.begun, w.last = at, at
	w.block = binary.AppendUvarint(w.block[:0], uint64(at))
	w.block = binary.AppendUvarint(w.block, w.calls)
}

// Flush writes the block. Whatever comes after it is not before now.
func (w *Writer) Flush(now time.Duration) {
	w.head = append(w.head[:0], mark)
	w.head = binary.LittleEndian.AppendUint32(w.head, crc32.ChecksumIEEE(w.block))
	w.head = binary.AppendUvarint(w.head, uint64(len(w.block)))
	w.write(append(w.head, w.block...))
	w.begin(max(now, 0))
}

// record begins a record.
func (w *Writer) record(kind byte, at time.Duration) {
	at = max(at, 0)
	if len(w.block) > roomy || at-w.begun >= blockLasts {
		w.Flush(at)
	}
	w.block = append(w.block, kind)
	w.signed(int64(at - w.last))
	w.last = at
}

func (w *Writer) number(n uint64) { w.block = binary.AppendUvarint(w.block, n) }
func (w *Writer) signed(n int64)  { w.block = binary.AppendVarint(w.block, n) }

func (w *Writer) text(s string) {
	w.number(uint64(len(s)))
	w.block = append(w.block, s...)
}

// Name is the number of a name, 0 for none and for one too many.
func (w *Writer) Name(name string) uint32 {
	name = name[:min(len(name), MaxName)]
	if n := w.names[name]; n > 0 || name == "" || len(w.names) >= MaxNames {
		return n
	}
	w.names[name] = uint32(len(w.names) + 1)
	w.record(recordName, w.last)
	w.text(name)
	return w.names[name]
}

// Method adds a method. It returns its number, and false for one too many.
func (w *Writer) Method(m *Method) (number uint32, ok bool) {
	if w.method >= MaxNames {
		return 0, false
	}
	fields := m.fields()
	numbers := make([]uint32, len(fields))
	for i, field := range fields {
		numbers[i] = w.Name(*field)
	}
	for _, wants := range m.wants() {
		for _, want := range *wants {
			w.Name(want.Name)
		}
	}
	w.record(recordMethod, w.last)
	for _, n := range numbers {
		w.number(uint64(n))
	}
	w.number(uint64(m.Traits))
	for _, wants := range m.wants() {
		w.wants(*wants)
	}
	w.method++
	return w.method - 1, true
}

func (w *Writer) wants(all []Want) {
	all = all[:min(len(all), MaxList)]
	w.number(uint64(len(all)))
	for _, want := range all {
		w.number(uint64(w.names[want.Name]))
		w.number(uint64(permits(want.N)))
		w.number(uint64(max(0, want.Number)))
	}
}

func permits(n int) int { return min(max(0, n), MaxPermits) }

// fields are the names of a method, in their order in a trace.
func (m *Method) fields() []*string {
	return []*string{&m.Name, &m.Instance, &m.Breaker, &m.RateLimit, &m.Bulkhead, &m.Timeout, &m.Retry, &m.Answers}
}

func (m *Method) wants() []*[]Want { return []*[]Want{&m.Check, &m.Rate, &m.Preload, &m.Lease} }

// Call writes a call.
func (w *Writer) Call(c *Call) {
	kind := byte(recordCall)
	if c.Refused != 0 {
		kind = recordRefusal
	}
	kind |= flag(c.Waited > 0, hasWait) | flag(c.Key != 0, hasKey) | flag(c.Within != 0, hasWithin) |
		flag(c.Entry != 0 || len(c.Numbers) > 0, hasNumbers)
	w.record(kind, c.At)
	w.number(uint64(c.Method))
	w.number(min(uint64(c.Since), w.calls))
	if c.Refused != 0 {
		w.number(uint64(c.Refused | flag(c.Gone, isGone)))
		w.number(uint64(c.By))
	} else {
		w.number(uint64(c.Outcome | Outcome(flag(c.Limit > 0, isLate))))
		w.number(uint64(max(0, c.Took)))
		if c.Limit > 0 {
			w.number(uint64(c.Limit))
		}
	}
	w.rest(c)
	w.calls++
}

// rest writes what few calls have.
func (w *Writer) rest(c *Call) {
	if c.Waited > 0 {
		w.number(uint64(c.Waited))
	}
	if c.Key != 0 {
		w.number(uint64(c.Key))
	}
	if c.Within != 0 {
		w.number(uint64(c.Within))
	}
	if c.Entry == 0 && len(c.Numbers) == 0 {
		return
	}
	w.number(uint64(c.Entry))
	w.number(uint64(min(len(c.Numbers), MaxList)))
	for _, n := range c.Numbers[:min(len(c.Numbers), MaxList)] {
		w.number(uint64(permits(n)))
	}
}

func flag(is bool, bit byte) byte {
	if is {
		return bit
	}
	return 0
}

// Transition writes one.
func (w *Writer) Transition(t Transition) {
	w.record(recordTransition, t.At)
	w.number(uint64(t.Breaker))
	w.number(uint64(t.Key))
	w.block = append(w.block, t.From, t.To, flag(t.ByHand, 1))
}

// Probe writes one.
func (w *Writer) Probe(p Probe) {
	w.record(recordProbe, p.At)
	w.number(uint64(p.Breaker))
	w.number(uint64(max(0, p.Took)))
	w.block = append(w.block, flag(p.Good, 1))
}

// Reload writes that the settings have changed.
func (w *Writer) Reload(at time.Duration) { w.record(recordReload, at) }

// Gap writes that calls are missing. The numbers of entries begin anew.
func (w *Writer) Gap(at, lasted time.Duration, dropped int) {
	w.record(recordGap, at)
	w.number(uint64(max(0, lasted)))
	w.number(uint64(dropped))
}

// Close ends the trace.
func (w *Writer) Close(at time.Duration) error {
	w.record(recordEnd, at)
	w.Flush(at)
	return w.err
}

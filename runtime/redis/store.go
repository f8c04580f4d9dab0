package redis

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/redis/rueidis"

	"github.com/resgen-go/resgen/runtime/internal/sharing/fleet"
	"github.com/resgen-go/resgen/runtime/internal/sharing/rule"
	"github.com/resgen-go/resgen/runtime/redis/internal/lua"
)

// layout is the version of what is kept on the server. Those of other versions don't meet.
const layout = "v2:"

// slots is how many slots of a cluster the breakers of one fleet spread over. A
// server that is no cluster has one, so that one script serves all.
const slots = 16

// store is the server as a place where processes meet.
type store struct {
	*client
	prefix string
	slots  uint32
	since  sync.Map // slot: moment of the server's clock when its changes were last asked for
}

func newStore(c *client, prefix string) *store {
	s := &store{client: c, prefix: prefix + layout, slots: 1}
	if c.cluster {
		s.slots = slots
	}
	return s
}

func (s *store) Close() { s.client.close() }

// channel is where changes are announced.
func (s *store) channel() string { return s.prefix + "changes" }

// slot begins each key of the breakers that share a slot.
func (s *store) slot(n uint32) string { return fmt.Sprintf("%s{%s%d}", s.prefix, s.prefix, n) }

func (s *store) slotOf(breaker string) uint32 { return crc32.ChecksumIEEE([]byte(breaker)) % s.slots }

// keys are those of a breaker: what is decided, what processes reported, and
// what changed last.
func (s *store) keys(breaker string) [3]string {
	slot := s.slot(s.slotOf(breaker))
	return [3]string{slot + "state:" + breaker, slot + "reports:" + breaker, slot + "history:" + breaker}
}

// batch is the inputs that one script takes.
type batch struct {
	slot   uint32
	places []int // among the inputs
	request
}

// Exchange runs one script for each slot that has inputs; without any it asks
// for changes.
func (s *store) Exchange(ctx context.Context, r fleet.Request) (response fleet.Response, err error) {
	if err := ctx.Err(); err != nil {
		return response, err
	}
	batches := s.batches(r)
	requests := make([]request, len(batches))
	for i, b := range batches {
		requests[i] = b.request
	}
	response.Answers = make([]fleet.Answer, len(r.Inputs))
	for i, answer := range s.run(ctx, requests) {
		if e := s.take(&response, batches[i], answer); e != nil {
			if len(batches) == 1 || ctx.Err() != nil {
				return response, describe(e)
			}
			for _, place := range batches[i].places { // one node of a cluster
				response.Answers[place] = fleet.Answer{Err: describe(e)}
			}
			err = e
		}
	}
	if wrong := describe(err); errors.Is(wrong, fleet.ErrWrongServer) {
		return response, wrong
	}
	return response, nil
}

func (s *store) batches(r fleet.Request) (all []*batch) {
	of := map[uint32]*batch{}
	add := func(slot uint32) *batch {
		b := of[slot]
		if b == nil {
			since := int64(0)
			if at, known := s.since.Load(slot); known {
				since = at.(int64)
			}
			b = &batch{slot: slot, request: request{
				keys: []string{s.slot(slot) + "alive", s.slot(slot) + "changes"},
				args: []string{s.channel(), r.Process, decimal(r.Alive.Milliseconds()), decimal(since)},
			}}
			of[slot] = b
			all = append(all, b)
		}
		return b
	}
	s.since.Range(func(slot, _ any) bool { // its breakers are looked at, and the process is alive for them
		if r.Process != "" {
			add(slot.(uint32))
		}
		return true
	})
	for i, in := range r.Inputs {
		b, keys := add(s.slotOf(in.Breaker)), s.keys(in.Breaker)
		b.places = append(b.places, i)
		b.keys = append(b.keys, keys[:]...)
		b.args = append(b.args, inputArgs(in)...)
	}
	return all
}

// inputArgs are what the script takes for a breaker.
func inputArgs(in fleet.Input) []string {
	order, lasts, by := "-", int64(0), ""
	if in.Order != nil {
		order, lasts, by = in.Order.Word, in.Order.For, oneLine(in.Order.By)
	}
	want := int64(0)
	if in.Want {
		want = 1
	}
	first := joinNumbers(in.Told, in.Ended, in.Calls, in.Failures, int64(in.Vote))
	rest := joinNumbers(in.Outage, in.RetryIn, in.Known.N, in.Known.For, in.Trial.Outage, in.Trial.ID, int64(in.Trial.Result), want, lasts)
	if rest == nothing {
		rest = ""
	}
	return []string{in.Breaker, in.Rule.String(), first, rest, in.Known.Word, in.Known.By, order, by}
}

// nothing is what most inputs say beside the report.
const nothing = "0 0 0 0 0 0 0 0 0"

func joinNumbers(numbers ...int64) string {
	var text []byte
	for i, n := range numbers {
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendInt(text, n, 10)
	}
	return string(text)
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

var errNoView = errors.New("the server's answer is none of our script")

// take reads the answer of one script.
func (s *store) take(response *fleet.Response, b *batch, answer rueidis.RedisResult) error {
	parts, err := answer.ToArray()
	if err != nil {
		return err
	}
	if len(parts) != 2+len(b.places) {
		return errNoView
	}
	text, err := parts[0].ToString()
	now, bad := strconv.ParseInt(text, 10, 64)
	if err != nil || bad != nil {
		return errNoView
	}
	names, err := parts[1].AsStrSlice()
	if err != nil {
		return errNoView
	}
	response.Changed = append(response.Changed, names...)
	s.since.Store(b.slot, max(now-1000, 1))
	for i, place := range b.places {
		fields, err := parts[2+i].AsStrSlice()
		if err != nil {
			return errNoView
		}
		response.Answers[place] = readAnswer(now, fields)
	}
	return nil
}

// fixed is how many texts of a view come before the events.
const fixed = 7

func readAnswer(now int64, f []string) (a fleet.Answer) {
	if len(f) == 1 {
		a.Err = describe(errors.New(f[0]))
		return a
	}
	if len(f) < fixed {
		a.Err = errNoView
		return a
	}
	v := &a.View
	var calm, push int64
	v.RampFor = -1
	err := readNumbers(f[0], &v.Change, &v.Ended, &calm, &v.Again, &v.Members, &v.Witnesses, &v.Votes, &v.Calls, &v.Failures)
	if err == nil && f[1] != "" {
		err = readNumbers(f[1], &v.Outage, &v.RetryIn, &v.RampFor, &v.Top, &v.Hand.N, &v.Hand.For, &v.Permit, &v.PermitFor, &v.Out, &v.Good, &v.Bad, &push)
	}
	if err != nil {
		a.Err = err
		return a
	}
	v.Now, v.Calm, v.Push = now, calm == 1, push == 1
	v.Hand.Word, v.Hand.By, v.Rules, v.Reason, a.Dropped = f[2], f[3], f[4], f[5], f[6]
	for _, text := range f[fixed:] {
		if e, ok := readEvent(text); ok {
			v.Events = append(v.Events, e)
		}
	}
	return a
}

func readNumbers(text string, into ...*int64) (err error) {
	numbers := strings.Fields(text)
	if len(numbers) != len(into) {
		return errNoView
	}
	for i, n := range numbers {
		if *into[i], err = strconv.ParseInt(n, 10, 64); err != nil {
			return fmt.Errorf("%w: %q", errNoView, n)
		}
	}
	return nil
}

// readEvent reads "1732959999999 BEGAN host-7 36 of …".
func readEvent(text string) (e rule.Event, ok bool) {
	parts := strings.SplitN(text, " ", 4)
	if len(parts) < 4 {
		return e, false
	}
	n, err := strconv.ParseInt(parts[0], 10, 64)
	if parts[2] == "-" {
		parts[2] = ""
	}
	return rule.Event{N: n, What: parts[1], By: parts[2], Reason: parts[3]}, err == nil
}

// describe finds errors that mean that another server is in charge now.
func describe(err error) error {
	if err == nil {
		return nil
	}
	for _, word := range []string{"READONLY", "MASTERDOWN", "LOADING", "CLUSTERDOWN", "NOREPLICAS", "UNKILLABLE"} {
		if strings.Contains(err.Error(), word) {
			return fmt.Errorf("%w: %w", fleet.ErrWrongServer, err)
		}
	}
	return err
}

// Changes subscribes.
func (s *store) Changes(ctx context.Context, changed func(name string, number int64)) error {
	heard := rueidis.WithOnSubscriptionHook(ctx, func(rueidis.PubSubSubscription) { changed("", 0) })
	return s.Receive(heard, s.B().Subscribe().Channel(s.channel()).Build(), func(message rueidis.PubSubMessage) {
		if i := strings.LastIndexByte(message.Message, ' '); i >= 0 { // names may have blanks in them
			if n, err := strconv.ParseInt(message.Message[i+1:], 10, 64); err == nil {
				changed(message.Message[:i], n)
			}
		}
	})
}

// request is one run of the script.
type request struct{ keys, args []string }

// command names the script, or brings it along for a server that does not know
// it.
func (r request) command(b rueidis.Builder, known bool) rueidis.Completed {
	name, script := "EVALSHA", lua.Exchange.SHA
	if !known {
		name, script = "EVAL", lua.Exchange.Text
	}
	return b.Arbitrary(name, script, strconv.Itoa(len(r.keys))).Keys(r.keys...).Args(r.args...).Build()
}

// Breakers are the names of those of which the server knows anything.
func (s *store) Breakers(ctx context.Context) (names []string, err error) {
	pattern := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(s.prefix) + "{*}state:*"
	for _, node := range s.Nodes() {
		for cursor := uint64(0); ; {
			page, err := node.Do(ctx, node.B().Scan().Cursor(cursor).Match(pattern).Count(1000).Build()).AsScanEntry()
			if err != nil {
				return nil, describe(err)
			}
			for _, key := range page.Elements {
				if _, name, found := strings.Cut(key, "}state:"); found && s.keys(name)[0] == key {
					names = append(names, name)
				}
			}
			if cursor = page.Cursor; cursor == 0 {
				break
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// History is the last changes of a breaker, newest first.
func (s *store) History(ctx context.Context, breaker string) (events []rule.Event, err error) {
	texts, err := s.Do(ctx, s.B().Lrange().Key(s.keys(breaker)[2]).Start(0).Stop(-1).Build()).AsStrSlice()
	for _, text := range texts {
		if e, ok := readEvent(text); ok {
			events = append(events, e)
		}
	}
	return events, describe(err)
}

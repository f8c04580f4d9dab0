// Package behaviour_test calls through the generated wrappers of the scenarios.
// It stands apart from the tests of the generator, so that those can write the
// scenarios anew even if these no longer compile.
package behaviour_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/testdata/scenarios/aliased"
	"github.com/resgen-go/resgen/testdata/scenarios/anticipated"
	"github.com/resgen-go/resgen/testdata/scenarios/classified"
	"github.com/resgen-go/resgen/testdata/scenarios/classified/judge"
	"github.com/resgen-go/resgen/testdata/scenarios/embedded"
	"github.com/resgen-go/resgen/testdata/scenarios/embedded/ledger"
	"github.com/resgen-go/resgen/testdata/scenarios/generic"
	"github.com/resgen-go/resgen/testdata/scenarios/guarded"
	"github.com/resgen-go/resgen/testdata/scenarios/named"
	"github.com/resgen-go/resgen/testdata/scenarios/passing"
	"github.com/resgen-go/resgen/testdata/scenarios/probed"
	"github.com/resgen-go/resgen/testdata/scenarios/unnamed"
	"github.com/resgen-go/resgen/testdata/scenarios/variadic"
	"github.com/resgen-go/resgen/testdata/scenarios/worstcase"
)

var errDependency = errors.New("the dependency failed")

// registry has breakers that nothing opens by itself.
func registry(t *testing.T, settings string) *resilience.Registry {
	t.Helper()
	r, err := resilience.New(resilience.Settings("test.json", []byte(settings)), resilience.Logger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// wrap builds a wrapper by its constructor.
func wrap[I, W any](t *testing.T, constructor func(I, *resilience.Registry, ...resilience.WrapperOption) (W, error), next I, r *resilience.Registry) W {
	t.Helper()
	wrapper, err := constructor(next, r)
	if err != nil {
		t.Fatal(err)
	}
	return wrapper
}

// open forces a breaker open.
func open(t *testing.T, r *resilience.Registry, name string) {
	t.Helper()
	b, err := r.Breaker(name)
	if err != nil {
		t.Fatal(err)
	}
	b.ForceOpen("test")
}

// failures are what a breaker counted.
func failures(t *testing.T, r *resilience.Registry, name string) (calls, failures int) {
	t.Helper()
	for _, b := range r.Snapshot().Breakers {
		if b.Name == name {
			return int(b.Calls), int(b.Failures)
		}
	}
	t.Fatalf("there is no breaker %s", name)
	return 0, 0
}

type payments struct{ guarded.Payments }

func (payments) Charge(ctx context.Context, req guarded.ChargeRequest) (*guarded.Receipt, error) {
	_, bounded := ctx.Deadline()
	return &guarded.Receipt{ID: fmt.Sprint(req.Cents, bounded)}, errDependency
}

func (payments) Refund(context.Context, *guarded.Receipt) error { return nil }

func (payments) Balance(account string) (int64, error) { return int64(len(account)), nil }

func TestAGuardedMethodPassesArgumentsResultsAndErrorsOn(t *testing.T) {
	r := registry(t, `{"timeouts": {"slow": {"duration": "1m"}}}`)
	w := wrap(t, guarded.NewResilientPayments, guarded.Payments(payments{}), r)
	receipt, err := w.Charge(t.Context(), guarded.ChargeRequest{Cents: 7})
	if receipt == nil || receipt.ID != "7 true" || !errors.Is(err, errDependency) {
		t.Errorf("Charge: %v, %v", receipt, err)
	}
	if calls, failed := failures(t, r, "payments"); calls != 1 || failed != 1 {
		t.Errorf("the breaker counted %d calls, %d failures", calls, failed)
	}
	if cents, err := w.Balance("abc"); cents != 3 || err != nil {
		t.Errorf("Balance: %v, %v", cents, err)
	}
}

func TestARefusalReturnsZeroResults(t *testing.T) {
	r := registry(t, `{}`)
	w := wrap(t, guarded.NewResilientPayments, guarded.Payments(payments{}), r)
	open(t, r, "payments")
	receipt, err := w.Charge(t.Context(), guarded.ChargeRequest{Cents: 7})
	if receipt != nil || !errors.Is(err, resilience.ErrOpen) {
		t.Errorf("Charge: %v, %v", receipt, err)
	}
	if cents, err := w.Balance("abc"); cents != 0 || !errors.Is(err, resilience.ErrOpen) {
		t.Errorf("Balance: %v, %v", cents, err)
	}
	if err := w.Refund(t.Context(), nil); err != nil {
		t.Errorf("Refund has a breaker of its own, but: %v", err)
	}
}

type shop struct {
	anticipated.Shop
	checkout func()
}

func (s shop) Checkout(_ context.Context, cart []string) (string, error) {
	s.checkout()
	return strings.Join(cart, "+"), nil
}

func TestAnAnticipatedMethodReservesForItsBody(t *testing.T) {
	r := registry(t, `{}`)
	idle := func() map[string]int {
		found := map[string]int{}
		for _, b := range r.Snapshot().Bulkheads {
			found[b.Name] = b.ReservedIdle
		}
		return found
	}
	var inside map[string]int
	next := shop{checkout: func() { inside = idle() }}
	w := wrap(t, anticipated.NewResilientShop, anticipated.Shop(next), r)
	order, err := w.Checkout(t.Context(), []string{"tea", "cups"})
	if order != "tea+cups" || err != nil {
		t.Fatalf("Checkout: %q, %v", order, err)
	}
	if diff := cmp.Diff(map[string]int{"payments": 1, "inventory": 4, "audit": 2, "shop": 0}, inside); diff != "" {
		t.Errorf("reserved while the body ran, -want +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"payments": 0, "inventory": 0, "audit": 0, "shop": 0}, idle()); diff != "" {
		t.Errorf("reserved afterwards, -want +got:\n%s", diff)
	}
}

func TestAnAnticipatedMethodIsRefusedByAGateBeforeItsBody(t *testing.T) {
	r := registry(t, `{}`)
	ran := false
	w := wrap(t, anticipated.NewResilientShop, anticipated.Shop(shop{checkout: func() { ran = true }}), r)
	open(t, r, "inventory")
	order, err := w.Checkout(t.Context(), []string{"tea"})
	if order != "" || !errors.Is(err, resilience.ErrGate) || ran {
		t.Errorf("Checkout: %q, %v; the body ran: %v", order, err, ran)
	}
}

type catalog struct {
	probed.Catalog
	pings, alive chan struct{}
}

func (c catalog) Ping(context.Context) error  { c.pings <- struct{}{}; return nil }
func (c catalog) Alive(context.Context) error { c.alive <- struct{}{}; return nil }

func TestProbesAreCalledWhileTheirBreakersAreOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := registry(t, `{"breakers": {"default": {"strategy": "CANARY_RATE_THRESHOLD"}}}`)
		next := catalog{pings: make(chan struct{}), alive: make(chan struct{})}
		wrap(t, probed.NewResilientCatalog, probed.Catalog(next), r)
		for name, called := range map[string]chan struct{}{"catalog": next.pings, "images": next.alive} {
			b, err := r.Breaker(name)
			if err != nil {
				t.Fatal(err)
			}
			b.Trip("test")
			<-called
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}

type mail struct{ err error }

func (m mail) Send(context.Context, string, string) error           { return m.err }
func (m mail) Read(context.Context, string) ([]judge.Letter, error) { return nil, m.err }

func TestClassifyFunctionsJudgeTheOutcome(t *testing.T) {
	r := registry(t, `{}`)
	w := wrap(t, classified.NewResilientMail, classified.Mail(mail{classified.ErrNoSuchBox}), r)
	if err := w.Send(t.Context(), "a", "b"); err != classified.ErrNoSuchBox {
		t.Error(err)
	}
	if calls, failed := failures(t, r, "mail"); calls != 0 || failed != 0 {
		t.Errorf("an ignored error is counted: %d calls, %d failures", calls, failed)
	}
	w = wrap(t, classified.NewResilientMail, classified.Mail(mail{}), r)
	if _, err := w.Read(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	if calls, failed := failures(t, r, "mail"); calls != 1 || failed != 1 {
		t.Errorf("judge.Everything should make a failure: %d calls, %d failures", calls, failed)
	}
}

type cache struct{}

func (cache) Get(context.Context, string) ([]byte, error) { return nil, nil }
func (cache) Put(string, []byte) error                    { return nil }
func (cache) Len() int                                    { return 3 }
func (cache) Reset()                                      {}
func (cache) Last() *passing.Failure                      { return &passing.Failure{} }
func (cache) Close() error                                { return errDependency }

func TestMethodsThatPassThroughAreNeverRefused(t *testing.T) {
	r := registry(t, `{}`)
	w := wrap(t, passing.NewResilientCache, passing.Cache(cache{}), r)
	open(t, r, "cache")
	if err := w.Put("k", nil); !errors.Is(err, resilience.ErrOpen) {
		t.Errorf("Put is guarded, but: %v", err)
	}
	w.Reset()
	if n := w.Len(); n != 3 {
		t.Errorf("Len: %d", n)
	}
	if w.Last() == nil {
		t.Error("Last returned nothing")
	}
	if err := w.Close(); err != errDependency {
		t.Errorf("Close: %v", err)
	}
}

type book struct {
	embedded.Book
	entries []ledger.Entry
}

func (b *book) Read(p []byte) (int, error)    { return copy(p, "text"), io.EOF }
func (b *book) Sync() error                   { return nil }
func (b *book) Take() (*embedded.Page, error) { return &embedded.Page{Text: "page"}, nil }
func (b *book) Append(_ string, entries ...ledger.Entry) error {
	b.entries = append(b.entries, entries...)
	return nil
}

func TestEmbeddedMethodsAreGuarded(t *testing.T) {
	r := registry(t, `{}`)
	next := &book{}
	w := wrap(t, embedded.NewResilientBook, embedded.Book(next), r)
	text := make([]byte, 9)
	if n, err := w.Read(text); n != 4 || err != io.EOF {
		t.Errorf("Read: %d, %v", n, err)
	}
	if err := w.Append("main", ledger.Entry{Cents: 1}, ledger.Entry{Cents: 2}); err != nil || len(next.entries) != 2 {
		t.Errorf("Append: %v, %v", next.entries, err)
	}
	open(t, r, "book")
	if _, err := w.Read(text); !errors.Is(err, resilience.ErrOpen) {
		t.Errorf("Read with an open breaker: %v", err)
	}
	if err := w.Sync(); err != nil {
		t.Errorf("Sync has a breaker of its own, but: %v", err)
	}
	if page, err := w.Take(); err != nil || page.Text != "page" {
		t.Errorf("Take is marked none where it is declared, but: %v, %v", page, err)
	}
}

type memory map[string]int

func (m memory) Get(_ context.Context, key string) (int, error) { return m[key], nil }
func (m memory) Put(_ context.Context, key string, v int) error { m[key] = v; return nil }
func (m memory) Range(visit func(string, int) bool) {
	for key, v := range m {
		visit(key, v)
	}
}

func TestGenericInterfacesHaveGenericWrappers(t *testing.T) {
	w := wrap(t, generic.NewResilientRepository[string, int], generic.Repository[string, int](memory{}), registry(t, `{}`))
	if err := w.Put(t.Context(), "three", 3); err != nil {
		t.Error(err)
	}
	if v, err := w.Get(t.Context(), "three"); v != 3 || err != nil {
		t.Errorf("Get: %d, %v", v, err)
	}
	w.Range(func(key string, v int) bool {
		if key != "three" || v != 3 {
			t.Errorf("Range: %s, %d", key, v)
		}
		return true
	})
}

type log struct{ got []any }

func (l *log) Print(_ context.Context, args ...any) (int, error) { l.got = args; return len(args), nil }
func (l *log) Join(parts [][]byte, separators ...[]byte) ([]byte, error) {
	return bytes.Join(parts, bytes.Join(separators, nil)), nil
}
func (l *log) Each(visit func(string, ...any), names ...string) {
	for _, name := range names {
		visit("%s", name)
	}
}

func TestVariadicArgumentsArePassedOnOneByOne(t *testing.T) {
	next := &log{}
	w := wrap(t, variadic.NewResilientLog, variadic.Log(next), registry(t, `{}`))
	if n, err := w.Print(t.Context(), 1, "two", nil); n != 3 || err != nil {
		t.Errorf("Print: %d, %v", n, err)
	}
	if diff := cmp.Diff([]any{1, "two", nil}, next.got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if n, err := w.Print(t.Context()); n != 0 || err != nil {
		t.Errorf("Print of nothing: %d, %v", n, err)
	}
	joined, err := w.Join([][]byte{[]byte("a"), []byte("b")}, []byte("-"), []byte("+"))
	if string(joined) != "a-+b" || err != nil {
		t.Errorf("Join: %s, %v", joined, err)
	}
	w.Each(func(format string, args ...any) {
		if got := fmt.Sprintf(format, args...); got != "x" {
			t.Errorf("Each: %s", got)
		}
	}, "x")
}

type blobs struct{ unnamed.Blobs }

func (blobs) Copy(from, to string, overwrite bool) (int64, int64, error) {
	if from == "a" && to == "b" && overwrite {
		return 1, 2, nil
	}
	return 0, 0, errDependency
}

func TestParametersWithoutNamesKeepTheirOrder(t *testing.T) {
	w := wrap(t, unnamed.NewResilientBlobs, unnamed.Blobs(blobs{}), registry(t, `{}`))
	if n, m, err := w.Copy("a", "b", true); n != 1 || m != 2 || err != nil {
		t.Errorf("Copy: %d, %d, %v", n, m, err)
	}
}

type server struct{}

func (server) Serve() error { return errDependency }

func TestAWrapperHasTheNameItWasGiven(t *testing.T) {
	var w *named.GuardedServer = wrap(t, named.NewGuardedServer, named.Server(server{}), registry(t, `{}`))
	if err := w.Serve(); !errors.Is(err, errDependency) {
		t.Errorf("Serve: %v", err)
	}
}

func TestAnAliasIsWrappedAsWhatItStandsFor(t *testing.T) {
	near, far := net.Pipe()
	w := wrap(t, aliased.NewResilientConn, near, registry(t, `{}`))
	var conn net.Conn = w
	go func() { _, _ = far.Write([]byte("hello")) }()
	text := make([]byte, 9)
	if n, err := conn.Read(text); string(text[:n]) != "hello" || err != nil {
		t.Errorf("Read: %s, %v", text[:n], err)
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		t.Error(err)
	}
}

// worst needs the unexported method of the interface, so it embeds it.
type worst struct{ worstcase.Worst }

func (worst) Background(text string, err error, value any, yes, no bool) (int, error, error) {
	if text == "text" && value == 7 && yes && !no {
		return 1, err, errDependency
	}
	return 0, nil, nil
}

func TestClashingNamesMixNothingUp(t *testing.T) {
	w := wrap(t, worstcase.NewResilientWorst, worstcase.Worst(worst{}), registry(t, `{}`))
	n, first, second := w.Background("text", io.EOF, 7, true, false)
	if n != 1 || first != io.EOF || !errors.Is(second, errDependency) {
		t.Errorf("Background: %d, %v, %v", n, first, second)
	}
}

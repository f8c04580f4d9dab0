package resilience_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/breaker"
	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
	"github.com/resgen-go/resgen/runtime/internal/sharing"
)

// fleet is an adapter that notes what a registry asks of it.
type fleet struct {
	sharing.Hooks
	settings *sharedstate.Settings
	own      breaker.Fleet // of the breaker that joined last
	joined   []string
	told     []string
	known    []sharing.Breaker
	ordered  []string
	closed   bool
}

func (f *fleet) asAdapter() resilience.Adapter { return f }

func (f *fleet) Start(hooks sharing.Hooks) { f.Hooks = hooks }

func (f *fleet) Configure(settings *sharedstate.Settings, needed bool) error {
	if needed && settings.Address == nil {
		return errors.New("sharedState.address is missing")
	}
	f.settings = settings
	return nil
}

func (f *fleet) Join(b *breaker.Breaker, own breaker.Fleet) {
	f.joined = append(f.joined, b.Name())
	f.own = own
}

func (f *fleet) Leave(b *breaker.Breaker) {
	f.joined = slices.DeleteFunc(f.joined, func(name string) bool { return name == b.Name() })
}

func (f *fleet) Transition(t breaker.Transition) {
	f.told = append(f.told, t.Breaker+" "+t.To.String())
}

func (f *fleet) Event(breaker.FleetEvent) {}

func (f *fleet) Snapshot() []sharing.Breaker { return f.known }

func (f *fleet) Order(_ context.Context, name string, order sharing.Order) error {
	f.ordered = append(f.ordered, fmt.Sprintf("%s %s %v %s", name, order.Word, order.For, order.By))
	return nil
}

func (f *fleet) Close() { f.closed = true }

func TestSharingWithoutAnAdapterIsAnErrorWithAWayOut(t *testing.T) {
	_, err := resilience.New(resilience.Settings("r.json", []byte(`{"breakers": {"b": {"shared": true}}}`)))
	want := "r.json:1:31: breakers.b.shared: true needs an adapter; pass redis.Share()"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s…", err, want)
	}
}

func TestEachKeyOfASharedBreakerIsShared(t *testing.T) {
	adapter := new(fleet)
	text := `{
		"breakers": {"tenants": {"shared": true, "maxInstances": 2}, "tenants/own": {"shared": false}},
		"sharedState": {"keyPrefix": "shop:", "address": "here:1"},
	}`
	registry := newRegistry(t, text, resilience.Share(adapter.asAdapter))
	guard := newGuard(t, registry, byTenant)
	expect := func(want ...string) {
		t.Helper()
		if !slices.Equal(adapter.joined, want) {
			t.Errorf("shared are %q, want %q", adapter.joined, want)
		}
	}
	guard.For("a")
	guard.For("own")
	expect("tenants", "tenants/a")
	guard.For("b") // takes the place of a
	expect("tenants", "tenants/b")
	if err := registry.Forget("tenants/b"); err != nil {
		t.Fatal(err)
	}
	expect("tenants")
	runtime.KeepAlive(guard)
}

func TestTheAdapterHearsOfSharedBreakersOnly(t *testing.T) {
	adapter := new(fleet)
	text := `{"breakers": {"a": {"shared": true}, "b": {}}, "sharedState": {"keyPrefix": "shop:", "address": "here:1"}}`
	registry := newRegistry(t, text, resilience.Share(adapter.asAdapter))
	newGuard(t, registry, resilience.Guards{Breaker: "a"})
	newGuard(t, registry, resilience.Guards{Breaker: "b"})
	newGuard(t, registry, resilience.Guards{Breaker: "a"})
	if !slices.Equal(adapter.joined, []string{"a"}) || *adapter.settings.Address != "here:1" {
		t.Errorf("shared are %q with %+v, want a", adapter.joined, adapter.settings)
	}
	b, err := registry.Breaker("a")
	if err != nil {
		t.Fatal(err)
	}
	b.Trip("test")
	if !slices.Equal(adapter.told, []string{"a OPEN"}) {
		t.Errorf("the adapter was told %q", adapter.told)
	}
	registry.Close()
	if !adapter.closed {
		t.Error("the registry's Close does not close the adapter")
	}
}

func TestSettingsThatTheAdapterRefusesAreAnError(t *testing.T) {
	text := []byte(`{"breakers": {"default": {"shared": true}}, "sharedState": {"keyPrefix": "shop:"}}`)
	if _, err := resilience.New(resilience.Settings("r.json", text), resilience.Share(new(fleet).asAdapter)); err == nil {
		t.Error("an address is missing, and nobody says so")
	}
	if _, err := resilience.New(resilience.Settings("r.json", []byte(`{}`)), resilience.Share(new(fleet).asAdapter)); err != nil {
		t.Errorf("nothing is shared, and still: %v", err)
	}
}

// Two services with a breaker of one name, on one server, were one breaker.
func TestFieldN02NoBreakerIsSharedWithoutAName(t *testing.T) {
	for _, file := range []string{
		`{"breakers": {"db": {"shared": true}}, "sharedState": {"address": "x:1"}}`,
		`{"breakers": {"default": {"shared": true}}}`,
	} {
		adapter := new(fleet)
		_, err := resilience.New(resilience.Settings("r.json", []byte(file)), resilience.Share(adapter.asAdapter))
		if err == nil || !strings.Contains(err.Error(), "sharedState.keyPrefix: missing: two services on one server would share") {
			t.Errorf("%s: error %v", file, err)
		}
		if adapter.settings != nil {
			t.Error("the adapter was asked")
		}
	}
}

func TestFieldN02AReloadWithoutANameKeepsTheOldSettings(t *testing.T) {
	adapter, source := new(fleet), &changing{text: `{"breakers": {"db": {"shared": true}}, "sharedState": {"keyPrefix": "shop:", "address": "x:1"}}`}
	registry, err := resilience.New(resilience.Follow(source), resilience.Share(adapter.asAdapter), resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	newGuard(t, registry, resilience.Guards{Breaker: "db"})
	source.text = `{"breakers": {"db": {"shared": true}}, "sharedState": {"address": "y:1"}}`
	if err := registry.Reload(); err == nil || !strings.Contains(err.Error(), "sharedState.keyPrefix: missing") {
		t.Errorf("error %v", err)
	}
	if s := adapter.settings; *s.KeyPrefix != "shop:" || *s.Address != "x:1" || !slices.Equal(adapter.joined, []string{"db"}) {
		t.Errorf("in force is %+v for %q", s, adapter.joined)
	}
}

func TestAReloadTurnsSharingOnAndOff(t *testing.T) {
	adapter, source := new(fleet), &changing{text: `{"breakers": {"a": {}}}`}
	registry, err := resilience.New(resilience.Follow(source), resilience.Share(adapter.asAdapter), resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	newGuard(t, registry, resilience.Guards{Breaker: "a"})
	steps := []struct {
		text   string
		fault  bool
		joined int
	}{
		{`{"breakers": {"a": {"shared": true}}, "sharedState": {"keyPrefix": "shop:"}}`, true, 0},
		{`{"breakers": {"a": {"shared": true}}, "sharedState": {"keyPrefix": "shop:", "address": "x:1"}}`, false, 1},
		{`{"breakers": {"a": {"shared": true}}, "sharedState": {"keyPrefix": "shop:", "address": "y:1"}}`, false, 1},
		{`{"breakers": {"a": {}}, "sharedState": {"keyPrefix": "shop:", "address": "y:1"}}`, false, 0},
	}
	for _, step := range steps {
		source.text = step.text
		if err := registry.Reload(); (err != nil) != step.fault {
			t.Errorf("%s: error %v", step.text, err)
		}
		if adapter.joined = slices.Compact(adapter.joined); len(adapter.joined) != step.joined {
			t.Errorf("%s: shared are %q", step.text, adapter.joined)
		}
	}
	if *adapter.settings.Address != "y:1" {
		t.Errorf("the adapter has %+v", adapter.settings)
	}
}

// changing is a source whose text a test changes.
type changing struct{ text string }

func (c *changing) Read() (string, []byte, error)          { return "r.json", []byte(c.text), nil }
func (c *changing) Follow(func()) (stop func(), err error) { return func() {}, nil }

func TestChangesOfTheFleetAreEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		adapter := new(fleet)
		var got []resilience.Event
		registry := newRegistry(t, `{}`, resilience.Share(adapter.asAdapter),
			resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) { got = append(got, e) })))
		defer registry.Close()
		adapter.Outage(sharing.Outage{Breaker: "b", Change: sharing.Renewed, Reason: "3 trials failed"})
		adapter.Link(sharing.Link{Err: context.DeadlineExceeded})
		synctest.Wait()
		want := []resilience.Event{
			resilience.Outage{Breaker: "b", Change: resilience.OutageTrialFailed, Reason: "3 trials failed"},
			resilience.FleetLink{Err: context.DeadlineExceeded},
		}
		if !slices.Equal(got, want) {
			t.Errorf("events %+v, want %+v", got, want)
		}
	})
}

func TestChangesOfAnOutageAreReadBack(t *testing.T) {
	for _, change := range []resilience.OutageChange{
		resilience.OutageBegan, resilience.OutageTrial, resilience.OutageTrialFailed, resilience.OutageEnded,
	} {
		text, err := json.Marshal(resilience.Outage{Change: change})
		if err != nil {
			t.Fatal(err)
		}
		var got resilience.Outage
		if err := json.Unmarshal(text, &got); err != nil || got.Change != change {
			t.Errorf("%s is read as %v with error %v", text, got.Change, err)
		}
	}
	if err := new(resilience.OutageChange).UnmarshalText([]byte("FORGOT")); err == nil {
		t.Error("FORGOT is a change of an outage")
	}
	if got := resilience.OutageChange(9).String(); got != "Change(9)" {
		t.Errorf("a change out of range is %q", got)
	}
}

func TestSnapshotsTellWhatIsSharedAndWhetherTheLinkIsThere(t *testing.T) {
	adapter := new(fleet)
	registry, err := resilience.New(resilience.Share(adapter.asAdapter), resilience.Logger(nil), resilience.Settings("r.json",
		[]byte(`{"breakers": {"a": {"shared": true}, "b": {}}, "sharedState": {"keyPrefix": "shop:", "address": "x:1"}}`)))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	newGuard(t, registry, resilience.Guards{Breaker: "a"})
	newGuard(t, registry, resilience.Guards{Breaker: "b"})
	got := registry.Snapshot()
	if a, b := got.Breakers[0], got.Breakers[1]; !a.Shared || b.Shared || got.Fleet != nil {
		t.Errorf("shared are a: %t, b: %t; the link is %+v before there was one", a.Shared, b.Shared, got.Fleet)
	}
	at := time.Now()
	for _, link := range []sharing.Link{{At: at}, {At: at, Err: errDown}, {At: at}} {
		adapter.Link(link)
		want := &resilience.FleetSnapshot{Connected: link.Err == nil, Since: at}
		if link.Err != nil {
			want.Fault = link.Err.Error()
		}
		if diff := cmp.Diff(want, registry.Snapshot().Fleet); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestFieldG06TheAdapterHearsOfABreakersOwnRule(t *testing.T) {
	adapter, source := new(fleet), &changing{text: `{"breakers": {"a": {"shared": true, "minimumErrors": 5}}, "sharedState": {"keyPrefix": "shop:", "address": "x:1"}}`}
	registry, err := resilience.New(resilience.Follow(source), resilience.Share(adapter.asAdapter), resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	newGuard(t, registry, resilience.Guards{Breaker: "a"})
	if n := adapter.own.MinimumErrors; n == nil || *n != 5 {
		t.Errorf("the adapter has %+v", adapter.own)
	}
	source.text = strings.Replace(source.text, `"minimumErrors": 5`, `"secondsBeforeRetry": 7`, 1)
	if err := registry.Reload(); err != nil {
		t.Fatal(err)
	}
	if d := adapter.own.SecondsBeforeRetry; d == nil || *d != 7*time.Second || adapter.own.MinimumErrors != nil {
		t.Errorf("after the reload the adapter has %+v", adapter.own)
	}
}

func TestReloadTellsOnlyOfSharedStateThatChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, adapter := &changing{text: `{"sharedState": {"keyPrefix": "shop:", "address": "x:1"}}`}, new(fleet)
		var got [][]string
		registry, err := resilience.New(resilience.Follow(source), resilience.Share(adapter.asAdapter), resilience.Logger(nil),
			resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
				if reloaded, ok := e.(resilience.Reloaded); ok {
					got = append(got, reloaded.Changed)
				}
			})))
		if err != nil {
			t.Fatal(err)
		}
		defer registry.Close()
		registry.Reload()
		source.text = `{"sharedState": {"keyPrefix": "shop:", "address": "y:1"}}`
		registry.Reload()
		synctest.Wait()
		if want := [][]string{nil, {"sharedState"}}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("changed are %q, want %q", got, want)
		}
	})
}

package prometheus_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"

	resilience "github.com/resgen-go/resgen/runtime"
	resgenprom "github.com/resgen-go/resgen/runtime/prometheus"
)

// scrape is one collection: the value of each series, by its text.
type scrape map[string]float64

func gather(t testing.TB, registry *resilience.Registry) scrape {
	t.Helper()
	from := prometheus.NewPedanticRegistry()
	from.MustRegister(resgenprom.Collector(registry))
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := scrape{}
	for _, family := range families {
		for _, m := range family.Metric {
			all.add(family.GetName(), m)
		}
	}
	return all
}

// add adds a series; a histogram as Prometheus's text has it, without its infinite
// bucket.
func (s scrape) add(name string, m *dto.Metric) {
	h := m.Histogram
	if h == nil {
		s[series(name, m)] = value(m)
		return
	}
	s[series(name+"_count", m)], s[series(name+"_sum", m)] = float64(h.GetSampleCount()), h.GetSampleSum()
	for _, b := range h.Bucket {
		upTo := &dto.LabelPair{Name: proto.String("le"), Value: proto.String(fmt.Sprint(b.GetUpperBound()))}
		s[series(name+"_bucket", &dto.Metric{Label: append(slices.Clone(m.Label), upTo)})] = float64(b.GetCumulativeCount())
	}
}

func series(name string, m *dto.Metric) string {
	var labels []string
	for _, l := range m.Label {
		if l.GetValue() != "" { // for Prometheus, an empty label is none
			labels = append(labels, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
		}
	}
	if labels == nil {
		return name
	}
	return name + "{" + strings.Join(labels, ",") + "}"
}

func value(m *dto.Metric) float64 {
	if m.Counter != nil {
		return m.Counter.GetValue()
	}
	return m.Gauge.GetValue()
}

// want fails where a series has another value. NaN: it must not be there.
func (s scrape) want(t *testing.T, series string, value float64) {
	t.Helper()
	got, there := s[series]
	if there == math.IsNaN(value) || there && got != value {
		t.Errorf("%s is %v (there: %v), want %v", series, got, there, value)
	}
}

var absent = math.NaN()

func newRegistry(t testing.TB, text string, options ...resilience.Option) *resilience.Registry {
	t.Helper()
	registry, err := resilience.New(append(options, resilience.Settings("resilience.json", []byte(text)), resilience.Logger(nil))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { registry.Close() })
	return registry
}

func newGuard(t testing.TB, registry *resilience.Registry, guards resilience.Guards) *resilience.Guard {
	t.Helper()
	wiring, err := resilience.Wire(registry, "example.com/a", "a.Client", new(int))
	if err != nil {
		t.Fatal(err)
	}
	guard := wiring.Guard("Do", guards)
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	return guard
}

var errDown = errors.New("down")

func call(guard *resilience.Guard, err error) error {
	var c resilience.Call
	defer c.Release()
	if refused := c.Begin(context.Background(), guard); refused != nil {
		return refused
	}
	return c.Finish(err)
}

func TestMetricsM01NewRegistry(t *testing.T) {
	registry := newRegistry(t, `{"breakers": {"payments": {}}, "bulkheads": {"inventory": {"maxConcurrentCalls": 4}}}`)
	newGuard(t, registry, resilience.Guards{Breaker: "payments", Bulkhead: "inventory"})
	s := gather(t, registry)
	for _, state := range []string{"closed", "open", "half_open", "forced_open", "disabled", "metrics_only"} {
		is := 0.0
		if state == "closed" {
			is = 1
		}
		s.want(t, fmt.Sprintf(`resgen_breaker_state{breaker="payments",state=%q}`, state), is)
	}
	s.want(t, `resgen_bulkhead_permits{bulkhead="inventory"}`, 4)
	s.want(t, `resgen_bulkhead_available{bulkhead="inventory"}`, 4)
	s.want(t, `resgen_breaker_failure_ratio{breaker="payments"}`, absent)
	s.want(t, `resgen_fleet_connected`, absent)
}

func TestMetricsM02Failures(t *testing.T) {
	registry := newRegistry(t, `{"breakers": {"payments": {}}}`)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "payments"})
	for range 3 {
		call(guard, errDown)
	}
	s := gather(t, registry)
	s.want(t, `resgen_breaker_state{breaker="payments",state="open"}`, 1)
	s.want(t, `resgen_breaker_state{breaker="payments",state="closed"}`, 0)
	s.want(t, `resgen_breaker_calls_total{breaker="payments",outcome="failure"}`, 3)
	s.want(t, `resgen_breaker_transitions_total{breaker="payments",from="closed",to="open"}`, 1)
	s.want(t, `resgen_breaker_transitions_total{breaker="payments",from="open",to="half_open"}`, 0)
	s.want(t, `resgen_breaker_transitions_total{breaker="payments",from="open",to="disabled"}`, absent)
	s.want(t, `resgen_breaker_failure_ratio{breaker="payments"}`, 1)
}

func TestMetricsM03RefusalsGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"breakers": {"payments": {"failureThreshold": 1, "testDelay": "1s"}}}`)
		guard := newGuard(t, registry, resilience.Guards{Breaker: "payments"})
		before := 0.0
		for range 10 {
			call(guard, errDown)
			for range 100 {
				if !errors.Is(call(guard, nil), resilience.ErrOpen) {
					t.Fatal("not refused")
				}
			}
			now := gather(t, registry)[`resgen_breaker_refused_total{breaker="payments"}`]
			if now < before {
				t.Fatalf("refused went from %v to %v", before, now)
			}
			before = now
			time.Sleep(time.Second)
		}
		gather(t, registry).want(t, `resgen_breaker_refused_total{breaker="payments"}`, 1000)
	})
}

func TestMetricsM04Successes(t *testing.T) {
	const series = `resgen_breaker_calls_total{breaker="payments",outcome="success"}`
	for name, test := range map[string]struct {
		options []resilience.Option
		want    float64
	}{
		"not counted": {nil, absent},
		"counted":     {[]resilience.Option{resilience.Count()}, 100_000},
	} {
		t.Run(name, func(t *testing.T) {
			registry := newRegistry(t, `{"breakers": {"payments": {}}}`, test.options...)
			guard := newGuard(t, registry, resilience.Guards{Breaker: "payments"})
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					for range 25_000 {
						call(guard, nil)
					}
				})
			}
			wg.Wait()
			gather(t, registry).want(t, series, test.want)
		})
	}
}

func TestMetricsM05InsideAnEntry(t *testing.T) {
	registry := newRegistry(t, `{"bulkheads": {"inventory": {"maxConcurrentCalls": 4}}}`)
	entry := newGuard(t, registry, resilience.Guards{Preload: []resilience.Permits{{Bulkhead: "inventory", N: 4}}})
	inner := newGuard(t, registry, resilience.Guards{Bulkhead: "inventory"})
	var outer, one resilience.Call
	defer outer.Release()
	defer one.Release()
	if err := outer.Begin(t.Context(), entry); err != nil {
		t.Fatal(err)
	}
	if err := one.Begin(outer.Context(), inner); err != nil {
		t.Fatal(err)
	}
	s := gather(t, registry)
	s.want(t, `resgen_bulkhead_in_use{bulkhead="inventory"}`, 1)
	s.want(t, `resgen_bulkhead_reserved_idle{bulkhead="inventory"}`, 3)
	s.want(t, `resgen_bulkhead_available{bulkhead="inventory"}`, 0)
	s.want(t, `resgen_bulkhead_waiting{bulkhead="inventory"}`, 0)
	s.want(t, `resgen_bulkhead_reserved_total{bulkhead="inventory"}`, 4)
	s.want(t, `resgen_bulkhead_reserved_used_total{bulkhead="inventory"}`, 1)
}

// Instances have the name of their guard, and a key of their own.
func TestInstancesAreToldApartByTheirKey(t *testing.T) {
	registry := newRegistry(t, `{"timeouts": {"default": {"duration": "1s"}}}`)
	guards := resilience.Guards{Breaker: "solver", Bulkhead: "solver", RateLimit: "solver", Timeout: "solver"}
	newGuard(t, registry, guards)
	wiring, err := resilience.Wire(registry, "example.com/a", "a.Client", new(int), resilience.Instance("8.8.8.8/dns"))
	if err != nil {
		t.Fatal(err)
	}
	instance := wiring.Guard("Do", guards)
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	call(instance, errDown)
	s := gather(t, registry)
	s.want(t, `resgen_breaker_calls_total{breaker="solver",key="8.8.8.8/dns",outcome="failure"}`, 1)
	s.want(t, `resgen_breaker_calls_total{breaker="solver",outcome="failure"}`, 0)
	for _, metric := range []string{"breaker_admits{breaker=", "bulkhead_permits{bulkhead=", "rate_available{rate_limit=", "timeout_ended_total{timeout="} {
		for _, key := range []string{``, `key="8.8.8.8/dns"`} {
			name, label, _ := strings.Cut(metric, "{")
			series := "resgen_" + name + sorted(label+`"solver"`, key)
			if _, there := s[series]; !there {
				t.Errorf("no %s", series)
			}
		}
	}
	runtime.KeepAlive(instance) // which lives as long as its guards
}

// sorted are labels as scrapes have them.
func sorted(labels ...string) string {
	labels = slices.DeleteFunc(labels, func(label string) bool { return label == "" })
	slices.Sort(labels)
	return "{" + strings.Join(labels, ",") + "}"
}

// changing is a source whose text the test changes.
type changing struct{ text string }

func (c *changing) Read() (string, []byte, error)           { return "resilience.json", []byte(c.text), nil }
func (c *changing) Follow(func()) (func(), error)           { return func() {}, nil }
func (c *changing) reload(r *resilience.Registry, s string) { c.text = s; r.Reload() }

func TestMetricsM06Settings(t *testing.T) {
	source := &changing{`{}`}
	registry, err := resilience.New(resilience.Follow(source), resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	source.reload(registry, `{"breakers": 1}`)
	s := gather(t, registry)
	s.want(t, `resgen_settings_rejected`, 1)
	s.want(t, `resgen_settings_reloads_total{result="rejected"}`, 1)
	source.reload(registry, `{}`)
	s = gather(t, registry)
	s.want(t, `resgen_settings_rejected`, 0)
	s.want(t, `resgen_settings_reloads_total{result="accepted"}`, 2)
}

// large is a registry with a hundred breakers and bulkheads and fifty timeouts.
func large(t testing.TB) *resilience.Registry {
	registry := newRegistry(t, `{"timeouts": {"default": {"duration": "1s"}}}`)
	for i := range 100 {
		guards := resilience.Guards{Breaker: fmt.Sprint("b", i), Bulkhead: fmt.Sprint("b", i)}
		if i < 50 {
			guards.Timeout = fmt.Sprint("b", i)
		}
		newGuard(t, registry, guards)
	}
	return registry
}

func TestMetricsM07SeriesAreBounded(t *testing.T) {
	s := gather(t, large(t))
	transitions := 0
	for series := range s {
		if strings.HasPrefix(series, "resgen_breaker_transitions_total") {
			transitions++
		}
	}
	if n := len(s) - transitions; n > 100*(6+16)+100*13+50*2+10 || transitions != 400 {
		t.Errorf("%d series and %d transitions", n, transitions)
	}
}

func BenchmarkScrape(b *testing.B) {
	from := prometheus.NewRegistry()
	from.MustRegister(resgenprom.Collector(large(b)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := from.Gather(); err != nil {
			b.Fatal(err)
		}
	}
}

func TestMetricsM08Lint(t *testing.T) {
	from := prometheus.NewPedanticRegistry()
	from.MustRegister(resgenprom.Collector(large(t)))
	problems, err := testutil.GatherAndLint(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestMetricsM09TwoRegistries(t *testing.T) {
	registry := newRegistry(t, `{}`)
	from := prometheus.NewRegistry()
	from.MustRegister(resgenprom.Collector(registry))
	var twice prometheus.AlreadyRegisteredError
	if err := from.Register(resgenprom.Collector(registry)); !errors.As(err, &twice) {
		t.Errorf("twice: %v", err)
	}
	named := prometheus.NewRegistry()
	for _, name := range []string{"orders", "search"} {
		if err := named.Register(resgenprom.Collector(newRegistry(t, `{}`), resgenprom.Name(name))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

var soak = flag.Bool("soak", false, "scrape 10 000 times while a breaker changes, in place of 2 000")

func TestMetricsM13ExactlyOneState(t *testing.T) {
	scrapes := 2000
	if *soak {
		scrapes = 10_000
	}
	registry := newRegistry(t, `{"breakers": {"payments": {"failureThreshold": 1, "testDelay": 0}}}`)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "payments"})
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for _, err := range []error{errDown, nil} {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					call(guard, err)
				}
			}
		})
	}
	for range scrapes {
		sum := 0.0
		for series, value := range gather(t, registry) {
			if strings.HasPrefix(series, "resgen_breaker_state{") {
				sum += value
			}
		}
		if sum != 1 {
			t.Fatalf("%v states are 1", sum)
		}
	}
	close(stop)
	wg.Wait()
}

func TestMetricsM14ClosedRegistry(t *testing.T) {
	registry := newRegistry(t, `{"breakers": {"payments": {}}}`)
	guard := newGuard(t, registry, resilience.Guards{Breaker: "payments"})
	call(guard, errDown)
	collector := resgenprom.Collector(registry)
	from := prometheus.NewRegistry()
	from.MustRegister(collector)
	registry.Close()
	gather(t, registry).want(t, `resgen_breaker_calls_total{breaker="payments",outcome="failure"}`, 1)
	from.Unregister(collector)
	if families, err := from.Gather(); err != nil || len(families) > 0 {
		t.Errorf("%d families, %v", len(families), err)
	}
}

func TestTimeoutsAndRateLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := newRegistry(t, `{"timeouts": {"a": {"duration": "250ms"}, "b": {}}, "rateLimits": {"a": {"limit": 1, "period": "1h"}}}`)
		guard := newGuard(t, registry, resilience.Guards{Timeout: "a", RateLimit: "a"})
		newGuard(t, registry, resilience.Guards{Timeout: "b"})
		var c resilience.Call
		if err := c.Begin(t.Context(), guard); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if !errors.Is(c.Finish(errDown), resilience.ErrTimeout) {
			t.Error("no timeout")
		}
		call(guard, nil)
		s := gather(t, registry)
		s.want(t, `resgen_timeout_duration_seconds{timeout="a"}`, .25)
		s.want(t, `resgen_timeout_duration_seconds{timeout="b"}`, absent)
		s.want(t, `resgen_timeout_ended_total{timeout="a"}`, 1)
		s.want(t, `resgen_rate_refused_total{rate_limit="a",reason="rate"}`, 1)
	})
}

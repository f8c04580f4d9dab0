package pagetest

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/admin"
)

var (
	update = flag.Bool("update", false, "write the pictures of docs/page anew")
	look   = flag.String("look", "", "write all pictures into this `folder`, to look at them")
)

// browser is one for all tests, because starting one takes a second.
var browser = sync.OnceValues(func() (context.Context, error) {
	path := ""
	for _, name := range []string{"chromium-headless-shell", "headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, exec.ErrNotFound
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ = chromedp.NewContext(ctx)
	endBrowser = stop
	return ctx, chromedp.Do(ctx)
})

var endBrowser = func() {}

func TestMain(m *testing.M) {
	flag.Parse()
	status := m.Run()
	endBrowser()
	os.Exit(status)
}

// tab is a tab of the browser.
type tab struct {
	t   *testing.T
	ctx context.Context
}

func newTab(t *testing.T) tab {
	t.Helper()
	whole, err := browser()
	if err != nil {
		t.Skip("no browser: ", err)
	}
	ctx, stop := chromedp.NewContext(whole)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return tab{t, ctx}
}

func (b tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, 20*time.Second)
	defer stop()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

func (b tab) open(url string) { b.t.Helper(); b.do(chromedp.Navigate(url)) }

// wait waits until a condition in JavaScript holds.
func (b tab) wait(condition string) {
	b.t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !evaluate[bool](b, condition) {
		if time.Now().After(deadline) {
			b.t.Fatalf("never so: %s\n%s", condition, b.text())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// shows waits until the page has a text.
func (b tab) shows(text string) {
	b.t.Helper()
	b.wait(fmt.Sprintf("document.body.innerText.includes(%q)", text))
}

func (b tab) text() string { return evaluate[string](b, "document.body.innerText") }

func evaluate[T any](b tab, expression string) T {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, 20*time.Second)
	defer stop()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

func call[P, R any](b tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	result, err := chromedp.Call(b.ctx, command, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return result
}

// served is a registry with its page on loopback.
type served struct {
	t        *testing.T
	registry *resilience.Registry
	server   *http.Server
	address  string
	handler  http.Handler
}

func serve(t *testing.T, registry *resilience.Registry, options ...admin.Option) *served {
	t.Helper()
	handler := admin.Handler(registry, append([]admin.Option{admin.Title("shop on node-3")}, options...)...)
	mux := http.NewServeMux()
	mux.Handle("/a/b/", http.StripPrefix("/a/b", handler))
	s := &served{t: t, registry: registry, address: "127.0.0.1:0", handler: mux}
	s.start()
	t.Cleanup(s.stop)
	return s
}

func (s *served) start() {
	s.t.Helper()
	listener, err := net.Listen("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.address = listener.Addr().String()
	s.server = &http.Server{Handler: s.handler, WriteTimeout: 2 * time.Second}
	go s.server.Serve(listener)
}

func (s *served) stop() { s.server.Close() }

func (s *served) url() string { return "http://" + s.address + "/a/b/" }

func newRegistry(t *testing.T, settings string, options ...resilience.Option) *resilience.Registry {
	t.Helper()
	registry, err := resilience.New(append(options, resilience.Settings("resilience.json", []byte(settings)), resilience.Logger(nil))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { registry.Close() })
	return registry
}

func breaker(t *testing.T, registry *resilience.Registry, name string) *resilience.Breaker {
	t.Helper()
	b, err := registry.Breaker(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func allow(*http.Request) (string, bool) { return "ann", true }

// ---

func TestAdminA01ThePageAsksItsOwnServerOnly(t *testing.T) {
	b := newTab(t)
	s := serve(t, newRegistry(t, `{"breakers": {"payments": {}}}`))
	breaker(t, s.registry, "payments")
	var mu sync.Mutex
	var asked []string
	call(b, network.Enable, network.EnableParams{})
	if err := chromedp.Listen(b.ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		if e, ok := event.(*network.EventRequestWillBeSent); ok {
			asked = append(asked, e.Request.URL)
		}
	}); err != nil {
		t.Fatal(err)
	}
	b.open(s.url())
	b.shows("All 1 breaker closed")
	mu.Lock()
	defer mu.Unlock()
	if len(asked) == 0 {
		t.Error("no request was seen")
	}
	for _, to := range asked {
		if !strings.HasPrefix(to, s.url()) {
			t.Errorf("the page asks %s", to)
		}
	}
}

func TestAdminA03AnOpeningIsShownWithinASecond(t *testing.T) {
	b := newTab(t)
	s := serve(t, newRegistry(t, `{"breakers": {"payments": {}}}`))
	payments := breaker(t, s.registry, "payments")
	b.open(s.url())
	b.shows("All 1 breaker closed")
	began := time.Now()
	payments.Trip("ann: deploy")
	b.shows("1 open")
	b.shows("ann: deploy")
	if took := time.Since(began); took > 1500*time.Millisecond {
		t.Errorf("it took %v", took)
	}
}

func TestAdminA06AWithoutControlThereAreNoButtons(t *testing.T) {
	for name, options := range map[string][]admin.Option{
		"none":    nil,
		"refuses": {admin.Control(func(*http.Request) (string, bool) { return "bob", false })},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTab(t)
			s := serve(t, newRegistry(t, `{"breakers": {"payments": {}}}`), options...)
			breaker(t, s.registry, "payments").Trip("ann: deploy")
			b.open(s.url())
			b.shows("1 open")
			if n := evaluate[int](b, "document.querySelectorAll('main button').length"); n != 0 {
				t.Errorf("%d buttons", n)
			}
		})
	}
}

func TestAdminA08AnnForcesABreakerOpen(t *testing.T) {
	b := newTab(t)
	s := serve(t, newRegistry(t, `{"breakers": {"payments.eu-1": {}}}`), admin.Control(allow))
	breaker(t, s.registry, "payments.eu-1")
	b.open(s.url() + "#payments.eu-1")
	b.shows("All 1 breaker closed")
	b.do(chromedp.Click(chromedp.CSS("[data-action=force-open]")))
	b.shows("It refuses every call until Reset")
	b.do(chromedp.Click(chromedp.CSS("#go")))
	b.shows("must say why")
	b.do(chromedp.SendKeys(chromedp.CSS("#why"), "deploy\r"))
	b.shows("1 forced open")
	b.shows("ann: deploy")
	if by := s.registry.Snapshot().Breakers[0].By; by != "ann: deploy" {
		t.Errorf("By is %q", by)
	}
}

func TestAdminA11AReasonIsTextAndNothingElse(t *testing.T) {
	b := newTab(t)
	s := serve(t, newRegistry(t, `{"breakers": {"payments": {}}}`))
	const attack = `</script><script>window.hit = 1</script><img src=x onerror="window.hit = 1">`
	breaker(t, s.registry, "payments").Trip(attack)
	dialogs := make(chan string, 10)
	chromedp.Listen(b.ctx, func(event any) {
		if e, ok := event.(*cdppage.EventJavascriptDialogOpening); ok {
			dialogs <- e.Message
		}
	})
	b.open(s.url())
	b.shows(attack)
	if evaluate[bool](b, "window.hit === 1") || len(dialogs) > 0 {
		t.Error("it ran")
	}
}

func TestAdminA12ThePageComesBackByItself(t *testing.T) {
	b := newTab(t)
	s := serve(t, newRegistry(t, `{"breakers": {"payments": {}}}`))
	payments := breaker(t, s.registry, "payments")
	payments.Trip("ann: deploy")
	b.open(s.url())
	b.shows("1 open")
	s.stop()
	b.wait("document.body.classList.contains('stale')")
	b.shows("s old: the server does not answer")
	payments.Reset("ann: it is over")
	s.start()
	b.shows("ann: it is over")
	b.wait("!document.body.classList.contains('stale')")
	if n := evaluate[int](b, "document.querySelectorAll('#events li').length"); n != 2 {
		t.Errorf("%d events are shown, want 2:\n%s", n, b.text())
	}
}

func TestAdminA15TheLastFiguresOfAClosedRegistryStay(t *testing.T) {
	b := newTab(t)
	s := serve(t, newRegistry(t, `{"breakers": {"payments": {}}}`))
	breaker(t, s.registry, "payments").Trip("ann: deploy")
	b.open(s.url())
	b.shows("1 open")
	s.registry.Close()
	b.shows("the registry is closed")
	b.shows("ann: deploy")
}

func TestAdminA04ThePageSaysThatOthersLook(t *testing.T) {
	b := newTab(t)
	s := serve(t, newRegistry(t, `{}`), admin.Viewers(0))
	b.open(s.url())
	b.shows("as many look at this stream as may")
}

func TestAdminA16WithoutScriptsThereIsATable(t *testing.T) {
	b := newTab(t)
	s := serve(t, newRegistry(t, `{"breakers": {"payments": {}}}`))
	breaker(t, s.registry, "payments").Trip("ann: deploy")
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.open(s.url())
	text, err := chromedp.Run(b.ctx, chromedp.OuterHTML(chromedp.CSS("noscript")))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"payments", "OPEN", "ann: deploy"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
}

func TestAdminA14FiveHundredBreakersAreUsable(t *testing.T) {
	b := newTab(t)
	registry := newRegistry(t, many(500))
	for i := range 500 {
		handle := breaker(t, registry, fmt.Sprintf("dependency-%03d", i))
		if i%100 == 7 {
			handle.Trip("ann: deploy")
		}
	}
	s := serve(t, registry)
	began := time.Now()
	b.open(s.url())
	b.shows("5 open")
	t.Logf("shown after %v", time.Since(began))
	paint := evaluate[float64](b, "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
	t.Logf("first paint after %.0f ms", paint)
	if paint > 1000 {
		t.Errorf("the first paint took %.0f ms", paint)
	}
	call(b, performance.Enable, performance.EnableParams{})
	before, at := busy(b), time.Now()
	time.Sleep(3 * time.Second)
	used, over := busy(b)-before, time.Since(at).Seconds()
	t.Logf("%.1f %% of a core", 100*used/over)
	if used/over > 0.2 {
		t.Errorf("the page takes %.0f %% of a core", 100*used/over)
	}
	picture(b, "many", 900, 700, "")
}

// busy is how many seconds the page's thread has worked.
func busy(b tab) float64 {
	for _, metric := range call(b, performance.GetMetrics, cdp.Empty{}).Metrics {
		if metric.Name == "TaskDuration" {
			return metric.Value
		}
	}
	b.t.Fatal("no TaskDuration")
	return 0
}

func many(n int) string {
	var text strings.Builder
	text.WriteString(`{"breakers": {`)
	for i := range n {
		fmt.Fprintf(&text, `"dependency-%03d": {},`, i)
	}
	return text.String() + `}}`
}

// inDocs are the pictures that the docs show.
var inDocs = []string{"closed", "open", "open-dark", "forced", "phone", "disconnected"}

func looking() bool { return *update || *look != "" }

// picture writes one where pictures are asked for. A scheme is "dark" or "".
func picture(b tab, name string, width, height int64, scheme string) {
	b.t.Helper()
	if scheme != "" {
		name += "-" + scheme
	}
	folder := *look
	if *update && slices.Contains(inDocs, name) {
		folder = "../../../docs/page"
	}
	if folder == "" {
		return
	}
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	b.do(chromedp.EmulateViewport(width, height))
	time.Sleep(300 * time.Millisecond)
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	os.MkdirAll(folder, 0o777)
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o666); err != nil {
		b.t.Fatal(err)
	}
	if wide := evaluate[int](b, "document.documentElement.scrollWidth"); int64(wide) > width {
		b.t.Errorf("%s: the page is %d px wide, the window %d", name, wide, width)
	}
}

const outage = `{
  "breakers": {
    "payments": { "strategy": "PACED_RATE_THRESHOLD", "testDelay": "40s", "failureRateThreshold": 40, "slidingWindowDuration": "20s" },
    "inventory": { "failureThreshold": 5, "failureThresholdCapacity": 20 },
    "search": { "strategy": "CONSECUTIVE_FAILURES" },
    "accounts": {}, "mail": {}, "reviews": { "strategy": "PACED_RATE_THRESHOLD" },
  },
  "bulkheads": {
    "payments": { "maxConcurrentCalls": 10 },
    "inventory": { "maxConcurrentCalls": 40 },
    "search": { "maxConcurrentCalls": 6 },
  },
  "timeouts": { "payments": { "duration": "300ms" } },
}`

// TestPictures plays an outage and looks at it in many ways. With -update it takes
// half a minute, for there has to be something to see, and else it only looks that
// nothing is wider than a phone.
func TestPictures(t *testing.T) {
	b := newTab(t)
	registry := newRegistry(t, outage)
	s := serve(t, registry, admin.Control(allow))
	ctx, stop := context.WithCancel(t.Context())
	var load sync.WaitGroup
	defer load.Wait()
	defer stop()
	down := traffic(ctx, t, registry, &load)
	b.do(chromedp.EmulateViewport(360, 740))
	b.open(s.url())
	b.shows("live")
	if looking() {
		time.Sleep(15 * time.Second)
		picture(b, "closed", 760, 620, "")
		time.Sleep(5 * time.Second)
	}
	down.Store(true)
	b.shows("1 open")
	if looking() {
		time.Sleep(12 * time.Second)
		picture(b, "open", 900, 640, "")
		picture(b, "open", 900, 640, "dark")
	}
	breaker(t, registry, "accounts").ForceOpen("ann: the provider asked us to stop until 04:00")
	breaker(t, registry, "reviews").MetricsOnly("bob: measuring before we trust its settings")
	b.shows("1 forced open")
	for _, scheme := range []string{"", "dark"} {
		picture(b, "forced", 900, 1100, scheme)
		picture(b, "columns", 640, 900, scheme)
		picture(b, "phone", 360, 740, scheme)
		picture(b, "whole", 900, 2200, scheme)
	}
	b.do(chromedp.EmulateViewport(360, 740))
	if wide := evaluate[int](b, "document.documentElement.scrollWidth"); wide > 360 {
		t.Errorf("on a phone the page is %d px wide", wide)
	}
	if looking() {
		b.do(chromedp.EmulateViewport(900, 640))
		b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#wrong [data-action=reset]").click()`))
		picture(b, "ask", 900, 640, "")
		b.do(chromedp.Click(chromedp.CSS("#not")))
		s.stop()
		b.wait("document.body.classList.contains('stale')")
		time.Sleep(4 * time.Second)
		picture(b, "disconnected", 900, 640, "")
	}
}

package admin_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/admin"
)

// commands are those of a page of the docs, each with its comment.
func commands(t *testing.T, path string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(text), "```sh\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		for line := range strings.Lines(block) {
			if strings.HasPrefix(line, "curl ") {
				all = append(all, strings.TrimSpace(line))
			}
		}
	}
	return all
}

// Each command of the page shows something in a program in which all is wrong.
func TestTheCommandsOfThePageShowWhatIsWrong(t *testing.T) {
	for _, tool := range []string{"sh", "curl", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s", tool)
		}
	}
	registry, err := resilience.New(resilience.Logger(nil), resilience.Time(), resilience.Settings("resilience.json",
		[]byte(`{"breakers": {"payments": {}}, "bulkheads": {"stock": {"maxConcurrentCalls": 1}}, "rateLimits": {"maps": {"limit": 1, "period": "1h"}}}`)))
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	wiring, err := resilience.Wire(registry, "example.com/shop", "shop.Shop", new(int))
	if err != nil {
		t.Fatal(err)
	}
	entry := wiring.Guard("Checkout", resilience.Guards{Check: []resilience.Calls{{Breaker: "payments"}}})
	holds := wiring.Guard("Pick", resilience.Guards{Bulkhead: "stock", RateLimit: "maps"})
	if err := wiring.Done(); err != nil {
		t.Fatal(err)
	}
	for _, guard := range []*resilience.Guard{entry, holds} {
		var call resilience.Call
		if err := call.Begin(t.Context(), guard); err != nil {
			t.Fatal(err)
		}
		defer call.Finish(nil)
	}
	payments(t, registry).Trip("ann")
	web := httptest.NewServer(admin.Handler(registry, admin.Control(ann)))
	defer web.Close()

	all := commands(t, "../../docs/operating.md")
	if len(all) < 9 {
		t.Fatalf("the page has %d commands", len(all))
	}
	for _, command := range all {
		run := exec.CommandContext(t.Context(), "sh", "-ec", command)
		run.Env = append(os.Environ(), "page="+web.URL, "no_proxy=127.0.0.1")
		run.WaitDelay = 10 * time.Second
		out, err := run.CombinedOutput()
		if changes := strings.Contains(command, "POST"); err != nil || changes != (len(out) == 0) {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
	if b := registry.Snapshot().Breakers[0]; b.State != resilience.Closed || b.By != "ann: provider is back" {
		t.Errorf("the last command left %v, by %s", b.State, b.By)
	}
}

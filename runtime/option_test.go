package resilience_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	resilience "github.com/resgen-go/resgen/runtime"
)

func TestWatchKeepsToTheFileForEachRegistry(t *testing.T) {
	dir := t.TempDir()
	write := func(content string) {
		if err := os.WriteFile(filepath.Join(dir, "r.json"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	size := func(n int) string { return fmt.Sprintf(`{"bulkheads": {"b": {"maxConcurrentCalls": %d}}}`, n) }
	write(size(1))
	t.Chdir(dir)
	watch := resilience.Watch("r.json")
	registries := make([]*resilience.Registry, 2)
	for i := range registries {
		registries[i] = newRegistryWith(t, watch)
	}
	t.Chdir(t.TempDir())
	write(size(7))
	for i, registry := range registries {
		deadline := time.Now().Add(10 * time.Second)
		for bulkheadOf(t, registry, "b").MaxConcurrentCalls != 7 {
			if time.Now().After(deadline) {
				t.Fatalf("registry %d: the new size never came", i)
			}
			time.Sleep(time.Millisecond)
		}
	}
	write(size(0))
	if err := registries[0].Reload(); err == nil || !strings.HasPrefix(err.Error(), "r.json:1:44: ") {
		t.Errorf("the fault is %v", err)
	}
}

func newRegistryWith(t *testing.T, option resilience.Option) *resilience.Registry {
	t.Helper()
	registry, err := resilience.New(option, resilience.Logger(nil))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { registry.Close() })
	newGuard(t, registry, resilience.Guards{Bulkhead: "b"})
	return registry
}

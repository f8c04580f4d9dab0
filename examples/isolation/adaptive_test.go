package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/resgen-go/resgen/examples/isolation/internal/stand"
)

func TestAdaptiveIsOneMorePolicy(t *testing.T) {
	config := filepath.Join(t.TempDir(), "resilience.json")
	if err := os.WriteFile(config, []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	bare := filepath.Join(t.TempDir(), "bare.json")
	if err := os.WriteFile(bare, []byte(`{"bulkheads": {"a": {}, "b": {}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := stand.OwnDependencies(0)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for name, test := range map[string]struct {
		own      own
		policies int
	}{
		"the demonstration's pools": {own{}, 2},
		"the user's pools":          {own{config: config, pools: "payments,inventory"}, 2},
		"pools without a timeout":   {own{config: bare}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			test.own.adaptive, test.own.rate, test.own.seconds = true, 60, 60
			e, err := test.own.experiment()
			if err != nil {
				t.Fatal(err)
			}
			if len(e.policies) != test.policies || e.takes() > 70*time.Second {
				t.Fatalf("%d policies in %v", len(e.policies), e.takes())
			}
			p := e.policies[len(e.policies)-1]
			if !strings.Contains(p.title, "adaptive") || strings.Contains(string(e.policies[0].shown), "ADAPTIVE") {
				t.Errorf("the last policy is %q", p.title)
			}
			for _, partition := range []stand.Partition{stand.OnePool, stand.PoolEach} {
				s, err := stand.StartService(partition, p.settings, p.deadline, d)
				if err != nil {
					t.Fatalf("%v\n%s", err, p.settings)
				}
				for key, pool := range s.Gauges().Pools {
					if pool.Adaptive == nil || pool.Adaptive.Ceiling != e.pools.of(key).permits {
						t.Errorf("pool %s: %+v", key, pool)
					}
				}
				s.Close()
			}
		})
	}
	if e := inAMinute.withAdaptive(); len(e.policies) != 4 || len(inAMinute.policies) != 3 {
		t.Errorf("the demonstration has %d policies, and %d without", len(e.policies), len(inAMinute.policies))
	}
}

package redis

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
)

// startCluster starts a cluster of three nodes, each with a third of the slots.
func startCluster(t *testing.T) (nodes []*server) {
	t.Helper()
	buses := map[*server]string{}
	for range 3 {
		_, bus, _ := net.SplitHostPort(freeAddress(t))
		s := startServer(t, "--cluster-enabled", "yes", "--cluster-port", bus, "--cluster-node-timeout", "1000",
			"--cluster-require-full-coverage", "no")
		buses[s], nodes = bus, append(nodes, s)
	}
	slots := []string{"0", "5461", "10923", "16384"}
	for i, s := range nodes {
		var last int
		fmt.Sscan(slots[i+1], &last)
		s.do("CLUSTER", "ADDSLOTSRANGE", slots[i], fmt.Sprint(last-1))
		s.do("CLUSTER", "SET-CONFIG-EPOCH", fmt.Sprint(i+1))
	}
	for _, s := range nodes[1:] {
		_, port, _ := net.SplitHostPort(s.address)
		nodes[0].do("CLUSTER", "MEET", "127.0.0.1", port, buses[s])
	}
	for _, s := range nodes {
		eventually(t, "the cluster is whole", func() bool {
			info := s.do("CLUSTER", "INFO")
			return strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:3")
		})
	}
	return nodes
}

// shards are breakers with the node that holds their keys.
func shards(nodes []*server, names []string) map[string]int {
	where := map[string]int{}
	for _, name := range names {
		for i, node := range nodes {
			if node.command != nil && strings.HasSuffix(node.do("KEYS", "*state:"+name), "state:"+name) {
				where[name] = i
			}
		}
	}
	return where
}

func TestBreakersLiveInACluster(t *testing.T) {
	t.Parallel()
	nodes := startCluster(t)
	all := startProcesses(t, 3, shared(nodes[0].address, "secondsBeforeRetry", "1h", "outageCheckInterval", "200ms"))
	var names []string
	for i := range 12 {
		names = append(names, fmt.Sprint("b", i))
	}
	calls := func(result error) {
		for _, p := range all {
			for _, name := range names {
				var call resilience.Call
				if call.Begin(t.Context(), p.guard(name)) == nil {
					call.Finish(result)
					call.Release()
				}
			}
		}
	}
	held := func(which func(name string) bool) bool {
		for _, p := range all {
			for _, b := range p.registry.Snapshot().Breakers {
				if slices.Contains(names, b.Name) && b.Held != which(b.Name) {
					return false
				}
			}
		}
		return true
	}
	eventually(t, "every breaker is held", func() bool {
		calls(errDown)
		return held(func(string) bool { return true })
	})

	where := shards(nodes, names)
	perNode := map[int]int{}
	for _, node := range where {
		perNode[node]++
	}
	if len(where) != len(names) || len(perNode) != 3 {
		t.Fatalf("breakers are on nodes %v, want some on each", where)
	}

	nodes[2].stop()
	eventually(t, "the links of the breakers of the dead node, and only those, are lost", func() bool {
		for _, p := range all {
			for _, b := range p.registry.Snapshot().Fleet.Breakers {
				if where, known := where[b.Name]; known && b.Connected != (where != 2) {
					return false
				}
			}
		}
		return true
	})
	if !held(func(string) bool { return true }) {
		t.Error("a known outage does not hold until its retry")
	}
	for _, name := range names {
		if where[name] != 2 {
			if err := all[0].registry.Fleet().Off(t.Context(), name, "test", 0); err != nil {
				t.Error(err)
			}
		}
	}
	eventually(t, "calls of every breaker are made", func() bool {
		calls(nil)
		for _, p := range all {
			for _, name := range names {
				if where[name] != 2 && p.breaker(name).State() != resilience.Closed {
					return false
				}
			}
		}
		return true
	})
}

func TestSeveralAddressesOfAClusterAreOne(t *testing.T) {
	t.Parallel()
	nodes := startCluster(t)
	nodes[0].stop()
	addresses := nodes[0].address + ", " + nodes[1].address + ", " + nodes[2].address
	p := startProcess(t, shared(addresses))
	inAll(t, []*process{p}, "it knows the cluster", func(p *process) bool { return p.links() != "" })
}

package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// measureCapacity finds what one server carries: it is asked as much as it can
// answer, with full windows, and its memory is looked at.
func measureCapacity(server *server, d time.Duration) string {
	const breakers = 1000
	server.do("FLUSHALL")
	empty := server.info("memory", "used_memory")
	names := make([]*fleet, breakers)
	l := load{compressed: 1, callsPerMinute: 1}
	for i := range names {
		names[i] = newFleet(server, l, scheme{rate: 1}, fmt.Sprint("b", i))
		fillWindow(server, names[i])
	}
	perBreaker := (server.info("memory", "used_memory") - empty) / breakers

	report := func(r *recorder) { r.record(context.Background()) }
	look := func(r *recorder) { r.look() }
	reports, looks := saturate(server, names, d, report), saturate(server, names, d, look)
	var b strings.Builder
	fmt.Fprintf(&b, "| script | for each | a second, on one core |\n|---|---|---|\n")
	fmt.Fprintf(&b, "| report, in full windows | %.0f µs | %.0f |\n", 1e6*reports.cpu/reports.scripts, reports.scripts/reports.cpu)
	fmt.Fprintf(&b, "| look, of each process after a change | %.0f µs | %.0f |\n\n", 1e6*looks.cpu/looks.scripts, looks.scripts/looks.cpu)
	fmt.Fprintf(&b, "A breaker with a full window, and one process that reports, takes %.1f KiB.\n\n", perBreaker/1024)
	fmt.Fprintf(&b, "| flushInterval | processes × breakers with traffic, on half a core |\n|---|---|\n")
	for _, interval := range []float64{1, 5, 10} {
		fmt.Fprintf(&b, "| %v s | %.0f |\n", interval, reports.scripts/reports.cpu/2*interval)
	}
	return b.String()
}

// fillWindow gives a breaker counts in every bucket.
func fillWindow(server *server, f *fleet) {
	words := []string{"HSET", f.key + "counts"}
	now := time.Now().UnixMilli()
	width := (window / buckets).Milliseconds()
	for i := range int64(buckets) {
		start := now - now%width - i*width
		words = append(words, fmt.Sprint(start), "1234 12")
	}
	server.do(words...)
}

// saturate asks as fast as the server answers.
func saturate(server *server, names []*fleet, d time.Duration, ask func(*recorder)) usage {
	const clients = 50
	var all, ready sync.WaitGroup
	var stop atomic.Bool
	for i := range clients {
		ready.Add(1)
		all.Go(func() {
			client, err := server.connect()
			if err != nil {
				panic(err)
			}
			defer client.Close()
			ready.Done()
			for n := i; !stop.Load(); n++ {
				ask(&recorder{fleet: names[n%len(names)], client: client, name: "p", sent: n, held: counts{100, 1}})
			}
		})
	}
	ready.Wait()
	time.Sleep(d / 10)
	before := server.usage()
	time.Sleep(d)
	used := server.usage().since(before)
	stop.Store(true)
	all.Wait()
	return used
}

package main

import (
	"context"
	"time"
)

// act is one turn of the script: at this part of the whole duration the service
// is as told.
type act struct {
	at      float64
	service string
	health  health
}

var (
	healthyPayments  = health{word: "healthy", delay: 40 * time.Millisecond}
	healthyInventory = health{word: "healthy", delay: 20 * time.Millisecond}
)

// script is what goes wrong, and when: each service once slower than its
// timeout and once failing at once, with time to recover between.
var script = []act{
	{0, "payments", healthyPayments},
	{0, "inventory", healthyInventory},
	{0.15, "payments", health{word: "slow", delay: 2 * time.Second}},
	{0.35, "payments", healthyPayments},
	{0.50, "inventory", health{word: "failing", failing: true}},
	{0.65, "inventory", healthyInventory},
}

// play runs the script over the given time.
func play(ctx context.Context, over time.Duration, services map[string]*service, screen *screen) {
	began := time.Now()
	for _, act := range script {
		due := began.Add(time.Duration(act.at * float64(over)))
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(due)):
		}
		services[act.service].health.Store(&act.health)
		if act.at > 0 {
			screen.turn(act.service, act.health)
		}
	}
}

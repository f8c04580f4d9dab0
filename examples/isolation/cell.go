package main

import (
	"context"
	"sync"

	"github.com/resgen-go/resgen/examples/isolation/internal/load"
	"github.com/resgen-go/resgen/examples/isolation/internal/stand"
)

// cell is one state of A under one policy, measured with one pool and with a
// pool for each.
type cell struct {
	state         state
	policy        policy
	shared, split side
}

// side is what was seen of one service.
type side struct {
	a, b   *load.Record
	gauges []stand.Gauges
}

// measure offers the same load to two services that differ only in how their
// permits are divided. A must be in its state already.
func (e experiment) measure(ctx context.Context, st state, p policy, d *stand.Dependencies) (cell, error) {
	c := cell{state: st, policy: p}
	shared, err := stand.StartService(stand.OnePool, p.settings, p.deadline, d)
	if err != nil {
		return c, err
	}
	defer shared.Close()
	split, err := stand.StartService(stand.PoolEach, p.settings, p.deadline, d)
	if err != nil {
		return c, err
	}
	defer split.Close()
	c.shared, c.split, err = e.offerBoth(ctx, shared, split)
	return c, err
}

// offerBoth sends requests to both services at the same moments, so that neither
// has the better luck, or to one after the other.
func (e experiment) offerBoth(ctx context.Context, shared, split *stand.Service) (side, side, error) {
	if e.sideBySide {
		sides, err := e.offer(ctx, shared, split)
		return sides[0], sides[1], err
	}
	first, err := e.offer(ctx, shared)
	if err != nil {
		return side{}, side{}, err
	}
	second, err := e.offer(ctx, split)
	return first[0], second[0], err
}

// offer makes the load, and reads the gauges while it lasts.
func (e experiment) offer(ctx context.Context, services ...*stand.Service) ([]side, error) {
	var endpoints []load.Endpoint
	for _, service := range services {
		endpoints = append(endpoints,
			load.Endpoint{URL: service.URL("a"), Seed: 1},
			load.Endpoint{URL: service.URL("b"), Seed: 2})
	}
	watching, stop := context.WithTimeout(ctx, e.lasts())
	defer stop()
	sides := make([]side, len(services))
	var running sync.WaitGroup
	for i, service := range services {
		running.Go(func() { sides[i].gauges = service.Watch(watching, e.slice/50) })
	}
	records, err := e.plan().Offer(ctx, endpoints...)
	running.Wait()
	if err != nil {
		return sides, err
	}
	for i := range sides {
		sides[i].a, sides[i].b = records[2*i], records[2*i+1]
	}
	return sides, nil
}

package main

import (
	"cmp"
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
// permits are divided.
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
	c.shared, c.split, err = e.offerBoth(ctx, trial{st, d}, shared, split)
	return c, err
}

// trial is a state of A and what it is imposed on.
type trial struct {
	state
	on *stand.Dependencies
}

// offerBoth sends requests to both services at the same moments, so that neither
// has the better luck, or to one after the other.
func (e experiment) offerBoth(ctx context.Context, t trial, shared, split *stand.Service) (side, side, error) {
	if e.sideBySide {
		sides, err := e.offer(ctx, t, shared, split)
		return sides[0], sides[1], err
	}
	first, err := e.offer(ctx, t, shared)
	if err != nil {
		return side{}, side{}, err
	}
	second, err := e.offer(ctx, t, split)
	return first[0], second[0], err
}

// offer makes the load, lets the state strike, and reads the gauges while the
// load lasts.
func (e experiment) offer(ctx context.Context, t trial, services ...*stand.Service) ([]side, error) {
	if err := e.states[0].impose(t.on); err != nil {
		return nil, err
	}
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
	var struck error
	running.Go(func() { struck = e.strike(watching, t) })
	records, err := e.plan().Offer(ctx, endpoints...)
	running.Wait()
	if err := cmp.Or(err, struck); err != nil {
		return sides, err
	}
	for i := range sides {
		sides[i].a, sides[i].b = records[2*i], records[2*i+1]
	}
	return sides, nil
}

// strike waits for its moment and imposes the state, unless ctx is done before.
func (e experiment) strike(ctx context.Context, t trial) error {
	moment, cancel := context.WithTimeout(ctx, e.strikes)
	defer cancel()
	<-moment.Done()
	if ctx.Err() != nil || t.role == reference {
		return nil
	}
	return t.impose(t.on)
}

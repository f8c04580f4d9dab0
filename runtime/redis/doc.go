// Package redis makes one breaker of those of many processes, with a Redis or
// Valkey server, or a cluster of them, as the place where they meet. One line
// turns it on:
//
//	registry, err := resilience.New(resilience.Watch("resilience.json"), redis.Share())
//
// and "shared": true in the settings of a breaker shares it. The section
// sharedState says where the server is.
//
// # What is shared
//
// The strategy of a breaker goes on judging in its process. Beside it the fleet
// has a rule of its own, over the outcomes of all processes: at outageThreshold
// percent of failures in the last outageWindow, and minimumErrors at least, an
// outage begins and holds the breaker OPEN in every process. After
// secondsBeforeRetry one process of the fleet, which holds the trial token,
// becomes HALF_OPEN and sends the trials of its strategy. If they are good the
// outage ends, and the breaker closes everywhere. States that are set by hand
// in a process come before all that.
//
// No call ever waits for the server: guards read memory, and a goroutine of
// this package exchanges counts for the fleet's view. While the server can't be
// reached, each breaker is its own again; one event says so, and one that it is
// over.
//
// # What is where
//
// This package owns the connection, the scripts that change what the server
// holds, and the schedule of a process. What a breaker is, and what holding it
// means, is the runtime's.
//
// # The client
//
// The client is rueidis. What is needed of one is pipelines of scripts, pushes,
// and clusters, on as few connections as a fleet can have of them. rueidis
// sends commands and receives pushes on one connection, where go-redis takes
// one from a pool and another for pushes; it finds out by itself whether an
// address is that of a cluster, so there is no setting for it; it repeats no
// script by itself; and it brings one module with it where go-redis brings two,
// and a smaller program (8.2 against 11.0 MB for one that runs one script). Its
// cost: a client can't be made while the server is away, its buffers are large
// unless told otherwise, and to give up takes it its timeout, or a second in
// Close, which is why this package dials and closes the connections itself. Its client-side caching is
// not used: changes are published by the scripts that make them, so that
// whoever hears of one can't read an older state, and the processes need one
// subscription for all breakers, of which each then asks only for the one that
// changed.
package redis

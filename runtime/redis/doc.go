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
// The strategy of a breaker goes on judging in its process. Beside it all
// processes have one rule, which a script on the server decides: when enough of
// them have opened their own breakers, or when the calls of all have too many
// failures, an outage begins and holds the breaker OPEN in every process. After
// secondsBeforeRetry single trial calls are made where callers wait; good ones end
// the outage, and a growing share of the calls is admitted. States that are set
// by hand in a process come before all that.
//
// No call ever waits for the server: guards read memory, and a goroutine
// exchanges reports for views. While the server can't be reached, each process
// decides alone; one event says so, and one that it is over.
//
// # What is where
//
// This package owns the connection and the script. The rule, and the schedule of
// a process, are the same for every kind of server: they are packages
// runtime/internal/sharing/rule and fleet. What a breaker is, and what holding
// one means, is the runtime's.
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

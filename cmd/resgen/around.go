package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// untilSignal returns a context that ends with the first signal to end. The
// second one ends the process.
func untilSignal() (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	signals = slices.DeleteFunc(signals, signal.Ignored) // by nohup, for instance
	if len(signals) == 0 {
		return context.WithCancel(context.Background()) // none would be all
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// underGoGenerate reports whether go generate has begun this, maybe by way of a
// script.
func underGoGenerate() bool {
	return os.Getenv("GOFILE") != "" && os.Getenv("GOLINE") != "" && os.Getenv("GOPACKAGE") != ""
}

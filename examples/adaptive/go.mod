module github.com/resgen-go/resgen/examples/adaptive

go 1.26.0

require (
	github.com/failsafe-go/failsafe-go v0.9.8
	github.com/resgen-go/resgen v0.0.0
	golang.org/x/sync v0.24.0
)

require (
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	github.com/influxdata/tdigest v0.0.1 // indirect
	github.com/tailscale/hujson v0.0.0-20260727124030-b80ff77dac4f // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/resgen-go/resgen => ../..

module github.com/resgen-go/resgen/runtime/redis

go 1.26.0

require (
	github.com/redis/rueidis v1.0.79
	github.com/resgen-go/resgen v0.0.0
)

require (
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/failsafe-go/failsafe-go v0.9.8 // indirect
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	github.com/google/go-cmp v0.7.0
	github.com/tailscale/hujson v0.0.0-20260727124030-b80ff77dac4f // indirect
	golang.org/x/sys v0.49.0 // indirect
	pgregory.net/rapid v1.3.0
)

replace github.com/resgen-go/resgen => ../..

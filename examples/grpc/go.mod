module github.com/resgen-go/resgen/examples/grpc

go 1.26.0

require (
	github.com/resgen-go/resgen v0.0.0
	github.com/resgen-go/resgen/runtime/resiliencegrpc v0.0.0
	google.golang.org/grpc v1.85.0
)

require (
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/dave/jennifer v1.7.1 // indirect
	github.com/failsafe-go/failsafe-go v0.9.8 // indirect
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	github.com/tailscale/hujson v0.0.0-20260727124030-b80ff77dac4f // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260817212433-ac3dfec99bb1 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace (
	github.com/resgen-go/resgen => ../..
	github.com/resgen-go/resgen/runtime/resiliencegrpc => ../../runtime/resiliencegrpc
)

tool github.com/resgen-go/resgen/cmd/resgen

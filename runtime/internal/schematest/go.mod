module github.com/resgen-go/resgen/runtime/internal/schematest

go 1.26.0

require (
	github.com/resgen-go/resgen v0.0.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/tailscale/hujson v0.0.0-20260727124030-b80ff77dac4f
	golang.org/x/tools v0.52.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/failsafe-go/failsafe-go v0.9.8 // indirect
	golang.org/x/text v0.17.0 // indirect
)

replace github.com/resgen-go/resgen => ../../..

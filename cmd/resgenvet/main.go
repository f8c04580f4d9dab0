// Command resgenvet checks the code around the wrappers that resgen generates.
//
//	go vet -vettool="$(go tool -n resgenvet)" ./...
//
// in a module whose go.mod names it as a tool. The go command then reports what
// it finds as it does for go vet, and only for what has changed. Without go
// vet:
//
//	go tool resgenvet ./...
//
// It has an analyzer for each question, and a flag by the name of each:
//
//	-context      contexts that miss a reservation or end too early
//	-reservation  reservations that do not fit the calls under them
//	-unwrapped    clients that are called without their guards
//	-fallback     functions that answer for a call by making it again
//	-stream       results of streams that are never closed
//
// By default all of them run. One flag or several choose those alone, and
// -context=false leaves one out. resgenvet help NAME says what an analyzer reports.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/resgen-go/resgen/vet"
)

func main() { multichecker.Main(vet.Analyzers()...) }

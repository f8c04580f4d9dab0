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
//
//	go tool resgenvet -entries ./...
//
// prints a table instead: for every entry the guards that it declares, the calls
// under it that reach them, and a way to one of these.
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/resgen-go/resgen/vet"
	"github.com/resgen-go/resgen/vet/reach"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "-entries" {
		if err := reach.Write(os.Stdout, os.Args[2:]...); err != nil {
			fmt.Fprintln(os.Stderr, "resgenvet:", err)
			os.Exit(1)
		}
		return
	}
	multichecker.Main(vet.Analyzers()...)
}

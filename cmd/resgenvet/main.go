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
// resgenvet -help says what is reported.
package main

import (
	"golang.org/x/tools/go/analysis/singlechecker"

	"github.com/resgen-go/resgen/vet"
)

func main() { singlechecker.Main(vet.Analyzer) }

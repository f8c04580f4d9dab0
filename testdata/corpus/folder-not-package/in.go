package history

import vcs "github.com/resgen-go/resgen/testdata/corpus/folder-not-package/vcs2go"

// History reads commits.
type History interface {
	//resilience:breaker b
	Parents(id vcs.Oid) ([]vcs.Oid, error)
}

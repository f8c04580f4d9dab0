package mid

import start "github.com/resgen-go/resgen/testdata/corpus/package-named-init/init"

type Base interface{ Start(p start.Phase) error }

package rows

import "github.com/resgen-go/resgen/testdata/corpus/alias-of-instance/stream"

// Row is a row.
type Row struct{ N int }

// RowStream is the client side of a stream.
//
//resilience:breaker b
type RowStream = stream.Server[Row]

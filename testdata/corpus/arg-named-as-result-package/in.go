package render

import (
	"context"

	"github.com/resgen-go/resgen/testdata/corpus/arg-named-as-result-package/page"
)

// Renderer lays out pages.
type Renderer interface {
	//resilience:breaker b
	Render(ctx context.Context, page *page.Page, theme string) (*page.Layout, error)
}

package drawer

import (
	"context"

	"github.com/resgen-go/resgen/testdata/corpus/context-look-alike/gfx"
)

// Ctx is an alias of the real one.
type Ctx = context.Context

// Drawer draws.
type Drawer interface {
	//resilience:breaker b
	Draw(ctx *gfx.Context, shape string) error

	//resilience:breaker b
	DrawIn(g gfx.Context, c Ctx) error

	//resilience:breaker b
	DrawLate(shape string, background context.Context) error
}

// Package carry lets contexts carry what entries hold.
package carry

import (
	"context"
	"fmt"
)

// Name is what a context prints as, for contexts that are made of it. Without it,
// printing would read what calls write.
func Name(ctx context.Context) string {
	if s, ok := ctx.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T", ctx)
}

// Attach returns ctx with a value, which prints as name.
func Attach(ctx context.Context, key, value any, name string) context.Context {
	return &attached{ctx, key, value, name}
}

type attached struct {
	context.Context
	key, value any
	name       string
}

func (a *attached) String() string { return Name(a.Context) + "." + a.name }

func (a *attached) Value(key any) any {
	if key == a.key {
		return a.value
	}
	return a.Context.Value(key)
}

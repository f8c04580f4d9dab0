//go:build !guarded

package tagged

func wire() shop { return shop{client{}} }

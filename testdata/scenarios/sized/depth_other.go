//go:build !linux

package sized

const depth = 16

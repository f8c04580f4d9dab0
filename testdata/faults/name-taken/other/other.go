// Package other exports names that wrappers would have.
package other

type Thing int

type ResilientDesk struct{}

func NewResilientLamp() {}

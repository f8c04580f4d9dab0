package in

type ResilientBank struct{}

package tested

type ResilientFree struct{}

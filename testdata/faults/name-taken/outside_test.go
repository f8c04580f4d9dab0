package in_test

type ResilientFree struct{}

package in

func NewResilientFree() {}

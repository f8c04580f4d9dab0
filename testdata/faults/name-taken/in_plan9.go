package in

func NewResilientPost() {}

package in

func NewResilientPost() {}

type SafeLane struct{}

func (*SafeLane) Get() error { return nil }

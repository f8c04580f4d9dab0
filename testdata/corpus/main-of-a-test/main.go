package main

type Thing struct{}

func main() {}

//go:build race

package resilience_test

const raceEnabled = true

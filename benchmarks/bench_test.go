package main

import (
	"fmt"
	"os"
	"runtime"
	"testing"
)

// TestMain takes two cores, so that figures from different machines compare.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(cores)
	os.Exit(m.Run())
}

func BenchmarkCall(b *testing.B) {
	for _, section := range sections {
		for _, path := range section.paths {
			for _, goroutines := range goroutines {
				b.Run(fmt.Sprintf("%s/%s/goroutines=%d", section.name, path.name, goroutines), func(b *testing.B) {
					section.measure(b, path.make(), goroutines)
				})
			}
		}
	}
}

func TestCallsEndAsTheirSectionSays(t *testing.T) {
	for _, section := range sections {
		for _, path := range section.paths {
			t.Run(section.name+"/"+path.name, func(t *testing.T) { section.check(t, path.make()) })
		}
	}
}

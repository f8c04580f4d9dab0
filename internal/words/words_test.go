package words_test

import (
	"testing"
	"time"

	"github.com/resgen-go/resgen/internal/words"
)

func TestFieldL06OneThingIsNoPlural(t *testing.T) {
	for n, want := range map[int]string{-1: "-1 calls", 0: "0 calls", 1: "1 call", 2: "2 calls", 11: "11 calls"} {
		if got := words.Count(n, "call"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestADurationHasNoZeroUnits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", time.Second: "1s", 10 * time.Second: "10s", time.Minute: "1m", 10 * time.Minute: "10m",
		time.Hour: "1h", 20 * time.Hour: "20h", time.Hour + time.Second: "1h0m1s", time.Hour + time.Minute: "1h1m",
		-time.Minute: "-1m", 1500 * time.Millisecond: "1.5s",
	} {
		if got := words.Duration(d); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

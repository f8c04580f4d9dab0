package words_test

import (
	"testing"

	"github.com/resgen-go/resgen/internal/words"
)

func TestFieldL06OneThingIsNoPlural(t *testing.T) {
	for n, want := range map[int]string{-1: "-1 calls", 0: "0 calls", 1: "1 call", 2: "2 calls", 11: "11 calls"} {
		if got := words.Count(n, "call"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

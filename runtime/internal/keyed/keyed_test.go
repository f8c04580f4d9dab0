package keyed

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func TestTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table Table[int]
		model := map[string]*int{}
		keys := rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"})
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				if key := keys.Draw(t, "key"); model[key] == nil {
					model[key] = new(int)
					table.Put(key, model[key])
				}
			},
			"delete": func(t *rapid.T) {
				key := keys.Draw(t, "key")
				delete(model, key)
				table.Delete(key)
			},
			"": func(t *rapid.T) {
				all := 0
				table.All(func(key string, value *int) {
					all++
					if value != model[key] {
						t.Fatalf("All has a wrong value of %q", key)
					}
				})
				if all != len(model) || table.live != all {
					t.Fatalf("All has %d, live says %d, the model %d", all, table.live, len(model))
				}
				for _, key := range []string{"", "a", "b", "g", "n"} {
					if table.Get(key) != model[key] {
						t.Fatalf("a wrong value of %q", key)
					}
				}
			},
		})
	})
}

// What stays must be found whatever comes and goes around it, and the places must not
// grow with what has gone.
func TestTableIsReadWhileItChanges(t *testing.T) {
	var table Table[string]
	stays := "stays"
	table.Put(stays, &stays)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if found := table.Get(stays); found != &stays {
					t.Error("it was not found")
					return
				}
				if other := table.Get("x17"); other != nil && *other != "x17" {
					t.Error("a key found the value of another")
				}
			}
		})
	}
	for i := range 20_000 {
		key := fmt.Sprint("x", i%100)
		table.Put(key, &key)
		table.Delete(key)
	}
	close(done)
	readers.Wait()
	if n := len(table.places.Load().all); n > 16 {
		t.Errorf("there are %d places for one value", n)
	}
}

func TestNamesOfKeys(t *testing.T) {
	for key, want := range map[string]string{
		"acme": "acme", "10.0.0.1:53": "10.0.0.1:53", "a/b": "a/b", "a b": "a%20b", "50%": "50%25", "ü": "%C3%BC", "\n": "%0A", "\xff": "%FF",
	} {
		if got := Name(key); got != want {
			t.Errorf("the name of %q is %q, not %q", key, got, want)
		}
	}
	long, other := strings.Repeat("x", 1_000_000), strings.Repeat("x", 999_999)+"y"
	if short := Short(long); len(short) != longest || short == Short(other) || !strings.HasPrefix(short, "xxx") || short != Short(long) {
		t.Errorf("a long key becomes %q", short)
	}
	if atLimit := strings.Repeat("x", longest); Short(atLimit) != atLimit {
		t.Error("a key of the longest length is not kept")
	}
}

package main

import (
	"testing"
	"time"

	"github.com/resgen-go/resgen/examples/isolation/internal/load"
)

func TestTimesAreReadable(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                       "0 ms",
		432 * time.Microsecond:  "0.432 ms",
		2543 * time.Microsecond: "2.54 ms",
		450 * time.Millisecond:  "450 ms",
		1234 * time.Millisecond: "1.23 s",
		time.Minute:             "60 s",
	} {
		if got := timeText(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

func TestSharesAreAsExactAsTheyCanBe(t *testing.T) {
	for want, counts := range map[string][2]int{
		"–": {0, 0}, "0 %": {0, 3}, "67 %": {2, 1}, "1 %": {1, 900}, "99 %": {900, 1}, "100 %": {3, 0},
		"66.7 %": {2000, 1000}, "50 %": {500, 500}, "0.1 %": {1, 9999}, "99.9 %": {9999, 1},
	} {
		r := &load.Record{Total: load.NewTally()}
		for range counts[0] {
			r.Total.Add(load.OK, 0)
		}
		for range counts[1] {
			r.Total.Add(load.Failed, 0)
		}
		if got := okText(r); got != want {
			t.Errorf("%v: got %s, want %s", counts, got, want)
		}
	}
}

func TestTableShowsARepeatedStateOnce(t *testing.T) {
	table := &table{head: []string{"A", "policy"}}
	table.add("slow", "x")
	table.add("slow", "y")
	table.add("dead", "x")
	want := "| A | policy |\n| --- | --- |\n| slow | x |\n|  | y |\n| dead | x |\n"
	if got := table.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

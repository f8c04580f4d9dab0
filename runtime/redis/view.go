package redis

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/rueidis"
)

// fixed is how many texts of an answer come before the news.
const fixed = 10

// view is what the fleet knows of a breaker.
type view struct {
	now     time.Time // by the server's clock
	at      time.Time // by ours, when it came
	change  int64     // number of the last one
	outage  uint64    // 0: none
	retry   time.Time // by the server's clock: trials only after this
	holder  string    // process with the trial token
	until   time.Time // by the server's clock: the token passes on after this
	forced  bool      // by hand: there are no trials
	off     bool      // by hand: the breaker is shared no more
	reason  string    // of the last change
	trouble string    // what the server refused of a change, beside the state
	changes []change  // news, oldest first
}

// change is an entry of the history.
type change struct {
	at      time.Time
	what    string // as sharing.Change writes it
	process string
	reason  string
}

// local is a moment of the server's clock on ours.
func (v view) local(server time.Time) time.Time { return v.at.Add(server.Sub(v.now)) }

var errNoView = errors.New("the server's answer is none of a script of ours")

func readView(answer rueidis.RedisResult) (view, error) {
	texts, err := answer.AsStrSlice()
	if err != nil {
		return view{}, err
	}
	if len(texts) < fixed {
		return view{}, errNoView
	}
	var numbers [fixed]int64
	for _, i := range []int{0, 1, 2, 3, 5} {
		if numbers[i], err = strconv.ParseInt(texts[i], 10, 64); err != nil {
			return view{}, fmt.Errorf("%w: %q", errNoView, texts[i])
		}
	}
	v := view{
		now: time.UnixMilli(numbers[0]), at: time.Now(), change: numbers[1], outage: uint64(numbers[2]),
		retry: time.UnixMilli(numbers[3]), holder: texts[4], until: time.UnixMilli(numbers[5]),
		forced: texts[6] == "1", off: texts[7] == "1", reason: texts[8], trouble: texts[9],
	}
	for _, entry := range slices.Backward(texts[fixed:]) {
		if c, ok := readChange(entry); ok {
			v.changes = append(v.changes, c)
		}
	}
	return v, nil
}

// readChange reads "1732959999999 BEGAN host-7 62 % of …".
func readChange(entry string) (change, bool) {
	parts := strings.SplitN(entry, " ", 4)
	if len(parts) < 4 {
		return change{}, false
	}
	at, err := strconv.ParseInt(parts[0], 10, 64)
	return change{time.UnixMilli(at), parts[1], parts[2], parts[3]}, err == nil
}

package bounded

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestFieldF24WhatHangsIsWaitedForOnceAndNotBegunAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, release := atomic.Int64{}, make(chan struct{})
		hang := func() (int, error) {
			begun.Add(1)
			<-release
			return 7, nil
		}
		for _, wait := range []time.Duration{Longest, 0, 0} {
			from := time.Now()
			n, err := Do("hang", Longest, hang)
			var late *NoAnswerError
			if n != 0 || !errors.As(err, &late) || !late.Timeout() || err.Error() != "no answer for 5s" || time.Since(from) != wait {
				t.Errorf("%d, %v after %v, want after %v", n, err, time.Since(from), wait)
			}
		}
		if n, err := Do("other", Longest, func() (int, error) { return 8, os.ErrExist }); n != 8 || err != os.ErrExist {
			t.Errorf("another key: %d, %v", n, err)
		}
		if begun.Load() != 1 {
			t.Errorf("begun %d times while it hangs", begun.Load())
		}
		close(release)
		synctest.Wait()
		if n, err := Do("hang", Longest, hang); n != 7 || err != nil || begun.Load() != 2 {
			t.Errorf("afterwards: %d, %v, begun %d times", n, err, begun.Load())
		}
	})
}

func TestReadFileReadsNoMoreThanMost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	if err := os.WriteFile(path, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int64]string{4: "0123", 10: "0123456789", 11: "0123456789"} {
		if text, err := ReadFile(path, most); string(text) != want || err != nil {
			t.Errorf("of %d: %q, %v", most, text, err)
		}
	}
	if _, err := ReadFile(path+"x", 4); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent file: %v", err)
	}
}

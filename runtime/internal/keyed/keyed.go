// Package keyed owns what instances need that calls make by their keys: a table in
// which a call finds its own without a lock, names for all keys, and the setting
// that bounds their number. Which instances there are is left to others.
package keyed

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Instances are the settings of every name that may have some.
type Instances struct {
	MaxInstances int `setting:"maxInstances" default:"1000" range:"[1,100000]" doc:"instances of the name at most that calls make where methods are guarded by=KEY"`
}

// Most is how many instances there may be.
func (s Instances) Most() int { return s.MaxInstances }

// longest is the most bytes of a key that is kept as it is.
const longest = 100

// Short is the key itself, or stands for one that is too long to be kept: it begins
// alike, and ends with a hash.
func Short(key string) string {
	if len(key) <= longest {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return key[:longest-33] + "~" + hex.EncodeToString(sum[:16])
}

// Name is a key as the part of a name behind the slash. What names can't have is
// written as in URLs: "a b" becomes "a%20b". No two keys have one name.
func Name(key string) string {
	if strings.IndexFunc(key, escaped) < 0 {
		return key
	}
	var b strings.Builder
	for _, c := range []byte(key) {
		if escaped(rune(c)) {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func escaped(c rune) bool { return c < '!' || c > '~' || c == '%' }

// Package lua holds the script that changes what a server knows of breakers. It
// runs on the server in one piece, so that nothing comes between what it reads
// and what it writes.
package lua

import (
	"crypto/sha1"
	_ "embed"
	"encoding/hex"
)

// Script is the text of a script and its name on the server.
type Script struct{ Text, SHA string }

// New makes a script of its text.
func New(text string) *Script {
	sum := sha1.Sum([]byte(text)) // the server's name for it, no secret
	return &Script{text, hex.EncodeToString(sum[:])}
}

//go:embed exchange.lua
var exchange string

// Exchange is package rule's Step for some breakers of one process. The head of
// its file says what it takes.
var Exchange = New(exchange)

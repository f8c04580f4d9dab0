// Package lua holds the scripts that change what the server knows of a breaker.
// Each runs on the server in one piece, so that nothing comes between what it
// reads and what it writes; each answers with the view of the fleet. What they
// take is said at the head of their files.
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

var (
	//go:embed common.lua
	common string
	//go:embed look.lua
	look string
	//go:embed record.lua
	record string
	//go:embed trial.lua
	trial string
	//go:embed settle.lua
	settle string
)

// The scripts.
var (
	Look   = New(common + look)
	Record = New(common + record) // adds outcomes, and may begin an outage
	Trial  = New(common + trial)  // takes or keeps the token for trials
	Settle = New(common + settle) // ends trials, and with good ones the outage
)

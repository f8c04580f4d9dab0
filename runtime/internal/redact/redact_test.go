package redact

import (
	"errors"
	"io/fs"
	"testing"
)

func TestFieldL10UsersAndPasswordsOfURLsAreCutOut(t *testing.T) {
	for text, want := range map[string]string{
		"redis://user:hunter2@h:6379/0":                   "redis://…@h:6379/0",
		"redis://hunter2@h":                               "redis://…@h",
		"redis://:hunter2@h":                              "redis://…@h",
		`dial "redis://user:hun@ter2@h:6379": refused`:    `dial "redis://…@h:6379": refused`,
		"redis://user:hun/ter2?x@h":                       "redis://…@h",
		"redis://user:hun ter2@h":                         "redis://…@h",
		`redis://user:hun"ter2@h`:                         "redis://…@h",
		"a redis://u:hunter2@h and a redis://v:hunter2@i": "a redis://…@i",
		"redis://h:6379?password=hunter2&db=1":            "redis://h:6379?…",
		`get "https://h/x?token=hunter2": not found`:      `get "https://h/x?…": not found`,
		"user:hunter2@h:6379":                             "…@h:6379",
		":hunter2@h:6379":                                 "…@h:6379",
		"1: a://u:hunter2@h\n2: b://v:hunter2@i\n":        "1: a://…@h\n2: b://…@i\n",
		"u:hunter2@h and redis://i":                       "…@h and redis://i",
		"redis.internal:6379":                             "redis.internal:6379",
		"redis://redis.internal:6379/0":                   "redis://redis.internal:6379/0",
		"ann@example.com":                                 "ann@example.com",
		"r.json:1:2: breakers.a: did you mean b?":         "r.json:1:2: breakers.a: did you mean b?",
		"a://b?x=1 and\tu:hunter2@h":                      "a://…@h",
		"c:d@e  f:g@h\n":                                  "…@e  …@h\n",
		"a://b?x=1 c://d?y=2":                             "a://b?… c://d?…",
		"is it a://b? c://d?y=2":                          "is it a://b? c://d?…",
		"":                                                "",
	} {
		if got := Text(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestFieldL10AnErrorKeepsItsCauses(t *testing.T) {
	secret := &fs.PathError{Op: "dial", Path: "redis://u:hunter2@h", Err: fs.ErrPermission}
	got := Error(secret)
	var path *fs.PathError
	if got.Error() != "dial redis://…@h: permission denied" || !errors.Is(got, fs.ErrPermission) || !errors.As(got, &path) {
		t.Errorf("the error became %v", got)
	}
	if plain := errors.New("plain"); Error(plain) != plain || Error(nil) != nil {
		t.Error("an error without a secret is another one")
	}
}

package redis

import (
	"strings"
	"testing"

	"github.com/redis/rueidis"

	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
)

// An address that the settings accept is one for the client too, which has no
// error then that repeats parts of it. A slash without a database is taken here
// only.
func TestFieldG04AddressesAreJudgedAsTheClientJudgesThem(t *testing.T) {
	for _, scheme := range []string{"redis", "rediss", "valkey", "valkeys", "unix", "http", ""} {
		for _, user := range []string{"", "me@", "me:hush@", ":hush@", "me:@"} {
			for _, host := range []string{"", "h", "h:1", "[::1]:1", ":1", "h:x", "h h"} {
				for _, path := range []string{"", "/", "/1", "/x", "/1/2", "/-1", "//"} {
					for _, query := range []string{"", "?db=1", "?db=x", "?addr=h:2", "?skip_verify", "?skip_verify=x", "?dial_timeout=1", "?write_timeout=1s", "?%zz"} {
						judgeAddress(t, scheme+"://"+user+host, path, query)
					}
				}
			}
		}
	}
	for _, address := range []string{"h:1", "h:1,i:2", "h:1, i:2", "[::1]:1"} {
		if _, password, err := sharedstate.ParseAddress(address); err != nil || password {
			t.Errorf("%s: password %t, %v", address, password, err)
		}
	}
	for _, address := range []string{"", "h", ":1", "h:", "h:1,", "me@h:1", "hush@h:1"} {
		if _, _, err := sharedstate.ParseAddress(address); err == nil {
			t.Errorf("%q passes for an address", address)
		}
	}
}

func judgeAddress(t *testing.T, host, path, query string) {
	t.Helper()
	address := host + path + query
	_, password, err := sharedstate.ParseAddress(address)
	if path == "/" && !strings.HasPrefix(host, "unix:") {
		path = ""
	}
	_, clients := rueidis.ParseURL(host + path + query)
	if (err == nil) != (clients == nil) && !strings.Contains(address, "skip_verify=x") { // which the client passes over without TLS
		t.Errorf("%s: %v, and the client says %v", address, err, clients)
	}
	if err != nil {
		return
	}
	option, err := parseAddress(address)
	if err != nil || password != (option.Password != "" || strings.Contains(address, "me:@")) {
		t.Errorf("%s has a password: %t, and the client has %q; %v", address, password, option.Password, err)
	}
}

func TestFieldL10APasswordInPlaceOfItsFileIsNotShown(t *testing.T) {
	s := &settings{}
	s.PasswordFile = new("hunter2")
	_, err := s.credentials(rueidis.AuthCredentials{})
	if want := "sharedState.passwordFile: can't read the file: no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

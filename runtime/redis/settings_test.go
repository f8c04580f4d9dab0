package redis

import (
	"strings"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/resgen-go/resgen/runtime/internal/breaker"
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

func TestFieldG06ABreakersOwnRuleComesBeforeThatOfTheFleet(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(s *settings) { s.OutageThreshold = 90 })
	report := func(own breaker.Fleet, calls, failures float64) view {
		m, now := d.as("p"), time.Now()
		m.own = own
		d.reports++
		m.reports = []report{{d.reports, now, calls, failures}}
		return d.run(m.record(d.settings, now))
	}
	if v := report(breaker.Fleet{}, 4, 2); v.outage != 0 {
		t.Fatal("an outage by the fleet's rule")
	}
	if v := report(breaker.Fleet{MinimumErrors: new(5), OutageThreshold: new(50.0)}, 4, 2); v.outage != 0 {
		t.Fatal("an outage below the breaker's own minimum")
	}
	own := breaker.Fleet{MinimumErrors: new(5), OutageThreshold: new(50.0), SecondsBeforeRetry: new(30 * time.Millisecond)}
	v := report(own, 1, 1)
	if v.outage == 0 {
		t.Fatal("no outage by the breaker's own rule")
	}
	m := d.as("p")
	m.own, m.outage = own, v.outage
	eventually(t, "a trial after the breaker's own pause", func() bool {
		return d.run(m.try(d.settings, time.Now())).holder == "p"
	})
}

func TestFieldG06AReloadChangesTheRuleOfASharedBreaker(t *testing.T) {
	m := &member{membership: joined, fleet: newFleet()}
	if m.join(breaker.Fleet{MinimumErrors: new(5)}) || *m.own.MinimumErrors != 5 {
		t.Errorf("the rule is %+v", m.own)
	}
}

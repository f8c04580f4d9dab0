// Package sharedstate says what the section sharedState of a settings file may
// hold: where processes meet to share breakers, and the rule by which they do.
// It knows no client of the server, so that tools which only read settings need
// none; what is done by the settings is up to the adapter.
package sharedstate

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// Settings are those of the section.
type Settings struct {
	Enabled             bool          `setting:"enabled" default:"true" doc:"false: every breaker is its process's own, as if none were shared"`
	Address             *string       `setting:"address" doc:"server as host:port or redis://host:port/database (rediss: with TLS), or several of a cluster, separated by commas; without it, addressEnv says"`
	AddressEnv          string        `setting:"addressEnv" default:"REDIS_URL" doc:"environment variable with the address, which may hold user and password too"`
	Username            *string       `setting:"username" doc:"name to log in with"`
	PasswordEnv         string        `setting:"passwordEnv" default:"REDIS_PASSWORD" doc:"environment variable with the password"`
	PasswordFile        *string       `setting:"passwordFile" doc:"file with the password, read for each connection"`
	TLS                 bool          `setting:"tls" default:"false" doc:"whether to use TLS; rediss in the address says so too"`
	TLSServerName       *string       `setting:"tlsServerName" doc:"name in the server's certificate, where it is not that of the address"`
	TLSCAFile           *string       `setting:"tlsCAFile" doc:"PEM file with the authorities to trust in place of the system's"`
	TLSCertFile         *string       `setting:"tlsCertFile" doc:"PEM file with the certificate to show"`
	TLSKeyFile          *string       `setting:"tlsKeyFile" doc:"PEM file with its key"`
	Service             *string       `setting:"service" doc:"the service's name, such as \"shop\": processes of one name are a fleet; without it or keyPrefix no breaker is shared"`
	KeyPrefix           *string       `setting:"keyPrefix" doc:"begins every key, such as \"shop:\", the default where service is shop"`
	Recording           string        `setting:"recording" default:"AGGREGATED" oneof:"AGGREGATED,SAMPLED" doc:"AGGREGATED counts every outcome; SAMPLED of successes only the share successSampleRate"`
	SuccessSampleRate   float64       `setting:"successSampleRate" default:"1" range:"(0,1]" doc:"probability p with which SAMPLED counts a success, as 1/p"`
	FlushInterval       time.Duration `setting:"flushInterval" default:"1s" range:"[10ms,1h]" usual:"1m" doc:"pause between two reports of a process while calls fail; else it reports twice in the window"`
	OutageCheckInterval time.Duration `setting:"outageCheckInterval" default:"5s" range:"[0s,1h]" usual:"1m" doc:"how often a process asks for changes, in case a push got lost; 0: as the default, and only while it shares a breaker that an outage or OFF holds"`
	OutageThreshold     float64       `setting:"outageThreshold" default:"50" range:"(0,100]" doc:"percent of failed calls of all processes; at or above it an outage begins, too"`
	OutageWindow        time.Duration `setting:"outageWindow" default:"2m" range:"[1s,1h]" usual:"10m" doc:"calls that ended in this last while count"`
	MinimumErrors       int           `setting:"minimumErrors" default:"20" range:"[1,1000000000]" doc:"none by that before so many failures in the window"`
	MinimumVotes        int           `setting:"minimumVotes" default:"3" range:"[1,1000000]" doc:"an outage begins when so many processes, or all of fewer, have opened their own breakers"`
	VoteShare           float64       `setting:"voteShare" default:"50" range:"(0,100]" doc:"and so many percent of the processes that reported lately"`
	SecondsBeforeRetry  time.Duration `setting:"secondsBeforeRetry" default:"20s" range:"[0s,8760h]" usual:"1h" doc:"time from the beginning of an outage, or failed trials, to the next trials"`
	TrialTimeout        time.Duration `setting:"trialTimeout" default:"10s" range:"[100ms,1h]" usual:"1m" doc:"a trial call that does not come back in this is given to another process"`
	RampInterval        time.Duration `setting:"rampInterval" default:"1s" range:"[10ms,1h]" usual:"1m" doc:"after an outage a tenth of the calls is admitted, and twice as many after each interval"`
	Timeout             time.Duration `setting:"timeout" default:"1s" range:"[10ms,1m]" usual:"10s" doc:"one exchange with the server; no call waits for it"`
}

// Joined says why nothing is shared without a keyPrefix, and the way out.
const Joined = `two services on one server would share breakers of one name; write the service's name, such as "shop:"`

// Prefix begins every key; empty: nothing says where processes meet.
func (s *Settings) Prefix() string {
	switch {
	case s.KeyPrefix != nil:
		return *s.KeyPrefix
	case s.Service != nil:
		return *s.Service + ":"
	}
	return ""
}

// Check finds settings that don't go together, and secrets in the file. It shows
// no texts, because any may be a secret in the wrong place.
func (s *Settings) Check() (problems []setting.Problem) {
	problem := func(field, other, format string, args ...any) {
		problems = append(problems, setting.Problem{Field: field, Other: other, Message: fmt.Sprintf(format, args...)})
	}
	if s.Address != nil {
		_, password, err := ParseAddress(*s.Address)
		if err != nil {
			problem("address", "", "%v", err)
		}
		if password {
			problem("address", "", "has a password in it, which does not belong into this file; use passwordEnv, passwordFile or addressEnv")
		}
	}
	for field, name := range map[string]string{"addressEnv": s.AddressEnv, "passwordEnv": s.PasswordEnv} {
		if strings.ContainsFunc(name, notOfName) { // not shown, as it may be what belongs into the variable
			problem(field, "", "is not a name of an environment variable, such as REDIS_URL")
		}
	}
	for field, name := range map[string]*string{"keyPrefix": s.KeyPrefix, "service": s.Service} {
		switch {
		case name == nil:
		case *name == "":
			problem(field, "", "is empty: "+Joined)
		case strings.ContainsAny(*name, "{} \n"):
			problem(field, "", "has a brace or a blank in it, which keys can't have")
		}
	}
	if (s.TLSCertFile == nil) != (s.TLSKeyFile == nil) {
		problem("tlsCertFile", "tlsKeyFile", "needs tlsKeyFile, and the other way round")
	}
	if s.Recording != "SAMPLED" && s.SuccessSampleRate != 1 {
		problem("successSampleRate", "recording", "%v needs recording SAMPLED", s.SuccessSampleRate)
	}
	if s.FlushInterval > s.OutageWindow {
		problem("flushInterval", "outageWindow", "%s is above outageWindow (%s)", setting.Format(s.FlushInterval), setting.Format(s.OutageWindow))
	}
	return problems
}

// notOfName reports that names of variables don't have the character.
func notOfName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_.-", r)
}

var errNoAddress = errors.New("is no address such as redis.internal:6379 or rediss://redis.internal:6379/0")

// ParseAddress reads an address: as a URL, nil where it is hosts with ports, and
// whether it has a password in it. Its errors don't repeat it, because it may be
// a secret in whole or in part.
func ParseAddress(address string) (u *url.URL, password bool, err error) {
	if strings.Contains(address, "://") {
		return parseURL(address)
	}
	for one := range strings.SplitSeq(address, ",") {
		host, port, err := net.SplitHostPort(strings.TrimSpace(one))
		if err != nil || host == "" || port == "" || strings.Contains(host, "@") {
			return nil, false, errNoAddress
		}
	}
	return nil, false, nil
}

// parseURL takes a slash without a database, too.
func parseURL(address string) (u *url.URL, password bool, err error) {
	u, err = url.Parse(address)
	if err != nil || !known(u.Scheme) {
		return nil, false, errNoAddress
	}
	if u.Path == "/" {
		u.Path = ""
	}
	if u.Scheme != "unix" && u.Path != "" {
		if _, err := strconv.Atoi(u.Path[1:]); err != nil {
			return nil, false, errNoAddress
		}
	}
	for name, parse := range parameters {
		if query := u.Query(); query.Has(name) && !parse(query.Get(name)) {
			return nil, false, errNoAddress
		}
	}
	_, password = u.User.Password()
	return u, password, nil
}

func known(scheme string) bool {
	switch scheme {
	case "redis", "rediss", "valkey", "valkeys", "unix":
		return true
	}
	return false
}

// parameters of a URL that have a form, with whether a value has it.
var parameters = map[string]func(string) bool{
	"db":            isNumber,
	"dial_timeout":  isDuration,
	"write_timeout": isDuration,
	"skip_verify":   func(s string) bool { _, err := strconv.ParseBool(s); return s == "" || err == nil },
}

func isNumber(s string) bool   { _, err := strconv.Atoi(s); return err == nil }
func isDuration(s string) bool { _, err := time.ParseDuration(s); return err == nil }

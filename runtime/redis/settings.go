package redis

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"reflect"
	"strings"
	"time"
	"unicode"

	"github.com/redis/rueidis"

	"github.com/resgen-go/resgen/runtime/internal/bounded"
	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// settings are those of the section sharedState.
type settings struct {
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
	KeyPrefix           string        `setting:"keyPrefix" default:"resgen:" doc:"begins every key; processes with the same one are a fleet"`
	Recording           string        `setting:"recording" default:"AGGREGATED" oneof:"AGGREGATED,SAMPLED" doc:"AGGREGATED counts every outcome; SAMPLED of successes only the share successSampleRate"`
	SuccessSampleRate   float64       `setting:"successSampleRate" default:"1" range:"(0,1]" doc:"probability p with which SAMPLED counts a success, as 1/p"`
	FlushInterval       time.Duration `setting:"flushInterval" default:"1s" range:"[10ms,1h]" doc:"pause between two reports of what a process counted"`
	OutageCheckInterval time.Duration `setting:"outageCheckInterval" default:"5s" range:"[0s,1h]" doc:"a view older than this is asked for, in case a push got lost; 0: only pushes and answers to reports bring one, and while an outage or OFF by hand lasts, the default"`
	OutageThreshold     float64       `setting:"outageThreshold" default:"50" range:"(0,100]" doc:"percent of failed calls of all processes; at or above it an outage begins"`
	OutageWindow        time.Duration `setting:"outageWindow" default:"2m" range:"[1s,1h]" doc:"calls that ended in this last while count"`
	MinimumErrors       int           `setting:"minimumErrors" default:"20" range:"[1,1000000000]" doc:"no outage before so many failures in the window"`
	SecondsBeforeRetry  time.Duration `setting:"secondsBeforeRetry" default:"20s" range:"[0s,8760h]" doc:"time from the beginning of an outage, or failed trials, to the next trials"`
	TrialTimeout        time.Duration `setting:"trialTimeout" default:"10s" range:"[100ms,1h]" doc:"the trial token passes on when its process shows no sign of life for so long"`
	Timeout             time.Duration `setting:"timeout" default:"1s" range:"[10ms,1m]" doc:"one exchange with the server; no call waits for it"`
}

// usualCheckInterval is the default of outageCheckInterval.
var usualCheckInterval = func() time.Duration {
	s := new(settings)
	setting.Defaults(s)
	return s.OutageCheckInterval
}()

// Check finds settings that don't go together, and secrets in the file.
func (s *settings) Check() (problems []setting.Problem) {
	problem := func(field, other, format string, args ...any) {
		problems = append(problems, setting.Problem{Field: field, Other: other, Message: fmt.Sprintf(format, args...)})
	}
	if s.Address != nil {
		option, err := parseAddress(*s.Address)
		if err != nil {
			problem("address", "", "%v", err)
		}
		if option.Password != "" {
			problem("address", "", "has a password in it, which does not belong into this file; use passwordEnv, passwordFile or addressEnv")
		}
	}
	for field, name := range map[string]string{"addressEnv": s.AddressEnv, "passwordEnv": s.PasswordEnv} {
		if strings.ContainsFunc(name, notOfName) { // not shown, as it may be what belongs into the variable
			problem(field, "", "is not a name of an environment variable, such as REDIS_URL")
		}
	}
	if strings.ContainsAny(s.KeyPrefix, "{} \n") {
		problem("keyPrefix", "", "%q has a brace or a blank in it, which keys can't have", s.KeyPrefix)
	}
	if (s.TLSCertFile == nil) != (s.TLSKeyFile == nil) {
		problem("tlsCertFile", "tlsKeyFile", "needs tlsKeyFile, and the other way round")
	}
	if s.Recording != "SAMPLED" && s.SuccessSampleRate != 1 {
		problem("successSampleRate", "recording", "%v needs recording SAMPLED", s.SuccessSampleRate)
	}
	if s.FlushInterval > s.OutageWindow {
		problem("flushInterval", "outageWindow", "%v is above outageWindow (%v)", s.FlushInterval, s.OutageWindow)
	}
	return problems
}

// notOfName reports that names of variables don't have the character.
func notOfName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_.-", r)
}

// samePlace reports that the fleet meets where it does with the other settings.
func (s *settings) samePlace(other *settings) bool {
	tuned := *other
	tuned.Enabled, tuned.Recording, tuned.SuccessSampleRate = s.Enabled, s.Recording, s.SuccessSampleRate
	tuned.FlushInterval, tuned.OutageCheckInterval = s.FlushInterval, s.OutageCheckInterval
	tuned.OutageThreshold, tuned.OutageWindow, tuned.MinimumErrors = s.OutageThreshold, s.OutageWindow, s.MinimumErrors
	tuned.SecondsBeforeRetry, tuned.TrialTimeout = s.SecondsBeforeRetry, s.TrialTimeout
	return reflect.DeepEqual(&tuned, s)
}

// sampleRate is the probability with which a success is counted.
func (s *settings) sampleRate() float64 {
	if s.Recording == "SAMPLED" {
		return s.SuccessSampleRate
	}
	return 1
}

// buckets is how many the window is cut into: of five seconds where it is two
// minutes long.
const buckets = 24

func (s *settings) bucket() time.Duration { return s.OutageWindow / buckets }

var errNoAddress = errors.New("is no address such as redis.internal:6379 or rediss://redis.internal:6379/0")

// parseAddress reads an address. Its errors don't repeat it, for it may hold a
// password.
func parseAddress(address string) (option rueidis.ClientOption, err error) {
	if strings.Contains(address, "://") {
		return parseURL(address)
	}
	for one := range strings.SplitSeq(address, ",") {
		one = strings.TrimSpace(one)
		host, port, err := net.SplitHostPort(one)
		if err != nil || host == "" || port == "" || strings.Contains(host, "@") {
			return rueidis.ClientOption{}, errNoAddress
		}
		option.InitAddress = append(option.InitAddress, one)
	}
	return option, nil
}

// parseURL takes a slash without a database, too.
func parseURL(address string) (option rueidis.ClientOption, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return option, errNoAddress
	}
	if u.Path == "/" {
		u.Path = ""
	}
	if option, err = rueidis.ParseURL(u.String()); err != nil {
		return rueidis.ClientOption{}, errNoAddress
	}
	return option, nil
}

// option is how to connect, without what the connection itself settles.
func (s *settings) option() (option rueidis.ClientOption, err error) {
	address, from := os.Getenv(s.AddressEnv), "$"+s.AddressEnv
	if s.Address != nil {
		address, from = *s.Address, "sharedState.address"
	}
	if address == "" {
		return option, fmt.Errorf("sharedState.address is missing, and %s is not set", from)
	}
	if option, err = parseAddress(address); err != nil {
		return option, fmt.Errorf("%s %w", from, err)
	}
	if option.TLSConfig, err = s.tls(option.TLSConfig); err != nil {
		return option, fmt.Errorf("sharedState: TLS: %w", err)
	}
	given := rueidis.AuthCredentials{Username: option.Username, Password: option.Password}
	if s.Username != nil {
		given.Username = *s.Username
	}
	option.AuthCredentialsFn = func(rueidis.AuthCredentialsContext) (rueidis.AuthCredentials, error) {
		return s.credentials(given)
	}
	return option, nil
}

// longestFile is more than a file of a password or of certificates ever has.
const longestFile = 16 << 20

// credentials are those for a new connection: a password can change while the
// process runs.
func (s *settings) credentials(given rueidis.AuthCredentials) (rueidis.AuthCredentials, error) {
	if s.PasswordFile == nil {
		given.Password = cmp.Or(given.Password, os.Getenv(s.PasswordEnv))
		return given, nil
	}
	text, err := bounded.ReadFile(*s.PasswordFile, longestFile)
	if err != nil {
		return given, fmt.Errorf("sharedState.passwordFile: %w", err)
	}
	given.Password = strings.TrimRight(string(text), "\r\n")
	return given, nil
}

// tls completes what the address says of TLS, nil if that is nothing.
func (s *settings) tls(config *tls.Config) (*tls.Config, error) {
	if config == nil && !s.TLS {
		return nil, nil
	}
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if s.TLSServerName != nil {
		config.ServerName = *s.TLSServerName
	}
	if s.TLSCAFile != nil {
		pem, err := bounded.ReadFile(*s.TLSCAFile, longestFile)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate", *s.TLSCAFile)
		}
	}
	if s.TLSCertFile != nil {
		pair, err := keyPair(*s.TLSCertFile, *s.TLSKeyFile)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

func keyPair(certFile, keyFile string) (tls.Certificate, error) {
	cert, err := bounded.ReadFile(certFile, longestFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := bounded.ReadFile(keyFile, longestFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(cert, key)
}

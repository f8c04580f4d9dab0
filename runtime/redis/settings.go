package redis

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/redis/rueidis"

	"github.com/resgen-go/resgen/runtime/internal/bounded"
	"github.com/resgen-go/resgen/runtime/internal/setting"
	"github.com/resgen-go/resgen/runtime/internal/sharedstate"
)

// settings are those of the section sharedState.
type settings struct{ sharedstate.Settings }

// usual are the defaults.
var usual = func() *settings {
	s := new(settings)
	setting.Defaults(s)
	return s
}()

// parseAddress reads an address that may hold a password, which errors don't
// repeat.
func parseAddress(address string) (option rueidis.ClientOption, err error) {
	u, _, err := sharedstate.ParseAddress(address)
	switch {
	case err != nil:
		return option, err
	case u != nil:
		return rueidis.ParseURL(u.String()) // checked already, so it has no error with parts of the address
	}
	for one := range strings.SplitSeq(address, ",") {
		option.InitAddress = append(option.InitAddress, strings.TrimSpace(one))
	}
	return option, nil
}

// server is the address as it was given, and where.
func (s *settings) server() (address, from string) {
	if s.Address != nil {
		return *s.Address, "sharedState.address"
	}
	if s.AddressEnv != usual.AddressEnv { // perhaps what belongs into the variable
		return os.Getenv(s.AddressEnv), "the variable that addressEnv names"
	}
	return os.Getenv(s.AddressEnv), "$" + s.AddressEnv
}

// place is where the server is, without secrets; empty if that is not known.
func (s *settings) place() string {
	address, _ := s.server()
	option, _ := parseAddress(address)
	return strings.Join(option.InitAddress, ",")
}

// option is how to connect, without what the connection itself settles.
func (s *settings) option() (option rueidis.ClientOption, err error) {
	if s.Prefix() == "" {
		return option, errors.New("sharedState.keyPrefix is missing")
	}
	address, from := s.server()
	if address == "" {
		return option, fmt.Errorf("sharedState.address is missing, and %s is not set", from)
	}
	if option, err = parseAddress(address); err != nil {
		return option, fmt.Errorf("%s %w", from, err)
	}
	if option.TLSConfig, err = s.tls(option.TLSConfig); err != nil {
		return option, err
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
		return given, unread("passwordFile", err)
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
			return nil, unread("tlsCAFile", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, errors.New("sharedState.tlsCAFile: the file holds no certificate")
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

func keyPair(certFile, keyFile string) (pair tls.Certificate, err error) {
	cert, err := bounded.ReadFile(certFile, longestFile)
	if err != nil {
		return pair, unread("tlsCertFile", err)
	}
	key, err := bounded.ReadFile(keyFile, longestFile)
	if err != nil {
		return pair, unread("tlsKeyFile", err)
	}
	if pair, err = tls.X509KeyPair(cert, key); err != nil {
		return pair, fmt.Errorf("sharedState.tlsCertFile: %w", err)
	}
	return pair, nil
}

// unread is the error of reading the file that a setting names, which it does
// not show: it may be the secret itself in place of a file with it.
func unread(setting string, err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("sharedState.%s: can't read the file: %w", setting, err)
}

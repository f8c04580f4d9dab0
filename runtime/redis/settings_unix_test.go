//go:build unix

package redis

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/redis/rueidis"

	"github.com/resgen-go/resgen/runtime/internal/setting"
)

func TestFieldF24FilesOfSecretsThatNeverAnswerAreErrors(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	with := func(set func(*settings)) *settings {
		s := new(settings)
		setting.Defaults(s)
		s.Address, s.KeyPrefix, s.TLS = new("localhost:1"), new("shop:"), true
		set(s)
		return s
	}
	_, passwordErr := with(func(s *settings) { s.PasswordFile = &pipe }).credentials(rueidis.AuthCredentials{})
	_, authoritiesErr := with(func(s *settings) { s.TLSCAFile = &pipe }).option()
	_, pairErr := with(func(s *settings) { s.TLSCertFile, s.TLSKeyFile = &pipe, &pipe }).option()
	for name, err := range map[string]error{"passwordFile": passwordErr, "tlsCAFile": authoritiesErr, "tlsCertFile": pairErr} {
		if err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

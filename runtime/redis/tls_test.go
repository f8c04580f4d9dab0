package redis

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// authority signs the certificates of a test.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, dir: t.TempDir()}
	a.sign("ca", &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

// sign makes a certificate and its key, and returns the files with them.
func (a *authority) sign(name string, cert *x509.Certificate) (certFile, keyFile string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	cert.SerialNumber, cert.Subject = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: name}
	cert.NotBefore, cert.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	if a.cert == nil {
		a.cert, a.key = cert, key
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, a.cert, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	return a.write(name+".crt", "CERTIFICATE", der), a.write(name+".key", "EC PRIVATE KEY", keyDER)
}

func (a *authority) write(name, kind string, der []byte) string {
	path := filepath.Join(a.dir, name)
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return path
}

func TestTLS(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	server := &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"redis.internal"}}
	serverCert, serverKey := a.sign("server", server)
	clientCert, clientKey := a.sign("client", &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	other := filepath.Join(newAuthority(t).dir, "ca.crt")
	ca := filepath.Join(a.dir, "ca.crt")
	_, port, _ := net.SplitHostPort(freeAddress(t))
	startServer(t, "--tls-port", port, "--tls-cert-file", serverCert, "--tls-key-file", serverKey, "--tls-ca-cert-file", ca)

	client := []string{"tlsCAFile", ca, "tlsCertFile", clientCert, "tlsKeyFile", clientKey}
	tests := []struct {
		about    string
		settings []string
		links    string
		reason   string
	}{
		{"by the scheme", append(client, "address", "rediss://127.0.0.1:"+port), "up", ""},
		{"by the setting", append(client, "address", "127.0.0.1:"+port, "tls", "true"), "up", ""},
		{"with another name", append(client, "address", "rediss://127.0.0.1:"+port, "tlsServerName", "redis.internal"), "up", ""},
		{"with a wrong name", append(client, "address", "rediss://127.0.0.1:"+port, "tlsServerName", "elsewhere"), "down", "not elsewhere"},
		{"with an unknown authority", []string{"address", "rediss://127.0.0.1:" + port, "tlsCAFile", other}, "down", "unknown authority"},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			p := startProcess(t, shared("", test.settings...))
			inAll(t, []*process{p}, "it is "+test.links, func(p *process) bool { return p.links() == test.links })
			if got := p.complaint(); !strings.Contains(got, test.reason) {
				t.Errorf("the event says %q, want …%s…", got, test.reason)
			}
		})
	}
}

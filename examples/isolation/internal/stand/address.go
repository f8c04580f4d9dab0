package stand

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
)

// address is where calls to a URL go. The host is looked up once, so that what
// was checked is what is called.
type address struct {
	url  string
	addr string // host and port; the host is a number
}

// lookUp finds the address of a URL. Other machines than this one are an error
// where remote is false.
func lookUp(ctx context.Context, text string, remote bool) (address, error) {
	at, err := url.Parse(text)
	if err != nil {
		return address{}, err
	}
	if at.Scheme != "http" && at.Scheme != "https" || at.Hostname() == "" {
		return address{}, fmt.Errorf("%q is no http or https URL with a host", text)
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", at.Hostname())
	if err != nil {
		return address{}, err
	}
	ip, err := choose(ips, remote)
	if err != nil {
		return address{}, fmt.Errorf("%s: %w", text, err)
	}
	port := at.Port()
	if port == "" {
		port = at.Scheme // which is the name of its port
	}
	return address{text, net.JoinHostPort(ip.String(), port)}, nil
}

// choose takes the first address that may be called.
func choose(ips []netip.Addr, remote bool) (netip.Addr, error) {
	for _, ip := range ips {
		if remote || ip.Unmap().IsLoopback() {
			return ip.Unmap(), nil
		}
	}
	return netip.Addr{}, errors.New("it is not on this machine: -allow-remote would let the load go there")
}

// client calls the address and no other: no proxy of the environment, and no
// redirect, which would measure something else.
func (a address) client(idle int) client {
	var dialer net.Dialer
	return client{a.url, &http.Client{
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return dialer.DialContext(ctx, network, a.addr)
			},
			MaxIdleConnsPerHost: idle,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

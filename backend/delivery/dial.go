package delivery

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"
)

const dialTimeout = 10 * time.Second

// ErrPrivate refuses a server inside the operator's own network.
var ErrPrivate = errors.New("the address is private. Mail servers inside your network have to be allowed by the operator")

// Dialer opens connections to servers that people of a workspace name. Unless Private is set it refuses addresses that are not
// public, after the name was resolved, so that a name cannot point at one address when checked and at another when dialled.
type Dialer struct{ Private bool }

// DialContext is net.Dialer.DialContext with the refusal.
func (d Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: dialTimeout, Control: func(_, resolved string, _ syscall.RawConn) error {
		return d.check(resolved)
	}}
	return dialer.DialContext(ctx, network, address)
}

func (d Dialer) check(resolved string) error {
	if d.Private {
		return nil
	}
	at, err := netip.ParseAddrPort(resolved)
	if err != nil {
		return fmt.Errorf("read the server's address: %w", err)
	}
	if ip := at.Addr().Unmap(); !public(ip) {
		return fmt.Errorf("%s: %w", ip, ErrPrivate)
	}
	return nil
}

// notPublic are the ranges that the methods of netip.Addr do not know as special.
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"),
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"),
}

func public(ip netip.Addr) bool {
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, prefix := range notPublic {
		if prefix.Contains(ip) {
			return false
		}
	}
	return true
}

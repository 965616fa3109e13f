package delivery

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/lejek/lejek/backend/outgoing"
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
	if ip := at.Addr().Unmap(); !outgoing.Public(ip) {
		return fmt.Errorf("%s: %w", ip, ErrPrivate)
	}
	return nil
}

package outgoing

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"syscall"
)

// ErrPrivate refuses an address that is not on the public internet.
var ErrPrivate = errors.New("the address is not public. Addresses inside your network have to be allowed by the operator")

// notPublic are the ranges that the methods of netip.Addr do not know as special. Ranges that wrap IPv4 addresses are refused whole:
// nobody needs them to reach a public one.
var notPublic = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"::/96",                          // IPv4-compatible
	"64:ff9b::/96", "64:ff9b:1::/48", // NAT64
	"100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16",
	"2002::/16", // 6to4
	"fec0::/10",
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// Public tells whether an address is on the public internet.
func Public(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !within(ip, notPublic)
}

func within(ip netip.Addr, list []netip.Prefix) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// Door decides which addresses may be dialled.
type Door struct {
	Allow []netip.Prefix // networks the operator allows though they are not public, on any port
	Ports []uint16       // of public addresses; empty is any
}

// Control is a net.Dialer's Control: it sees the address that is about to be dialled.
func (d Door) Control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("read the address: %w", err)
	}
	ip := at.Addr().Unmap().WithZone("")
	switch {
	case within(ip, d.Allow):
		return nil
	case at.Addr().Zone() != "" || !Public(ip):
		return ErrPrivate
	case len(d.Ports) > 0 && !slices.Contains(d.Ports, at.Port()):
		return fmt.Errorf("the port %d is not open to requests. Use 443", at.Port())
	}
	return nil
}

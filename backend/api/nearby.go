package api

import "net/netip"

// nearby says whether an address is this machine or a private network.
func nearby(ip string) bool {
	addr, err := netip.ParseAddr(ip)
	return err == nil && (addr.Unmap().IsLoopback() || addr.Unmap().IsPrivate())
}

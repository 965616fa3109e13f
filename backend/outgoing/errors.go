package outgoing

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
)

// lasting is an error that another attempt would meet again.
type lasting struct{ error }

func (l lasting) Unwrap() error { return l.error }

// Lasting tells errors that another attempt would meet again.
func Lasting(err error) bool {
	_, ok := errors.AsType[lasting](err)
	return ok
}

// explain says what went wrong without the address, which may hold a key.
func explain(ctx context.Context, err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	if own, ok := errors.AsType[lasting](err); ok {
		return own
	}
	var network net.Error
	switch {
	case errors.Is(err, ErrPrivate):
		return lasting{ErrPrivate}
	case errors.Is(ctx.Err(), context.Canceled):
		return errors.New("it was called off")
	case isCertificate(err):
		return lasting{errors.New("its certificate is not valid, or has expired")}
	case errors.As(err, &network) && network.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return errors.New("it did not answer in time")
	}
	if name, ok := errors.AsType[*net.DNSError](err); ok {
		if name.IsNotFound {
			return errors.New("there is no such host")
		}
		return errors.New("its name cannot be looked up")
	}
	if at, ok := errors.AsType[*net.OpError](err); ok && at.Op == "dial" {
		return errors.New("it cannot be reached: " + inner(at.Err))
	}
	return errors.New("the connection broke")
}

// inner is the message of a failed dial without the address.
func inner(err error) string {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err.Error()
		}
		err = next
	}
}

func isCertificate(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	for _, target := range []any{&x509.UnknownAuthorityError{}, &x509.CertificateInvalidError{}, &x509.HostnameError{}} {
		if errors.As(err, target) {
			return true
		}
	}
	return false
}

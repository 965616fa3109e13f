package outgoing

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// The bounds of one request.
const (
	MaxAnswer    = 1 << 20 // bytes, unpacked
	maxRedirects = 3
	maxHeaders   = 64 << 10
	dialLimit    = 5 * time.Second
	Timeout      = 15 * time.Second // of a whole request, unless its context ends it sooner
)

// ports of public addresses that requests may go to.
var ports = []uint16{80, 443, 8080, 8443}

// Options of a Client. All members may be zero.
type Options struct {
	Allow    []netip.Prefix // networks the operator allows though they are not public
	Roots    *x509.CertPool // nil are the system's
	Resolver *net.Resolver  // nil is the system's
}

// Client makes requests. It is safe for use by many goroutines and keeps connections open for a while.
type Client struct {
	client *http.Client
	door   Door
}

// New makes a Client.
func New(options Options) *Client {
	door := Door{Allow: options.Allow, Ports: ports}
	dialer := &net.Dialer{Timeout: dialLimit, Control: door.Control, Resolver: options.Resolver}
	return &Client{door: door, client: &http.Client{
		Timeout: Timeout,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: options.Roots}, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: dialLimit, MaxResponseHeaderBytes: maxHeaders, MaxIdleConns: 100, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second,
		},
		CheckRedirect: follow,
	}}
}

// Request is what to ask.
type Request struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte
}

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do makes one request. Its errors are for people and hold neither the address nor anything that was sent; Lasting tells those that
// another attempt would meet again.
func (c *Client) Do(ctx context.Context, r Request) (Answer, error) {
	target, err := Target(r.URL)
	if err != nil {
		return Answer{}, err
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, target.String(), bytes.NewReader(r.Body))
	if err != nil {
		return Answer{}, lasting{errors.New("the request cannot be made: look at its method and headers")}
	}
	if len(r.Body) == 0 {
		request.Body, request.ContentLength = http.NoBody, 0
	}
	if r.Header != nil {
		request.Header = r.Header.Clone()
	}
	if request.Header.Get("User-Agent") == "" {
		request.Header.Set("User-Agent", "Lejek")
	}
	response, err := c.client.Do(request)
	if err != nil {
		return Answer{}, explain(ctx, err)
	}
	defer response.Body.Close() //nolint:errcheck // it was read, or is given up
	body, err := io.ReadAll(io.LimitReader(response.Body, MaxAnswer+1))
	if err != nil {
		return Answer{}, explain(ctx, err)
	}
	if len(body) > MaxAnswer {
		return Answer{}, lasting{fmt.Errorf("the answer is larger than %d MB", MaxAnswer>>20)}
	}
	return Answer{Status: response.StatusCode, Header: response.Header, Body: body}, nil
}

// Target reads an address that may be asked.
func Target(text string) (*url.URL, error) {
	parsed, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, lasting{errors.New("the address cannot be read")}
	case parsed.Scheme != "https" && parsed.Scheme != "http":
		return nil, lasting{errors.New("the address has to begin with https:// or http://")}
	case parsed.Hostname() == "" || parsed.Opaque != "":
		return nil, lasting{errors.New("the address has no host")}
	case parsed.User != nil:
		return nil, lasting{errors.New("the address must not hold a name and password. Put them into a connection")}
	}
	return parsed, nil
}

// Check says what is wrong with an address before anything is sent there, as far as the address itself tells: a name is looked up only
// when it is dialled.
func (c *Client) Check(text string) error {
	target, err := Target(text)
	if err != nil {
		return err
	}
	host := strings.TrimSuffix(strings.ToLower(target.Hostname()), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return nil // a name
	}
	port := cmp.Or(target.Port(), map[string]string{"http": "80", "https": "443"}[target.Scheme])
	if err := c.door.Control("", net.JoinHostPort(ip.String(), port), nil); err != nil {
		return lasting{err}
	}
	return nil
}

// follow decides about a redirect. What it does not follow is an answer like any other.
func follow(next *http.Request, via []*http.Request) error {
	last := via[len(via)-1]
	switch {
	case len(via) > maxRedirects:
		return lasting{fmt.Errorf("it redirects more than %d times", maxRedirects)}
	case last.URL.Scheme == "https" && next.URL.Scheme != "https":
		return lasting{errors.New("it redirects from https to http")}
	case next.URL.User != nil:
		return lasting{errors.New("it redirects to an address with a name and password")}
	}
	if _, err := Target(next.URL.String()); err != nil {
		return err
	}
	if next.URL.Host == via[0].URL.Host {
		return nil
	}
	if next.Body != nil && next.Body != http.NoBody {
		return lasting{errors.New("it redirects what we send to another host")}
	}
	// Only what says nothing of anybody goes to another host.
	for name := range next.Header {
		if name != "Accept" && name != "User-Agent" {
			delete(next.Header, name)
		}
	}
	return nil
}

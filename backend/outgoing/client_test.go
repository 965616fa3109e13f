package outgoing_test

import (
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/lejek/lejek/backend/outgoing"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

func get(t *testing.T, c *outgoing.Client, url string) (outgoing.Answer, error) {
	t.Helper()
	return c.Do(t.Context(), outgoing.Request{Method: "GET", URL: url, Header: http.Header{"X-Key": {"secret"}, "Authorization": {"Bearer secret"}}})
}

// serve is a server that must not be reached unless a test says so.
func serve(t *testing.T, handler http.HandlerFunc) (server *httptest.Server, hits *atomic.Int64) {
	t.Helper()
	hits = &atomic.Int64{}
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	return server, hits
}

func TestSecurity1_RequestsReachPublicAddressesOnly(t *testing.T) {
	t.Parallel()
	client := outgoing.New(outgoing.Options{})
	for _, url := range []string{
		"http://127.0.0.1/", "http://127.1.2.3/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::7f00:1]/",
		"http://0.0.0.0/", "http://[::]/", "http://0.1.2.3/", "http://10.0.0.1/", "http://172.16.0.1/", "http://172.31.255.255/", "http://192.168.1.1/",
		"http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "http://[fe80::1]/", "http://[fec0::1]/", "http://[fc00::1]/",
		"http://100.64.0.1/", "http://100.127.255.255/", "http://192.0.0.170/", "http://192.0.2.1/", "http://192.88.99.1/", "http://198.18.0.1/",
		"http://198.51.100.7/", "http://203.0.113.7/", "http://224.0.0.1/", "http://239.255.255.250/", "http://240.0.0.1/", "http://255.255.255.255/",
		"http://[64:ff9b::7f00:1]/", "http://[64:ff9b::a9fe:a9fe]/", "http://[64:ff9b:1::a00:1]/", "http://[2002:7f00:1::]/", "http://[2001:0:1::1]/",
		"http://[2001:db8::1]/", "http://[ff02::1]/", "http://[100::1]/", "http://localhost/",
	} {
		_, err := get(t, client, url)
		require.ErrorIs(t, err, outgoing.ErrPrivate, url)
		require.True(t, outgoing.Lasting(err), url)
	}
	for _, ip := range []string{"1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700:4700::1111", "::ffff:8.8.8.8"} {
		require.True(t, outgoing.Public(netip.MustParseAddr(ip)), ip)
	}
}

func TestSecurity1_OtherSchemesPortsAndPasswordsAreRefused(t *testing.T) {
	t.Parallel()
	client := outgoing.New(outgoing.Options{})
	for url, says := range map[string]string{
		"file:///etc/passwd": "https://", "gopher://1.1.1.1/": "https://", "ftp://1.1.1.1/": "https://", "//1.1.1.1/": "https://", "javascript:alert(1)": "https://",
		"http://user:pass@1.1.1.1/": "name and password", "http://1.1.1.1:25/": "port 25", "http://1.1.1.1:6379/": "port 6379", "https:///path": "no host",
		"http:1.1.1.1": "no host", "http://%zz/": "cannot be read",
	} {
		_, err := get(t, client, url)
		require.ErrorContains(t, err, says, url)
	}
}

// TestSecurity1_ANameCannotMeanAnotherAddressLater: the resolver says a public address first and our own door afterwards.
func TestSecurity1_ANameCannotMeanAnotherAddressLater(t *testing.T) {
	t.Parallel()
	_, hits := serve(t, func(http.ResponseWriter, *http.Request) {})
	for name, answers := range map[string][][4]byte{"AtOnce": {{127, 0, 0, 1}}, "BothAtOnce": {{10, 0, 0, 1}, {127, 0, 0, 1}}} {
		client := outgoing.New(outgoing.Options{Resolver: resolver(t, func(int64) [][4]byte { return answers })})
		_, err := get(t, client, "http://rebind.example:8080/")
		require.ErrorIs(t, err, outgoing.ErrPrivate, name)
	}
	door := outgoing.Door{}
	require.NoError(t, door.Control("tcp", "93.184.216.34:443", nil), "what the name meant when somebody looked")
	require.ErrorIs(t, door.Control("tcp", "127.0.0.1:443", nil), outgoing.ErrPrivate, "what it means when it is dialled")
	require.ErrorIs(t, door.Control("tcp6", "[fe80::1%eth0]:443", nil), outgoing.ErrPrivate)
	require.Zero(t, hits.Load())
}

// resolver is a name server of the test's own; answer says what the n-th question for an IPv4 address gets.
func resolver(t *testing.T, answer func(n int64) [][4]byte) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buffer := make([]byte, 1500)
		var asked int64
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			var message dnsmessage.Message
			if message.Unpack(buffer[:n]) != nil {
				continue
			}
			message.Response, message.Additionals = true, nil
			if question := message.Questions[0]; question.Type == dnsmessage.TypeA {
				asked++
				ips := answer(asked)
				if ips == nil {
					message.RCode = dnsmessage.RCodeServerFailure
				}
				for _, ip := range ips {
					message.Answers = append(message.Answers, dnsmessage.Resource{
						Header: dnsmessage.ResourceHeader{Name: question.Name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}, Body: &dnsmessage.AResource{A: ip},
					})
				}
			}
			if packed, err := message.Pack(); err == nil {
				_, _ = conn.WriteTo(packed, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func TestSecurity1_RedirectsGoThroughTheSameDoor(t *testing.T) {
	t.Parallel()
	client := outgoing.New(outgoing.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	inner, hits := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, port, err := net.SplitHostPort(inner.Listener.Addr().String())
	require.NoError(t, err)
	for _, to := range []string{"http://127.0.0.2:" + port + "/", "http://169.254.169.254/", "http://[::1]:" + port + "/", "file:///etc/passwd", "http://a:b@127.0.0.1/"} {
		outer, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		})
		_, err := get(t, client, outer.URL)
		require.Error(t, err, to)
	}
	require.Zero(t, hits.Load())
}

func TestRedirectsTellAnotherHostNothing(t *testing.T) {
	t.Parallel()
	client := outgoing.New(outgoing.Options{Allow: loopback})
	var seen http.Header
	other, hits := serve(t, func(_ http.ResponseWriter, r *http.Request) { seen = r.Header })
	moved, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		status := http.StatusFound
		if r.Method == http.MethodPost {
			status = http.StatusTemporaryRedirect
		}
		http.Redirect(w, r, other.URL, status)
	})
	got, err := get(t, client, moved.URL)
	require.NoError(t, err)
	require.Equal(t, 200, got.Status)
	require.Empty(t, seen.Get("X-Key")+seen.Get("Authorization"))
	_, err = client.Do(t.Context(), outgoing.Request{Method: "POST", URL: moved.URL, Body: []byte("personal")})
	require.ErrorContains(t, err, "another host")
	require.EqualValues(t, 1, hits.Load())

	same, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/there", http.StatusFound)
			return
		}
		seen = r.Header
	})
	_, err = get(t, client, same.URL)
	require.NoError(t, err)
	require.Equal(t, "secret", seen.Get("X-Key"), "the same host is told everything again")
}

func TestFault_54_ATargetThatMisbehavesIsAnErrorInTime(t *testing.T) {
	t.Parallel()
	client := outgoing.New(outgoing.Options{Allow: loopback})
	expect := func(t *testing.T, url, says string, lasts bool) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		began := time.Now()
		_, err := client.Do(ctx, outgoing.Request{Method: "GET", URL: url})
		require.ErrorContains(t, err, says)
		require.Equal(t, lasts, outgoing.Lasting(err), err.Error())
		require.NotContains(t, err.Error(), "127.0.0.1", "an address may hold a key")
		require.Less(t, time.Since(began), 10*time.Second)
	}
	t.Run("Hangs", func(t *testing.T) {
		t.Parallel()
		server, _ := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		expect(t, server.URL, "did not answer in time", false)
	})
	t.Run("AByteNowAndThen", func(t *testing.T) {
		t.Parallel()
		server, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			tick := time.NewTicker(50 * time.Millisecond)
			defer tick.Stop()
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("x"))
				w.(http.Flusher).Flush()
				<-tick.C
			}
		})
		expect(t, server.URL, "did not answer in time", false)
	})
	t.Run("RedirectsForEver", func(t *testing.T) {
		t.Parallel()
		server, hits := serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/again", http.StatusMovedPermanently)
		})
		expect(t, server.URL, "redirects more than 3 times", true)
		require.EqualValues(t, 4, hits.Load())
	})
	t.Run("AGigabyte", func(t *testing.T) {
		t.Parallel()
		var sent atomic.Int64
		server, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			chunk := make([]byte, 64<<10)
			for range 16 << 10 {
				n, err := w.Write(chunk)
				sent.Add(int64(n))
				if err != nil {
					return
				}
			}
		})
		expect(t, server.URL, "larger than 1 MB", true)
		require.Less(t, sent.Load(), int64(64<<20))
	})
	t.Run("AGigabytePacked", func(t *testing.T) {
		t.Parallel()
		server, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			packer := gzip.NewWriter(w)
			_, _ = io.CopyN(packer, zeros{}, 64<<20)
			_ = packer.Close()
		})
		expect(t, server.URL, "larger than 1 MB", true)
	})
	t.Run("AHeaderWithoutEnd", func(t *testing.T) {
		t.Parallel()
		server, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Long", strings.Repeat("x", 1<<20)) })
		expect(t, server.URL, "connection broke", false)
	})
	t.Run("ClosesTheDoor", func(t *testing.T) {
		t.Parallel()
		server, _ := serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		expect(t, server.URL, "connection broke", false)
		server.Close()
		expect(t, server.URL, "cannot be reached", false)
	})
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestFault_54_ATargetWhoseNameComesAndGoes(t *testing.T) {
	t.Parallel()
	server, _ := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	var up atomic.Bool
	client := outgoing.New(outgoing.Options{Allow: loopback, Resolver: resolver(t, func(int64) [][4]byte {
		if !up.Load() {
			return nil
		}
		return [][4]byte{{127, 0, 0, 1}}
	})})
	_, err = get(t, client, "http://flap.example:"+port)
	require.ErrorContains(t, err, "looked up")
	require.False(t, outgoing.Lasting(err))
	up.Store(true)
	got, err := get(t, client, "http://flap.example:"+port)
	require.NoError(t, err)
	require.Equal(t, 200, got.Status)
}

func TestFault_54_CertificatesAreLookedAt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		until   time.Time
		host    string
		trusted bool
		fails   bool
	}{
		"Sound":     {time.Now().Add(time.Hour), "127.0.0.1", true, false},
		"Expired":   {time.Now().Add(-time.Hour), "127.0.0.1", true, true},
		"OfAnother": {time.Now().Add(time.Hour), "127.0.0.2", true, true},
		"Unknown":   {time.Now().Add(time.Hour), "127.0.0.1", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
			require.NoError(t, err)
			template := &x509.Certificate{
				SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: c.until,
				IPAddresses: []net.IP{net.ParseIP(c.host)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
			}
			der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
			require.NoError(t, err)
			certificate, err := x509.ParseCertificate(der)
			require.NoError(t, err)
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
			server.Config.ErrorLog = nil
			server.StartTLS()
			t.Cleanup(server.Close)
			roots := x509.NewCertPool()
			if c.trusted {
				roots.AddCert(certificate)
			}
			_, err = get(t, outgoing.New(outgoing.Options{Allow: loopback, Roots: roots}), server.URL)
			if !c.fails {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "certificate")
			require.True(t, outgoing.Lasting(err))
		})
	}
}

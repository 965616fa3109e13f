package delivery_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/lejek/lejek/backend/spinetest"
)

// zone is a name server over UDP with text records.
type zone struct {
	mu    sync.Mutex
	texts map[string][]string
}

func (z *zone) set(host string, texts ...string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.texts[host+"."] = texts
}

// serve answers questions until the test ends, and gives a resolver that asks it.
func serve(t *testing.T) (*zone, *net.Resolver) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	z := &zone{texts: map[string][]string{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		raw := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(raw)
			if err != nil {
				return
			}
			if answer := z.answer(raw[:n]); answer != nil {
				_, _ = conn.WriteTo(answer, from)
			}
		}
	}()
	t.Cleanup(func() {
		_ = conn.Close()
		<-done
	})
	return z, &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func (z *zone) answer(raw []byte) []byte {
	var question dnsmessage.Message
	if question.Unpack(raw) != nil || len(question.Questions) != 1 {
		return nil
	}
	z.mu.Lock()
	texts, known := z.texts[question.Questions[0].Name.String()]
	z.mu.Unlock()
	reply := dnsmessage.Message{Header: dnsmessage.Header{ID: question.ID, Response: true, Authoritative: true}, Questions: question.Questions}
	if !known {
		reply.RCode = dnsmessage.RCodeNameError
	}
	for _, text := range texts {
		var parts []string
		for ; len(text) > 255; text = text[255:] {
			parts = append(parts, text[:255])
		}
		reply.Answers = append(reply.Answers, dnsmessage.Resource{
			Header: dnsmessage.ResourceHeader{Name: question.Questions[0].Name, Class: dnsmessage.ClassINET, TTL: 1},
			Body:   &dnsmessage.TXTResource{TXT: append(parts, text)},
		})
	}
	packed, err := reply.Pack()
	if err != nil {
		return nil
	}
	return packed
}

func TestADomainSaysWhatToPublishAndSignsOnceItsKeyIsThere(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	z, resolver := serve(t)
	w.Deliverer.Resolver = resolver
	z.set("acme.example", "something else", "v=spf1 +all")
	states := func() (list []string, key string) {
		found, err := w.Deliverer.CheckDomain(t.Context(), w.Workspace, "acme.example")
		require.NoError(t, err)
		for _, c := range found.Checks {
			list = append(list, c.Kind+" "+c.State)
		}
		return list, found.Checks[1].Want
	}
	found, key := states()
	require.Equal(t, []string{"spf wrong", "dkim missing", "dmarc missing"}, found)
	require.True(t, strings.HasPrefix(key, "v=DKIM1; k=rsa; p=MII"), key)
	z.set("acme.example", "v=spf1 include:_spf.example.com -all")
	z.set("_dmarc.acme.example", "v=DMARC1; p=none")
	z.set("lejek._domainkey.acme.example", "v=DKIM1; k=rsa; p=another")
	found, again := states()
	require.Equal(t, key, again, "the key stays")
	require.Equal(t, []string{"spf good", "dkim wrong", "dmarc good"}, found)
	z.set("lejek._domainkey.acme.example", key)
	found, _ = states()
	require.Equal(t, []string{"spf good", "dkim good", "dmarc good"}, found)
	domains, err := w.Deliverer.Domains(t.Context(), w.Workspace)
	require.NoError(t, err)
	require.Len(t, domains, 1)
	require.True(t, domains[0].Signing)
	z.set("lejek._domainkey.acme.example")
	found, _ = states()
	require.Equal(t, "dkim missing", found[1])
	require.Zero(t, w.Count("SELECT count(*) FROM domains WHERE signing"), "a signature nobody can verify does harm")
	_, err = w.Deliverer.CheckDomain(t.Context(), w.Workspace, "other.example")
	require.Error(t, err)
}

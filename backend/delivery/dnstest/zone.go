// Package dnstest is a name server for tests: it answers over a socket what the test says.
package dnstest

import (
	"context"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// Zone is a name server over UDP with text records.
type Zone struct {
	mu    sync.Mutex
	texts map[string][]string
}

// Set says what stands at a name; none at all is a name without text records.
func (z *Zone) Set(host string, texts ...string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.texts[host+"."] = texts
}

// Serve answers questions until the test ends, and gives a resolver that asks it.
func Serve(t testing.TB) (*Zone, *net.Resolver) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	z := &Zone{texts: map[string][]string{}}
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

func (z *Zone) answer(raw []byte) []byte {
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

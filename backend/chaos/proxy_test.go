package chaos

import (
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// proxy stands between a process and its database. While it is a black hole it takes what is sent, forwards nothing, and closes
// nothing: neither side hears of the other any more.
type proxy struct {
	url string

	mu    sync.Mutex
	open  *sync.Cond
	hole  bool
	conns []net.Conn
}

func newProxy(t *testing.T, database string) *proxy {
	t.Helper()
	to, err := url.Parse(database)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{}
	p.open = sync.NewCond(&p.mu)
	through := *to
	through.Host = listener.Addr().String()
	p.url = through.String()
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			back, err := net.Dial("tcp", to.Host)
			if err != nil {
				_ = conn.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, conn, back)
			p.mu.Unlock()
			serving.Go(func() { p.pipe(conn, back) })
			serving.Go(func() { p.pipe(back, conn) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		p.heal()
		p.mu.Lock()
		for _, conn := range p.conns {
			_ = conn.Close()
		}
		p.mu.Unlock()
		serving.Wait()
	})
	return p
}

// pipe forwards one direction, and holds back what comes while there is a hole.
func (p *proxy) pipe(from, to net.Conn) {
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		for p.hole {
			p.open.Wait()
		}
		p.mu.Unlock()
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *proxy) blackhole() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hole = true
}

func (p *proxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hole = false
	p.open.Broadcast()
}

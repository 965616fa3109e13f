package chaos

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/bench"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/store"
)

// mailServer is an SMTP server in a process of its own, which keeps a ledger of what it took.
type mailServer struct {
	f    *fleet
	port int
	mu   sync.Mutex
	in   io.WriteCloser
	out  *bufio.Reader
}

// live has the workspace send for real, to a mail server that is started here. Call it before the first worker.
func (f *fleet) live(perSecond int) *mailServer {
	f.Helper()
	cmd := exec.CommandContext(f.Context(), os.Args[0], "bench", "sink")
	in, err := cmd.StdinPipe()
	require.NoError(f, err)
	out, err := cmd.StdoutPipe()
	require.NoError(f, err)
	require.NoError(f, cmd.Start())
	f.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait() // it ends with its input
	})
	s := &mailServer{f: f, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	line, err := s.out.ReadString('\n')
	require.NoError(f, err)
	s.port, err = strconv.Atoi(strings.TrimSpace(line))
	require.NoError(f, err)
	f.env["LEJEK_SMTP_URL"] = fmt.Sprintf("smtp://127.0.0.1:%d", s.port) // the operator allows a server that is not public
	err = store.InTx(f.Context(), f.db, f.app.Clock, func(tx store.Tx) error {
		_, err := tx.Exec(f.Context(), "UPDATE workspaces SET sending_mode = 'live' WHERE id = $1", f.workspace)
		if err != nil {
			return err
		}
		_, err = tx.Exec(f.Context(), `INSERT INTO senders (workspace_id, slug, name, email, reply_to, verified_at, is_default, created_at)
			VALUES ($1, 'chaos', 'Shop', 'shop@chaos.example', '', $2, NOT EXISTS (SELECT 1 FROM senders WHERE workspace_id = $1 AND is_default), $2)`, f.workspace, tx.Now)
		if err != nil {
			return err
		}
		return f.app.Worker.Deliverer.SaveSMTP(f.Context(), tx, f.workspace, delivery.SMTPSettings{
			SMTPConfig: delivery.SMTPConfig{Host: "127.0.0.1", Port: s.port, TLS: "none"}, PerSecond: perSecond, Active: true,
		})
	})
	require.NoError(f, err)
	return s
}

// ledger is what the server took so far.
func (s *mailServer) ledger() (report bench.SinkReport) {
	s.f.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := io.WriteString(s.in, "ledger\n")
	require.NoError(s.f, err)
	line, err := s.out.ReadBytes('\n')
	require.NoError(s.f, err)
	require.NoError(s.f, json.Unmarshal(line, &report))
	return report
}

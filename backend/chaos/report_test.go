package chaos

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/receipts"
	"github.com/lejek/lejek/backend/store"
)

// TestSecurity_07_AServerThatDiesBeforeItAnswersHasKeptTheReport kills the server between the commit of a report and its answer. The provider,
// which heard nothing, sends it again: it counts once.
func TestSecurity_07_AServerThatDiesBeforeItAnswersHasKeptTheReport(t *testing.T) {
	t.Parallel()
	f := raise(t, "")
	const secret = "a secret we agreed on"
	var source receipts.Source
	require.NoError(t, store.InTx(t.Context(), f.db, f.app.Clock, func(tx store.Tx) (err error) {
		source, err = f.app.Worker.Receipts.Create(t.Context(), tx, f.workspace, receipts.Input{Kind: receipts.Generic, Name: "Own", Secret: secret})
		return err
	}))
	f.join(1)
	message := uuid.New()
	f.exec(`INSERT INTO messages (workspace_id, id, seq, node, contact_id, channel, class, creative, provider_id, lane, status, due_at, next_attempt_at, to_address, created_at, sent_at)
		SELECT $1, $2, 0, 'mail-1', id, 'email', 'marketing', 'c', $2, 1, 'sent', $3, $3, email, $3, $3 FROM contacts WHERE workspace_id = $1`, f.workspace, message, f.now())
	f.exec("INSERT INTO message_bodies (workspace_id, message_id, subject, html, text, headers) VALUES ($1, $2, '', '', '', '[]')", f.workspace, message)

	report := func() (status int) {
		body, err := json.Marshal(map[string]any{"events": []any{map[string]any{"id": "1", "type": "delivered", "message_id": message}}})
		require.NoError(t, err)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+f.env["LEJEK_ADDR"]+receipts.Path(f.workspace, source.ID), strings.NewReader(string(body)))
		require.NoError(t, err)
		now := f.now()
		request.Header.Set("X-Lejek-Timestamp", strconv.FormatInt(now.Unix(), 10))
		request.Header.Set("X-Lejek-Signature", "sha256="+receipts.SignGeneric(secret, now, body))
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	kept := func() int { return f.count("SELECT count(*) FROM receipts WHERE workspace_id = $1", f.workspace) }

	victim := f.start(map[string]string{"LEJEK_FAILPOINTS": "receipts.after_commit=exit"}, "serve")
	f.until(patience, "the server dies in the midst of it", func() bool {
		require.Zero(t, report(), "nobody was answered")
		select {
		case <-victim.ended:
			return true
		default:
			return false
		}
	})
	require.Equal(t, 1, kept(), "it was safe before an answer could be given")
	f.start(nil, "serve")
	f.until(patience, "the server is back", func() bool { return report() == http.StatusOK })
	require.Equal(t, 1, kept(), fmt.Sprint("a repeat is the same report of ", source.ID))
	f.until(patience, "it is told", func() bool { return f.count("SELECT count(*) FROM events WHERE name = 'message_delivered'") > 0 })
	require.Equal(t, http.StatusOK, report())
	f.until(patience, "all is told", func() bool {
		return f.count("SELECT (SELECT count(*) FROM receipts WHERE status = 'queued') + (SELECT count(*) FROM inbox)") == 0
	})
	require.Equal(t, 1, f.count("SELECT count(*) FROM events WHERE name = 'message_delivered'"))
}

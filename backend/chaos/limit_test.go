package chaos

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/campaigns"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/store"
)

// TestFault_27_FourProcessesShareALimit has four workers send a large campaign under a limit of ten a second. The mail server's ledger has the
// limit and hardly less, and what somebody waits for leaves while the campaign waits.
func TestFault_27_FourProcessesShareALimit(t *testing.T) {
	t.Parallel()
	f := raise(t, "")
	mails := f.live(10)
	people, span := pick(50_000, 1000), pick[int64](60, 12)
	f.exec("INSERT INTO lists (workspace_id, slug, name, description, created_at) VALUES ($1, 'all', 'All', '', $2)", f.workspace, f.now())
	f.join(people)
	made, err := f.app.Campaigns.Create(t.Context(), f.workspace, "Sale", json.RawMessage(sale), nil)
	require.NoError(t, err)
	_, _, err = f.app.Campaigns.Start(t.Context(), f.workspace, made.ID, campaigns.Wish{Revision: 1, AcceptWarnings: true})
	require.NoError(t, err)
	for range 4 {
		f.start(nil, "worker")
	}
	f.until(2*patience, "it is being sent", func() bool { return mails.ledger().Mails > 0 })
	f.until(2*patience, "four workers are there", func() bool { return f.count("SELECT count(*) FROM workers") == 4 })
	before := mails.ledger()
	from := before.Last.Unix() + 1

	slowest := time.Duration(0)
	for i := range pick(10, 3) {
		slowest = max(slowest, f.code(i))
	}
	f.until(time.Duration(span)*time.Second+patience, "the time is over", func() bool { return mails.ledger().Last.Unix() > from+span })
	got := 0
	for second, n := range mails.ledger().Seconds {
		if second >= from && second < from+span {
			got += n
		}
	}
	t.Logf("%d mails in %d seconds at ten a second; a code took %s at most", got, span, slowest)
	require.LessOrEqual(t, got, int(10*span)+10)
	require.GreaterOrEqual(t, got, pick(570, int(6*span)))
	require.Less(t, slowest, pick(2*time.Second, 20*time.Second))
	f.exec("UPDATE campaigns SET state = 'cancelled', feed_at = NULL WHERE id = $1", made.ID)
}

// code sends somebody a code and answers how long it took.
func (f *fleet) code(n int) time.Duration {
	f.Helper()
	machine := clock.Machine{}
	var contact uuid.UUID
	require.NoError(f, f.db.QueryRow(f.Context(), "SELECT id FROM contacts WHERE workspace_id = $1 ORDER BY id OFFSET $2 LIMIT 1", f.workspace, n).Scan(&contact))
	began := machine.Now()
	err := store.InTx(f.Context(), f.db, f.app.Clock, func(tx store.Tx) error {
		_, err := delivery.Enqueue(f.Context(), tx, delivery.Notice{
			Workspace: f.workspace, Contact: contact, To: fmt.Sprintf("code-%d@example.com", n), Subject: "Your code", HTML: "<p>1234</p>", Text: "1234", Expires: tx.Now.Add(time.Hour),
		})
		return err
	})
	require.NoError(f, err)
	f.until(patience, "the code has left", func() bool {
		return f.count("SELECT count(*) FROM messages WHERE workspace_id = $1 AND lane = 0 AND status = 'sent'", f.workspace) > n
	})
	return machine.Now().Sub(began)
}

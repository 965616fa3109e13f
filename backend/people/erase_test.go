package people_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

// trace gives a contact one row of everything that may hold personal data.
func (b bundle) trace(t *testing.T, contact uuid.UUID, name string) {
	t.Helper()
	funnel, version, run, message := store.NewID(), store.NewID(), store.NewID(), store.NewID()
	for _, step := range []struct {
		sql  string
		args []any
	}{
		{`CREATE TABLE IF NOT EXISTS events_test PARTITION OF events DEFAULT`, nil},
		{`INSERT INTO funnels (workspace_id, id, slug, name, draft, draft_hash, layout, revision, state, created_at, updated_at)
			VALUES ($1, $2, $3, 'F', '{}', '', '{}', 1, 'draft', $4, $4)`, []any{b.workspace, funnel, "f-" + funnel.String(), storetest.Now}},
		{`INSERT INTO funnel_versions (workspace_id, id, funnel_id, n, bundle, artifacts, hash, note, published_at)
			VALUES ($1, $2, $3, 1, '{}', '{}', '', '', $4)`, []any{b.workspace, version, funnel, storetest.Now}},
		{`INSERT INTO events (workspace_id, contact_id, name, at, received_at, source, external_id, props)
			VALUES ($1, $2, $3, $4, $4, 'api', 'secret-id', '{"mail":"secret"}')`, []any{b.workspace, contact, name, storetest.Now}},
		{`INSERT INTO event_rollups (workspace_id, contact_id, name, count, first_at, last_at) VALUES ($1, $2, $3, 2, $4, $4)`,
			[]any{b.workspace, contact, name, storetest.Now}},
		{`INSERT INTO runs (workspace_id, id, funnel_id, version_id, contact_id, node, seq, status, lane, wake_at, at, started_at, slot, occurrence, event)
			VALUES ($1, $2, $3, $4, $5, 'mail-1', 1, 'active', 1, $6, $6, $6, 'once', 'x', '{"mail":"secret"}')`,
			[]any{b.workspace, run, funnel, version, contact, storetest.Now}},
		{`INSERT INTO journal (workspace_id, run_id, seq, node, kind, at, detail) VALUES ($1, $2, 1, 'mail-1', 'send_email', $3, '{"to":"secret"}')`,
			[]any{b.workspace, run, storetest.Now}},
		{`INSERT INTO messages (workspace_id, id, run_id, seq, node, contact_id, channel, class, creative, provider_id, lane, status, due_at,
			next_attempt_at, to_address, created_at) VALUES ($1, $2, $3, 1, 'mail-1', $4, 'email', 'marketing', 'c', $5, 1, 'queued', $6, $6, 'secret', $6)`,
			[]any{b.workspace, message, run, contact, uuid.Nil, storetest.Now}},
		{`INSERT INTO message_bodies (workspace_id, message_id, subject, html, text, headers) VALUES ($1, $2, 'secret', 'secret', 'secret', '[]')`,
			[]any{b.workspace, message}},
	} {
		_, err := b.tx.Exec(t.Context(), step.sql, step.args...)
		require.NoError(t, err, step.sql)
	}
}

func (b bundle) count(t *testing.T, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, b.tx.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

func TestErase(t *testing.T) {
	t.Parallel()

	t.Run("LeavesNoWordAboutThePersonAndKeepsTheAddressSuppressed", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		in := people.Input{
			ExternalID: "secret-1", Email: "secret@example.com", Phone: "+48601234567", FirstName: new("secret"), LastName: new("secret"),
			Fields: map[string]any{"city": "secret"}, Tags: []string{"secret"}, Lists: []string{"news"},
			Consents: []people.ConsentInput{{Channel: "email", State: "granted", Source: "secret", Proof: map[string]any{"ip": "secret"}}},
		}
		id := b.upsert(t, in).Contact.ID
		b.trace(t, id, "purchase")
		for range 2 {
			require.NoError(t, b.people.Erase(t.Context(), b.workspace, id))
		}
		for _, table := range []string{"contacts", "consents", "consent_records", "suppressions", "events", "inbox", "runs", "journal", "messages", "message_bodies"} {
			require.Zero(t, b.count(t, "SELECT count(*) FROM "+table+" x WHERE x.workspace_id = $1 AND x::text LIKE '%secret%'", b.workspace), table)
		}
		require.Equal(t, 1, b.count(t, "SELECT count(*) FROM runs WHERE contact_id = $1 AND status = 'exited' AND end_reason = 'erased'", id))
		require.Equal(t, 1, b.count(t, "SELECT count(*) FROM messages WHERE contact_id = $1 AND status = 'skipped'", id))
		require.Equal(t, people.NoGone, b.reason(t, id, "transactional", ""))

		again := b.upsert(t, people.Input{Email: "SECRET@example.com", Consents: in.Consents})
		require.True(t, again.Created)
		require.Equal(t, people.NoSuppress, b.reason(t, again.Contact.ID, "transactional", ""), "erased people are not written to after a new import")
	})

	t.Run("EveryTableWithAContactHasAnEraser", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		rows, err := b.tx.Query(t.Context(), `SELECT table_name FROM information_schema.columns c JOIN pg_class p ON p.relname = c.table_name
			WHERE table_schema = 'public' AND column_name = 'contact_id' AND NOT p.relispartition ORDER BY 1`)
		require.NoError(t, err)
		for rows.Next() {
			var table string
			require.NoError(t, rows.Scan(&table))
			require.Contains(t, []string{"consents", "suppressions", "events", "event_rollups", "inbox", "runs", "messages", "form_submissions", "visitors", "bookings", "payments", "segment_members", "rechecks", "date_dues", "devices", "ai_texts", "consent_records", "replies", "webhook_deliveries", "campaign_recipients", "contact_aliases"}, table,
				"say in erase.go what becomes of it, then add it here")
		}
		require.NoError(t, rows.Err())
	})

	t.Run("OfSomebodyElsesContactIsNotFound", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.upsert(t, people.Input{Email: "a@example.com"}).Contact.ID
		require.Equal(t, fault.NotFound, fault.CodeOf(b.people.Erase(t.Context(), storetest.Workspace(t, b.tx), id)))
	})
}

func TestMerge(t *testing.T) {
	t.Parallel()

	t.Run("GivesOverWhatTheWinnerLacks", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		winner := b.upsert(t, people.Input{Email: "w@example.com", FirstName: new("Wanda"), Fields: map[string]any{"city": "W"}, Tags: []string{"a"},
			Consents: []people.ConsentInput{{Channel: "email", State: "granted", At: storetest.Now.AddDate(0, 0, -2)}}}).Contact.ID
		loser := b.upsert(t, people.Input{ExternalID: "9", Email: "l@example.com", FirstName: new("Lena"), LastName: new("L"), Tags: []string{"b"},
			Fields:   map[string]any{"city": "L", "points": 3.0},
			Consents: []people.ConsentInput{{Channel: "email", State: "denied", At: storetest.Now.AddDate(0, 0, -1)}}}).Contact.ID
		b.trace(t, winner, "purchase")
		b.trace(t, loser, "purchase")
		b.trace(t, loser, "visit")

		got, err := b.people.Merge(t.Context(), b.workspace, winner, loser)
		require.NoError(t, err)
		require.Equal(t, []string{"Wanda", "L", "w@example.com", "9"}, []string{got.FirstName, got.LastName, *got.Email, *got.ExternalID})
		require.JSONEq(t, `{"city":"W","points":3}`, string(got.Fields))
		require.Equal(t, []string{"a", "b"}, got.Tags)
		require.Equal(t, people.NoUnsub, b.reason(t, winner, "marketing", ""), "the later word counts")
		require.Equal(t, 3, b.count(t, "SELECT count(*) FROM events WHERE contact_id = $1", winner))
		require.Equal(t, 4, b.count(t, "SELECT count FROM event_rollups WHERE contact_id = $1 AND name = 'purchase'", winner))
		require.Equal(t, 3, b.count(t, "SELECT count(*) FROM runs WHERE contact_id = $1 AND status = 'active'", winner))
		for _, table := range []string{"consents", "events", "event_rollups", "runs", "messages", "inbox"} {
			require.Zero(t, b.count(t, "SELECT count(*) FROM "+table+" WHERE contact_id = $1", loser), table)
		}
		followed, err := b.people.Get(t.Context(), b.workspace, loser)
		require.NoError(t, err)
		require.Equal(t, winner, followed.ID, "the old id leads to the winner")
	})

	t.Run("RefusesOneselfAndThoseWhoAreGone", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		one := b.upsert(t, people.Input{Email: "1@example.com"}).Contact.ID
		two := b.upsert(t, people.Input{Email: "2@example.com"}).Contact.ID
		_, err := b.people.Merge(t.Context(), b.workspace, one, one)
		require.Equal(t, fault.Invalid, fault.CodeOf(err))
		require.NoError(t, b.people.Erase(t.Context(), b.workspace, two))
		_, err = b.people.Merge(t.Context(), b.workspace, one, two)
		require.Equal(t, fault.NotFound, fault.CodeOf(err))
	})
}

package auditor_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/auditor"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store/storetest"
)

// TestAuditFindsWhatIsBroken breaks a sound world in one way at a time.
func TestAuditFindsWhatIsBroken(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Contact("jan@example.com")
	w.Funnel("letters", `{"nodes": [
		{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "go"}], "reentry": {"rule": "once"}}},
		{"id": "mail-1", "kind": "send_email", "config": {"creative": "creative:one"}},
		{"id": "wait-1", "kind": "wait", "config": {"mode": "duration", "for": {"amount": 1, "unit": "days"}}}],
		"edges": [{"from": "in", "port": "next", "to": "mail-1"}, {"from": "mail-1", "port": "next", "to": "wait-1"}]}`)
	w.Event("jan@example.com", "go", nil)
	w.To(storetest.Now)
	w.Audit()
	for code, c := range map[string]string{
		"I2":  "DELETE FROM journal WHERE seq = 2",
		"I3":  "UPDATE runs SET wake_at = wake_at - interval '2 days'",
		"I4":  "UPDATE messages SET status = 'sending', lease_until = '2020-01-01'",
		"I5":  "UPDATE messages SET provider_id = gen_random_uuid()",
		"I6":  "UPDATE consents SET state = 'denied', at = at - interval '1 hour'",
		"I7":  "DELETE FROM message_bodies",
		"I8":  "UPDATE runs SET status = 'done', wake_at = NULL",
		"I9":  "UPDATE events SET contact_id = gen_random_uuid() WHERE name = 'go'",
		"I10": "UPDATE event_rollups SET count = 7 WHERE name = 'go'",
		"I11": "UPDATE contacts SET email = NULL, email_folded = NULL, erased_at = updated_at",
		"I12": "INSERT INTO event_keys (workspace_id, source, external_id, event_id) SELECT id, 'api', 'x', 1 FROM workspaces",
		"I13": "INSERT INTO inbox (workspace_id, contact_id, name, at, due_at, attempts) SELECT workspace_id, id, 'x', created_at, created_at, 8 FROM contacts",
		"I14": "INSERT INTO calls SELECT workspace_id, id, 1, 'in', 'x', '{}', '', true, 'working', at, at, at, '2020-01-01', 1, NULL, NULL, at, NULL FROM runs",
		"I15": "INSERT INTO calls SELECT workspace_id, id, 1, 'in', 'x', '{}', 'error', false, 'queued', at, at, at, NULL, 0, NULL, NULL, at, NULL FROM runs",
		"I16": "INSERT INTO calls SELECT workspace_id, id, 1, 'in', 'x', '{}', '', true, 'queued', at, at, at, NULL, 0, NULL, NULL, at, NULL FROM runs",
	} {
		t.Run(code, func(t *testing.T) {
			tx, err := w.Pool.Begin(t.Context())
			require.NoError(t, err)
			defer tx.Rollback(t.Context()) // it was never meant to last
			_, err = tx.Exec(t.Context(), c)
			require.NoError(t, err)
			found, err := auditor.AuditTx(t.Context(), tx, auditor.Options{Due: storetest.Now.Add(time.Second), Machine: clock.Machine{}.Now()})
			require.NoError(t, err)
			codes := make([]string, len(found))
			for i, v := range found {
				codes[i] = v.Code
			}
			require.Contains(t, codes, code)
		})
	}
}

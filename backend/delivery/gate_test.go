package delivery_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

func TestGate(t *testing.T) {
	t.Parallel()
	consent := func(state string) func(*spinetest.World, uuid.UUID) {
		return func(w *spinetest.World, contact uuid.UUID) {
			_, err := w.People.SetConsents(w.Context(), w.Workspace, contact, []people.ConsentInput{{Channel: "email", State: state, Source: "test"}})
			require.NoError(w, err)
		}
	}
	sql := func(statement string) func(*spinetest.World, uuid.UUID) {
		return func(w *spinetest.World, _ uuid.UUID) { w.Exec(statement) }
	}
	nothing := func(*spinetest.World, uuid.UUID) {}
	for name, c := range map[string]struct {
		class          string
		before         func(*spinetest.World, uuid.UUID)
		late           time.Duration
		status, reason string
	}{
		"Consented":               {"marketing", nothing, 0, "sent", ""},
		"Denied":                  {"marketing", consent("denied"), 0, "skipped", "unsubscribed"},
		"DeniedButTransactional":  {"transactional", consent("denied"), 0, "sent", ""},
		"Unknown":                 {"marketing", sql("DELETE FROM consents"), 0, "skipped", "no_consent"},
		"UnknownButAllowed":       {"marketing", sql("WITH w AS (UPDATE workspaces SET allow_unknown_consent = true) DELETE FROM consents"), 0, "sent", ""},
		"UnknownButTransactional": {"transactional", sql("DELETE FROM consents"), 0, "sent", ""},
		"WithoutAnAddress":        {"marketing", sql("UPDATE contacts SET external_id = 'x', email = NULL, email_folded = NULL"), 0, "skipped", "no_address"},
		"PausedWorkspace":         {"marketing", sql("UPDATE workspaces SET paused_at = created_at"), 0, "queued", "workspace_paused"},
		"StoppedFunnel":           {"transactional", sql("UPDATE funnels SET state = 'stopped'"), 0, "skipped", "funnel_stopped"},
		"VoidVisit":               {"transactional", sql("UPDATE runs SET void_before = 99"), 0, "skipped", "void"},
		"TooLate":                 {"transactional", nothing, 24 * time.Hour, "expired", "expired"},
		"AlmostTooLate":           {"transactional", nothing, 24*time.Hour - time.Second, "sent", ""},
		"ACreativeThatIsGone":     {"marketing", sql("DELETE FROM creative_artifacts"), 0, "failed", "creative_missing"},
		"AVariableThatIsMissing":  {"marketing", sql(`UPDATE creative_artifacts SET artifact = '{"subject": "Hi {{ first_name }}"}'`), 0, "failed", "variable: first_name"},
		"AValueThatDoesNotFit":    {"marketing", sql(`UPDATE creative_artifacts SET artifact = '{"subject": "{{ email | money(\"PLN\") }}"}'`), 0, "failed", "content: {{ email | money(\"PLN\") }} cannot be filled: money needs a number, not \"jan@example.com\"."},
		"AVariableWithAFallback":  {"marketing", sql(`UPDATE creative_artifacts SET artifact = '{"subject": "Hi {{ first_name | default(\"you\") }}"}'`), 0, "sent", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := spinetest.New(t)
			contact := w.Contact("jan@example.com")
			w.Funnel("letters", graph(c.class))
			w.Event("jan@example.com", "go", nil)
			w.Jump(storetest.Now)
			_, err := w.Runner.Job().DrainAll(t.Context())
			require.NoError(t, err)
			c.before(w, contact)
			w.Jump(storetest.Now.Add(c.late))
			w.Settle()
			state, reason, _ := status(w)
			require.Equal(t, []string{c.status, c.reason}, []string{state, reason})
		})
	}
}

func TestResumingAWorkspaceLetsItsMessagesLeaveAtOnce(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Contact("jan@example.com")
	w.Funnel("letters", graph("marketing"))
	w.Exec("UPDATE workspaces SET paused_at = created_at")
	w.Event("jan@example.com", "go", nil)
	w.To(storetest.Now)
	require.Empty(t, w.Sent("jan@example.com"))
	w.Tx(func(tx store.Tx) error {
		_, err := tx.Exec(t.Context(), "UPDATE workspaces SET paused_at = NULL")
		require.NoError(t, err)
		return delivery.Resume(t.Context(), tx, w.Workspace)
	})
	w.Settle()
	require.Len(t, w.Sent("jan@example.com"), 1)
	w.Audit()
}

func TestActsInTheTestInboxAreEvents(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Contact("jan@example.com")
	w.Funnel("letters", `{"nodes": [
		{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "go"}], "reentry": {"rule": "once"}}},
		{"id": "mail-1", "kind": "send_email", "config": {"creative": "creative:hello"}},
		{"id": "wait-1", "kind": "wait", "config": {"mode": "until_event", "event": {"name": "link_clicked", "step": "mail-1"}, "timeout": {"amount": 3, "unit": "days"}}},
		{"id": "mail-2", "kind": "send_email", "config": {"creative": "creative:clicked"}}],
		"edges": [{"from": "in", "port": "next", "to": "mail-1"}, {"from": "mail-1", "port": "next", "to": "wait-1"}, {"from": "wait-1", "port": "next", "to": "mail-2"}]}`)
	w.Event("jan@example.com", "go", nil)
	w.To(storetest.Now)
	var id uuid.UUID
	require.NoError(t, w.Pool.QueryRow(t.Context(), "SELECT id FROM messages").Scan(&id))
	for _, act := range []string{"open", "click", "reply"} {
		require.NoError(t, w.Deliverer.Act(t.Context(), w.Workspace, id, act, "https://example.com"))
	}
	require.Error(t, w.Deliverer.Act(t.Context(), w.Workspace, id, "eat", ""))
	require.Error(t, w.Deliverer.Act(t.Context(), store.NewID(), id, "open", ""), "another workspace's message")
	w.Settle()
	require.Equal(t, []string{"hello 03-23 09:00:00", "clicked 03-23 09:00:00"}, w.Sent("jan@example.com"))
	require.Equal(t, 1, w.Count("SELECT count(*) FROM messages WHERE opened_at IS NOT NULL AND clicked_at IS NOT NULL AND replied_at IS NOT NULL"))
	require.NoError(t, w.Deliverer.Act(t.Context(), w.Workspace, id, "unsubscribe", ""))
	w.Settle()
	require.Equal(t, 1, w.Count("SELECT count(*) FROM events WHERE name = 'unsubscribed'"))
	w.Audit()
}

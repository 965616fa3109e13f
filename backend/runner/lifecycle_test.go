package runner_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/runs"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

func TestAPausedFunnelKeepsItsTimes(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Contact("jan@example.com")
	w.Contact("eva@example.com")
	funnel := w.Funnel("letters", line("go", once, anHour, "mail:one", anHour, "mail:two"))
	w.Event("jan@example.com", "go", nil)
	w.To(storetest.Now)
	w.Exec("UPDATE funnels SET state = 'paused'")
	require.Equal(t, "paused", w.Event("eva@example.com", "go", nil).Refused[0].Why)
	w.To(storetest.Now.Add(90 * time.Minute))
	require.Empty(t, w.Sent("jan@example.com"))
	require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE status = 'paused' AND resume_at = $1", storetest.Now.Add(time.Hour)))
	w.Audit()

	w.Exec("UPDATE funnels SET state = 'live'")
	w.Tx(func(tx store.Tx) error {
		_, err := runs.Resume(t.Context(), tx, w.Workspace, funnel)
		return err
	})
	w.Settle()
	w.To(storetest.Now.Add(3 * time.Hour))
	require.Equal(t, []string{"one 03-23 10:30:00", "two 03-23 11:00:00"}, w.Sent("jan@example.com"), "late, but without drift")
	w.Audit()
}

// pausedBeforeALetter is a funnel that is paused when its first letter is written and has not left.
func pausedBeforeALetter(t *testing.T) (*spinetest.World, uuid.UUID) {
	t.Helper()
	w := spinetest.New(t)
	w.Contact("jan@example.com")
	funnel := w.Funnel("letters", line("go", once, "mail:one"))
	w.Event("jan@example.com", "go", nil)
	w.Jump(storetest.Now)
	_, err := w.Runner.Job().DrainAll(t.Context())
	require.NoError(t, err)
	w.Exec("UPDATE funnels SET state = 'paused'")
	return w, funnel
}

func TestQueuedMessagesOfAPausedFunnelWaitForItsResumption(t *testing.T) {
	t.Parallel()
	w, funnel := pausedBeforeALetter(t)
	w.Settle()
	require.Equal(t, 1, w.Count("SELECT count(*) FROM messages WHERE status = 'queued' AND reason = 'funnel_paused'"))
	w.Exec("UPDATE funnels SET state = 'live'")
	w.Tx(func(tx store.Tx) error {
		_, err := runs.Resume(t.Context(), tx, w.Workspace, funnel)
		return err
	})
	w.Settle()
	require.Len(t, w.Sent("jan@example.com"), 1)
	w.Audit()
}

// resuming lets the funnel go on in a transaction that is still open while act runs, as one that commits at the same time as a pump works.
func resuming(t *testing.T, w *spinetest.World, funnel uuid.UUID, act func()) {
	t.Helper()
	tx, err := w.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "UPDATE funnels SET state = 'live'")
	require.NoError(t, err)
	_, err = runs.Resume(t.Context(), tx, w.Workspace, funnel)
	require.NoError(t, err)
	act()
	require.NoError(t, tx.Commit(t.Context()))
}

func TestARunThatIsDueWhileItsFunnelIsResumedGoesOn(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Contact("jan@example.com")
	funnel := w.Funnel("letters", line("go", once, anHour, "mail:one"))
	w.Event("jan@example.com", "go", nil)
	w.To(storetest.Now)
	w.Exec("UPDATE funnels SET state = 'paused'")
	w.Jump(storetest.Now.Add(time.Hour))
	resuming(t, w, funnel, func() {
		_, err := w.Runner.Job().DrainAll(t.Context())
		require.NoError(t, err)
	})
	w.To(storetest.Now.Add(time.Hour + time.Minute))
	require.Len(t, w.Sent("jan@example.com"), 1)
	w.Audit()
}

func TestAMessageThatIsDueWhileItsFunnelIsResumedLeavesSoon(t *testing.T) {
	t.Parallel()
	w, funnel := pausedBeforeALetter(t)
	resuming(t, w, funnel, w.Settle)
	w.To(storetest.Now.Add(time.Minute))
	require.Len(t, w.Sent("jan@example.com"), 1)
	w.Audit()
}

func TestWhatAPauseHoldsIsSeldomLookedAt(t *testing.T) {
	t.Parallel()
	w, _ := pausedBeforeALetter(t)
	w.Settle()
	require.Zero(t, w.Count("SELECT count(*) FROM messages WHERE next_attempt_at < $1", storetest.Now.Add(30*time.Minute)))
	w.To(storetest.Now.AddDate(0, 0, 1).Add(time.Second))
	require.Equal(t, 1, w.Count("SELECT count(*) FROM messages WHERE status = 'expired'"), "it is too late the second it is")
	w.Audit()
}

func TestAStoppedFunnelSendsNothingMore(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Contact("jan@example.com")
	w.Contact("eva@example.com")
	funnel := w.Funnel("letters", line("go", once, "mail:one", anHour, "mail:two"))
	w.Event("jan@example.com", "go", nil)
	w.To(storetest.Now)
	w.Event("eva@example.com", "go", nil)
	w.Jump(storetest.Now)
	_, err := w.Runner.Job().DrainAll(t.Context())
	require.NoError(t, err)
	w.Tx(func(tx store.Tx) error {
		_, err := tx.Exec(t.Context(), "UPDATE funnels SET state = 'stopped'")
		require.NoError(t, err)
		n, err := runs.EndOfFunnel(t.Context(), tx, w.Workspace, tx.Now, funnel, runs.ReasonStopped)
		require.Equal(t, 2, n)
		return err
	})
	w.To(storetest.Now.AddDate(0, 0, 1))
	require.Equal(t, 1, w.Count("SELECT count(*) FROM messages WHERE status = 'sent'"))
	require.Equal(t, 1, w.Count("SELECT count(*) FROM messages WHERE status = 'skipped' AND reason = 'void'"))
	w.Audit()
}

func TestFault_30_ARunThatFailsIsParkedAfterEightAttemptsAndLeavesItsNeighboursAlone(t *testing.T) {
	t.Parallel()

	t.Run("ItsVersionIsBroken", func(t *testing.T) {
		t.Parallel()
		w := spinetest.New(t)
		w.Contact("jan@example.com")
		w.Contact("eva@example.com")
		w.Funnel("letters", line("go", once, anHour, "mail:one"))
		other := w.Funnel("others", line("go", once, anHour, "mail:two"))
		w.Event("jan@example.com", "go", nil)
		w.To(storetest.Now)
		w.Exec(`UPDATE funnel_versions SET bundle = '{"graph": {"schema": 9, "nodes": [], "edges": []}}' WHERE funnel_id = $1`, other)
		w.Runner.Plans.Forget()
		w.To(storetest.Now.AddDate(0, 0, 1))
		require.Equal(t, []string{"one 03-23 10:00:00"}, w.Sent("jan@example.com"))
		require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE funnel_id = $1 AND status = 'parked' AND attempts = 8 AND last_error <> ''", other))
		w.Audit()
	})

	for name, spoil := range map[string]string{
		"ItsMemoryIsNoObject":  `UPDATE runs SET vars = '["x"]' FROM contacts c WHERE c.id = runs.contact_id AND c.email = 'b@example.com'`,
		"ItsEventIsNoObject":   `UPDATE runs SET event = '7' FROM contacts c WHERE c.id = runs.contact_id AND c.email = 'b@example.com'`,
		"AKindOfANewerVersion": "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := spinetest.New(t)
			funnel := w.Funnel("letters", line("go", once, anHour, "mail:one"))
			for _, name := range []string{"a", "b", "c"} {
				w.Contact(name + "@example.com")
				w.Event(name+"@example.com", "go", nil)
			}
			w.To(storetest.Now)
			if name == "AKindOfANewerVersion" {
				newer := w.Publish(funnel, strings.Replace(line("go", once, anHour, "mail:one"), `"kind": "wait"`, `"kind": "teleport"`, 1))
				w.Exec("UPDATE runs SET version_id = $1 FROM contacts c WHERE c.id = runs.contact_id AND c.email = 'b@example.com'", newer)
			} else {
				w.Exec(spoil)
			}
			w.To(storetest.Now.AddDate(0, 0, 1))
			require.Len(t, w.Sent("a@example.com"), 1)
			require.Empty(t, w.Sent("b@example.com"))
			require.Len(t, w.Sent("c@example.com"), 1)
			require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE status = 'parked' AND attempts = 8 AND last_error <> ''"))
			w.Audit()
		})
	}

	t.Run("TheDatabaseRefusesIt", func(t *testing.T) {
		t.Parallel()
		w := spinetest.New(t)
		w.Funnel("letters", line("go", once, anHour, "mail:one"))
		for _, name := range []string{"a", "b", "c"} {
			w.Contact(name + "@example.com")
			w.Event(name+"@example.com", "go", nil)
		}
		w.To(storetest.Now)
		w.Exec(`INSERT INTO journal (workspace_id, run_id, seq, node, kind, at) SELECT r.workspace_id, r.id, r.seq + 1, 'x', 'x', r.at
			FROM runs r JOIN contacts c ON c.id = r.contact_id WHERE c.email = 'b@example.com'`)
		w.To(storetest.Now.Add(time.Hour))
		require.Len(t, w.Sent("a@example.com"), 1)
		require.Empty(t, w.Sent("b@example.com"))
		require.Len(t, w.Sent("c@example.com"), 1)
		require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE attempts = 1 AND status = 'active'"))

		w.To(storetest.Now.AddDate(0, 0, 1))
		require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE attempts = 8 AND status = 'parked'"))
		w.Exec("DELETE FROM journal WHERE node = 'x'")
		var id uuid.UUID
		require.NoError(t, w.Pool.QueryRow(t.Context(), "SELECT id FROM runs WHERE status = 'parked'").Scan(&id))
		require.NoError(t, w.Runner.Retry(t.Context(), w.Workspace, id))
		w.Settle()
		require.Len(t, w.Sent("b@example.com"), 1, "the mail may still be late by a day")
		w.Audit()
	})
}

func TestAGoalVoidsWhatHasNotLeft(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Contact("jan@example.com")
	graph := line("go", once, anHour, "mail:one", anHour, "mail:two")
	graph = strings.Replace(graph, `"nodes": [`, `"nodes": [
		{"id": "goal-1", "kind": "goal", "config": {"mode": "event", "event": {"name": "bought"}}},
		{"id": "thanks", "kind": "send_email", "config": {"creative": "creative:thanks"}},`, 1)
	graph = strings.Replace(graph, `"edges": [`, `"edges": [{"from": "goal-1", "port": "reached", "to": "thanks"},`, 1)
	w.Funnel("letters", graph)
	w.Event("jan@example.com", "go", nil)
	w.To(storetest.Now)
	w.Jump(storetest.Now.Add(time.Hour))
	_, err := w.Runner.Job().DrainAll(t.Context())
	require.NoError(t, err)
	out := w.Event("jan@example.com", "bought", nil)
	require.Len(t, out.Woke, 1)
	_, err = w.Runner.Job().DrainAll(t.Context())
	require.NoError(t, err)
	w.Settle()
	w.To(storetest.Now.AddDate(0, 0, 1))
	require.Equal(t, []string{"thanks 03-23 10:00:00"}, w.Sent("jan@example.com"))
	require.Equal(t, 1, w.Count("SELECT count(*) FROM messages WHERE creative = 'one' AND status = 'skipped' AND reason = 'void'"))
	require.Equal(t, 1, w.Count("SELECT count(*) FROM events WHERE name = 'goal_reached'"))
	w.Audit()
}

func TestAMergeMovesRunsAndEndsTheOnesThatClash(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	winner, loser := w.Contact("jan@example.com"), w.Contact("jan@old.example")
	w.Funnel("both", line("go", once, aDay, "mail:both"))
	w.Funnel("one", line("visit", once, aDay, "mail:moved"))
	w.Event("jan@example.com", "go", nil)
	w.Event("jan@old.example", "go", nil)
	w.Event("jan@old.example", "visit", nil)
	w.To(storetest.Now)
	_, err := w.People.Merge(t.Context(), w.Workspace, winner, loser)
	require.NoError(t, err)
	w.To(storetest.Now.AddDate(0, 0, 2))
	require.ElementsMatch(t, []string{"both 03-24 09:00:00", "moved 03-24 09:00:00"}, w.Sent("jan@example.com"))
	require.Empty(t, w.Sent("jan@old.example"))
	require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE end_reason = 'merged'"))
	w.Audit()
}

func TestAWaitOnARuleEndsWhenTheContactChanges(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	contact := w.Contact("jan@example.com")
	w.Funnel("letters", line("go", once,
		`{"mode": "until_rule", "rule": {"field": "first_name", "op": "is", "value": "Jan"}, "timeout": {"amount": 7, "unit": "days"}}`, "mail:known"))
	w.Event("jan@example.com", "go", nil)
	w.To(storetest.Now.Add(time.Hour))
	name := "Jan"
	_, err := w.People.Upsert(t.Context(), w.Workspace, people.Input{ID: contact, FirstName: &name}, "test")
	require.NoError(t, err)
	w.Settle()
	require.Equal(t, []string{"known 03-23 10:00:00"}, w.Sent("jan@example.com"))
	w.Audit()
}

func TestStepsChangeTheContactAndStartOtherFunnels(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Contact("jan@example.com")
	w.Exec("INSERT INTO field_defs (workspace_id, key, type, label, created_at) VALUES ($1, 'visits', 'number', 'Visits', $2), ($1, 'city', 'text', 'City', $2)", w.Workspace, storetest.Now)
	w.Funnel("marks", `{"nodes": [
		{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "go"}], "reentry": {"rule": "once"}}},
		{"id": "tag-1", "kind": "add_tag", "config": {"tag": "tag:vip"}},
		{"id": "set-1", "kind": "set_field", "config": {"field": "field:city", "value": "{{ event.city }}"}},
		{"id": "set-2", "kind": "set_field", "config": {"field": "field:visits", "value": "not a number"}},
		{"id": "is-1", "kind": "condition", "config": {"rule": {"all": [{"tag": "tag:vip"}, {"field": "city", "op": "is", "value": "Kraków"}]}}},
		{"id": "mail-1", "kind": "send_email", "config": {"creative": "creative:yes"}}],
		"edges": [{"from": "in", "port": "next", "to": "tag-1"}, {"from": "tag-1", "port": "next", "to": "set-1"},
			{"from": "set-1", "port": "next", "to": "set-2"}, {"from": "set-2", "port": "next", "to": "is-1"}, {"from": "is-1", "port": "yes", "to": "mail-1"}]}`)
	w.Funnel("next", strings.Replace(line("x", once, "mail:chained"), `{"kind": "api_event", "name": "x"}`, `{"kind": "tag_added", "tag": "tag:vip"}`, 1))
	w.Event("jan@example.com", "go", map[string]any{"city": "Kraków"})
	w.To(storetest.Now)
	require.ElementsMatch(t, []string{"yes 03-23 09:00:00", "chained 03-23 09:00:00"}, w.Sent("jan@example.com"))
	require.Equal(t, 1, w.Count("SELECT count(*) FROM contacts WHERE tags = '{vip}' AND fields = '{\"city\": \"Kraków\"}'"))
	require.Equal(t, 1, w.Count("SELECT count(*) FROM journal WHERE node = 'set-2' AND detail ->> 'problem' <> ''"), "the value that did not fit is told")
	require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE chain = 1"))
	w.Audit()
}

func TestFault_31_FunnelsThatStartEachOtherStopAtDepthTen(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	contact := w.Contact("jan@example.com")
	turn := func(on, tag, off string) string {
		return `{"nodes": [
			{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "tag_added", "tag": "tag:` + on + `"}], "reentry": {"rule": "after_exit"}}},
			{"id": "off", "kind": "remove_tag", "config": {"tag": "tag:` + off + `"}},
			{"id": "on", "kind": "add_tag", "config": {"tag": "tag:` + tag + `"}}],
			"edges": [{"from": "in", "port": "next", "to": "off"}, {"from": "off", "port": "next", "to": "on"}]}`
	}
	w.Funnel("ping", turn("a", "b", "a"))
	w.Funnel("pong", turn("b", "a", "b"))
	_, err := w.People.AddTag(t.Context(), w.Workspace, contact, "a")
	require.NoError(t, err)
	w.To(storetest.Now)
	require.Equal(t, 11, w.Count("SELECT count(*) FROM runs"), "depth 0 to 10")
	require.Equal(t, 1, w.Count(`SELECT count(*) FROM events WHERE reaction @> '{"refused": [{"why": "chain_limit"}]}'`))
	w.Audit()
}

func TestFunnelsHearWhenRunsStartAndEnd(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Contact("jan@example.com")
	wait := func(name string) string {
		return `{"mode": "until_event", "event": {"name": "` + name + `"}, "timeout": {"amount": 30, "unit": "days"}}`
	}
	w.Funnel("listens", line("listen", once, wait("run_started"), "mail:started", wait("run_ended"), "mail:ended"))
	w.Event("jan@example.com", "listen", nil)
	w.To(storetest.Now)
	require.Zero(t, w.Count("SELECT count(*) FROM events WHERE name IN ('run_started', 'run_ended') AND received_at > $1", storetest.Now))
	w.Funnel("other", line("go", once, aDay))
	w.To(storetest.Now.Add(time.Hour))
	w.Event("jan@example.com", "go", nil)
	w.To(storetest.Now.AddDate(0, 0, 3))
	require.Equal(t, []string{"started 03-23 10:00:00", "ended 03-24 10:00:00"}, w.Sent("jan@example.com"))
	w.Audit()
}

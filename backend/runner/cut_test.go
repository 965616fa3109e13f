package runner_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store/storetest"
)

func TestAWaitIsSkippedForOnePersonInTheSandboxOnly(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Funnel("slow", steps("go", "wait", `{"mode": "duration", "for": {"amount": 1, "unit": "hours"}}`, "send_email", letterStep,
		"wait", `{"mode": "duration", "for": {"amount": 2, "unit": "hours"}}`, "send_email", letterStep))
	for _, name := range []string{"ola", "ewa"} {
		w.Contact(name + "@example.com")
		w.Event(name+"@example.com", "go", nil)
	}
	w.Settle()
	run := func(email string) (id uuid.UUID) {
		require.NoError(t, w.Pool.QueryRow(t.Context(), `SELECT r.id FROM runs r JOIN contacts c ON c.workspace_id = r.workspace_id AND c.id = r.contact_id
			WHERE r.workspace_id = $1 AND c.email = $2`, w.Workspace, email).Scan(&id))
		return id
	}
	w.Jump(storetest.Now.Add(5 * time.Minute))
	require.NoError(t, w.Runner.CutWait(t.Context(), w.Workspace, run("ola@example.com")))
	w.Settle()
	at := func(d time.Duration) string { return "letter " + storetest.Now.Add(d).UTC().Format("01-02 15:04:05") }
	require.Equal(t, []string{at(5 * time.Minute)}, w.Sent("ola@example.com"))
	require.Empty(t, w.Sent("ewa@example.com"), "nobody else's time has come")

	w.To(storetest.Now.Add(24 * time.Hour))
	require.Equal(t, []string{at(5 * time.Minute), at(2*time.Hour + 5*time.Minute)}, w.Sent("ola@example.com"), "the next wait counts from there")
	require.Equal(t, []string{at(time.Hour), at(3 * time.Hour)}, w.Sent("ewa@example.com"))
	err := w.Runner.CutWait(t.Context(), w.Workspace, run("ola@example.com"))
	require.Equal(t, fault.Conflict, fault.CodeOf(err), "a run that has ended is in no wait")
	w.Exec("UPDATE workspaces SET sending_mode = 'live'")
	w.Contact("jan@example.com")
	w.Event("jan@example.com", "go", nil)
	w.Settle()
	err = w.Runner.CutWait(t.Context(), w.Workspace, run("jan@example.com"))
	require.Equal(t, fault.Conflict, fault.CodeOf(err))
	require.ErrorContains(t, err, "sandbox")
	w.Audit()
}

package delivery_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
)

// mails is a funnel of nothing but mails with the given classes, after an optional step.
func mails(first string, expires string) string {
	mail := func(id, class string) string {
		return `{"id": "` + id + `", "kind": "send_email", "config": {"creative": "creative:` + id + `", "class": "` + class + `"` + expires + `}}`
	}
	nodes, edges := mail("offer", "marketing")+", "+mail("receipt", "transactional"), `{"from": "offer", "port": "next", "to": "receipt"}`
	if first != "" {
		nodes, edges = first+", "+nodes, edges+`, {"from": "in", "port": "next", "to": "first"}, {"from": "first", "port": "next", "to": "offer"}`
	} else {
		edges += `, {"from": "in", "port": "next", "to": "offer"}`
	}
	return `{"nodes": [{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "go"}], "reentry": {"rule": "after_exit"}}}, ` + nodes + `], "edges": [` + edges + `]}`
}

// Quiet hours cross midnight and the night the clocks change; a token granted inside them is not used.
func TestNoMarketingLeavesInQuietHours(t *testing.T) {
	t.Parallel()
	night := `[{"from": "21:00", "to": "08:00"}]`
	for name, c := range map[string]struct {
		zone, at, workspace, node, offer string
	}{
		"of the workspace, before midnight":       {"Europe/Warsaw", "2026-06-10T22:30:00+02:00", night, "", "2026-06-11T08:00:00+02:00"},
		"of the workspace, after midnight":        {"Europe/Warsaw", "2026-06-11T02:30:00+02:00", night, "", "2026-06-11T08:00:00+02:00"},
		"they begin on the minute":                {"Europe/Warsaw", "2026-06-10T21:00:00+02:00", night, "", "2026-06-11T08:00:00+02:00"},
		"they are over on the minute":             {"Europe/Warsaw", "2026-06-10T08:00:00+02:00", night, "", "2026-06-10T08:00:00+02:00"},
		"where the person lives":                  {"Asia/Tokyo", "2026-06-10T20:00:00+02:00", night, "", "2026-06-11T08:00:00+09:00"},
		"the night the clocks go forward":         {"Europe/Berlin", "2027-03-28T01:30:00+01:00", night, "", "2027-03-28T08:00:00+02:00"},
		"the night the clocks go back":            {"Europe/Berlin", "2027-10-31T02:30:00+02:00", night, "", "2027-10-31T08:00:00+01:00"},
		"an end the clocks skip":                  {"Europe/Berlin", "2027-03-28T00:30:00+01:00", `[{"from": "22:00", "to": "02:30"}]`, "", "2027-03-28T03:00:00+02:00"},
		"of the run":                              {"Europe/Warsaw", "2026-06-10T22:30:00+02:00", `[]`, `{"from": "22:00", "to": "07:00"}`, "2026-06-11T07:00:00+02:00"},
		"of the run on another day":               {"Europe/Warsaw", "2026-06-10T22:30:00+02:00", `[]`, `{"from": "22:00", "to": "07:00", "days": ["sat"]}`, "2026-06-10T22:30:00+02:00"},
		"of the run, then those of the workspace": {"Europe/Warsaw", "2026-06-10T20:30:00+02:00", night, `{"from": "20:00", "to": "22:00"}`, "2026-06-11T08:00:00+02:00"},
		"a quiet weekend":                         {"Europe/Warsaw", "2026-06-13T12:00:00+02:00", `[{"from": "00:00", "to": "00:00", "days": ["sat", "sun"]}]`, "", "2026-06-15T00:00:00+02:00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := spinetest.New(t)
			at, err := time.Parse(time.RFC3339, c.at)
			require.NoError(t, err)
			offer, err := time.Parse(time.RFC3339, c.offer)
			require.NoError(t, err)
			w.Exec("UPDATE workspaces SET quiet_hours = $2 WHERE id = $1", w.Workspace, c.workspace)
			first := ""
			if c.node != "" {
				first = `{"id": "first", "kind": "quiet_hours", "config": ` + c.node + `}`
			}
			w.Funnel("mails", mails(first, `, "expires": {"amount": 4, "unit": "days"}`))
			w.Contact("a@example.com")
			_, err = w.People.Upsert(t.Context(), w.Workspace, people.Input{Email: "a@example.com", Zone: &c.zone}, "test")
			require.NoError(t, err)
			w.To(at)
			w.Event("a@example.com", "go", nil)
			w.To(at.AddDate(0, 0, 4))
			require.ElementsMatch(t, []string{"receipt " + at.UTC().Format("01-02 15:04:05"), "offer " + offer.UTC().Format("01-02 15:04:05")}, w.Sent("a@example.com"))
			w.Audit()
		})
	}
}

func TestQuietHoursDoNotOutlastTheMessage(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Exec(`UPDATE workspaces SET quiet_hours = '[{"from": "21:00", "to": "08:00"}]' WHERE id = $1`, w.Workspace)
	w.Funnel("mails", mails("", `, "expires": {"amount": 3, "unit": "hours"}`))
	w.Contact("a@example.com")
	at := time.Date(2026, 6, 10, 22, 0, 0, 0, time.UTC)
	w.To(at)
	w.Event("a@example.com", "go", nil)
	w.To(at.AddDate(0, 0, 1))
	require.Equal(t, []string{"receipt 06-10 22:00:00"}, w.Sent("a@example.com"))
	require.Equal(t, 1, w.Count("SELECT count(*) FROM messages WHERE workspace_id = $1 AND status = 'expired'", w.Workspace))
	w.Audit()
}

func TestNewQuietHoursHoldForWhatIsHeldBackAlready(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Exec(`UPDATE workspaces SET quiet_hours = '[{"from": "21:00", "to": "08:00"}]' WHERE id = $1`, w.Workspace)
	w.Funnel("mails", mails("", ""))
	w.Contact("a@example.com")
	at := time.Date(2026, 6, 10, 22, 0, 0, 0, time.UTC)
	w.To(at)
	w.Event("a@example.com", "go", nil)
	w.To(at.Add(time.Hour))
	require.Len(t, w.Sent("a@example.com"), 1)
	w.Exec(`UPDATE workspaces SET quiet_hours = '[]' WHERE id = $1`, w.Workspace)
	w.Tx(func(tx store.Tx) error { return reconsider(t, tx, w) })
	w.Settle()
	require.Contains(t, w.Sent("a@example.com"), "offer 06-10 23:00:00")
	w.Audit()
}

func TestNobodyGetsMoreMarketingThanTheCap(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Exec(`UPDATE workspaces SET frequency_caps = '{"email": {"count": 2, "per": 24}}' WHERE id = $1`, w.Workspace)
	w.Funnel("mails", mails("", ""))
	w.Contact("a@example.com")
	at := time.Date(2026, 6, 10, 9, 0, 0, 0, time.UTC)
	for i := range 4 {
		w.To(at.Add(time.Duration(i) * time.Hour))
		w.Event("a@example.com", "go", nil)
	}
	w.To(at.AddDate(0, 0, 3))
	require.Equal(t, []string{
		"offer 06-10 09:00:00", "receipt 06-10 09:00:00", "offer 06-10 10:00:00", "receipt 06-10 10:00:00", "receipt 06-10 11:00:00", "receipt 06-10 12:00:00",
		"offer 06-11 09:00:00", "offer 06-11 10:00:00", // each when its turn comes, within a day
	}, w.Sent("a@example.com"))
	w.Audit()
}

func reconsider(t *testing.T, tx store.Tx, w *spinetest.World) error {
	t.Helper()
	return delivery.Reconsider(t.Context(), tx, w.Workspace)
}

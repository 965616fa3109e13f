package runner_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/runs"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

// offer is a funnel that ends with its only mail, and has a goal.
func offer(reentry, goal string, closing ...string) string {
	nodes := fmt.Sprintf(`{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "go"}], "reentry": %s}},
		{"id": "mail", "kind": "send_email", "config": {"creative": "creative:offer"}}, {"id": "goal", "kind": "goal", "config": %s}`, reentry, goal)
	edges := `{"from": "in", "port": "next", "to": "mail"}`
	from, port := "goal", "reached"
	for i := 0; i < len(closing); i += 2 {
		id := fmt.Sprintf("close-%d", i/2+1)
		nodes += fmt.Sprintf(`, {"id": %q, "kind": %q, "config": %s}`, id, closing[i], closing[i+1])
		edges += fmt.Sprintf(`, {"from": %q, "port": %q, "to": %q}`, from, port, id)
		from, port = id, "next"
	}
	return fmt.Sprintf(`{"nodes": [%s], "edges": [%s]}`, nodes, edges)
}

const boughtMuch = `{"mode": "event", "event": {"name": "bought", "where": {"field": "total", "op": "gte", "value": 20}}}`

// quietNow makes the three hours from nine on quiet in the workspace.
func quietNow(w *spinetest.World) {
	w.Exec(`UPDATE workspaces SET quiet_hours = '[{"from": "08:00", "to": "12:00"}]' WHERE id = $1`, w.Workspace)
}

func ended(refs []events.RunRef) []uuid.UUID {
	ids := make([]uuid.UUID, len(refs))
	for i, ref := range refs {
		ids[i] = ref.Run
	}
	return ids
}

const (
	unsent = "SELECT count(*) FROM messages WHERE status IN ('queued', 'held')"
	void   = "SELECT count(*) FROM messages WHERE status = 'skipped' AND reason = 'void'"
)

func TestAGoalTakesBackWhatHasNotLeftAfterTheEndOfTheWay(t *testing.T) {
	t.Parallel()
	much := map[string]any{"total": 30}
	for what, c := range map[string]struct {
		graph   string
		hold    func(*spinetest.World)
		happens func(*spinetest.World) events.Outcome
		sent    []string
		run     string // state, reason and goal
	}{
		"held by quiet hours of the workspace": {hold: quietNow, run: "done goal goal"},
		"held by quiet hours of the funnel": {run: "done goal goal", graph: strings.NewReplacer(
			`{"id": "mail",`, `{"id": "quiet", "kind": "quiet_hours", "config": {"from": "08:00", "to": "12:00"}}, {"id": "mail",`,
			`"to": "mail"}`, `"to": "quiet"}, {"from": "quiet", "port": "next", "to": "mail"}`).Replace(offer(once, boughtMuch))},
		"held by the cap": {run: "done goal goal", hold: func(w *spinetest.World) {
			w.Exec(`UPDATE workspaces SET frequency_caps = '{"email": {"count": 1, "per": 2}}' WHERE id = $1`, w.Workspace)
			w.Funnel("other", line("before", once, "mail:other"))
			w.Event("jan@example.com", "before", nil)
			w.Settle()
		}, sent: []string{"other 03-23 09:00:00"}},
		"seen in the outbox": {run: "done goal goal", hold: func(w *spinetest.World) { w.Exec("UPDATE workspaces SET outbox_minutes = 60") }},
		"held in the outbox": {run: "done goal goal", hold: func(w *spinetest.World) { w.Exec("UPDATE workspaces SET outbox_minutes = 10") }},
		"held by a pause":    {run: "done goal goal", hold: func(w *spinetest.World) { w.Exec("UPDATE workspaces SET paused_at = $1", storetest.Now) }},
		"a rule that is true": {hold: quietNow, run: "done goal goal", graph: offer(once, `{"mode": "rule", "rule": {"tag": "tag:buyer"}}`), happens: func(w *spinetest.World) (o events.Outcome) {
			var contact uuid.UUID
			require.NoError(w, w.Pool.QueryRow(w.Context(), "SELECT id FROM contacts").Scan(&contact))
			_, err := w.People.AddTag(w.Context(), w.Workspace, contact, "buyer")
			require.NoError(w, err)
			return o
		}},
		"closing steps go their way": {hold: quietNow, run: "done goal goal", graph: offer(once, boughtMuch, "wait", anHour, "send_email", `{"creative": "creative:thanks", "class": "transactional"}`),
			sent: []string{"thanks 03-23 10:30:00"}},
		"another event is no goal": {hold: quietNow, run: "done finished ", sent: []string{"offer 03-23 12:00:00"}, happens: func(w *spinetest.World) events.Outcome {
			return w.Event("jan@example.com", "bought", map[string]any{"total": 5})
		}},
		"an event of another key is no goal": {hold: quietNow, graph: offer(`{"rule": "each", "key": "cart"}`, boughtMuch), run: "done finished ", sent: []string{"offer 03-23 12:00:00"},
			happens: func(w *spinetest.World) events.Outcome {
				o := w.Event("jan@example.com", "bought", map[string]any{"total": 30, "cart": "two"})
				require.Empty(w, o.Woke)
				return o
			}},
		"an event of the key is": {hold: quietNow, graph: offer(`{"rule": "each", "key": "cart"}`, boughtMuch), run: "done goal goal", happens: func(w *spinetest.World) events.Outcome {
			return w.Event("jan@example.com", "bought", map[string]any{"total": 30, "cart": "one"})
		}},
		"transactional mail leaves": {run: "done finished ", graph: strings.Replace(offer(once, boughtMuch), `"creative:offer"`, `"creative:offer", "class": "transactional"`, 1),
			hold: func(w *spinetest.World) { w.Exec("UPDATE workspaces SET paused_at = $1", storetest.Now) }, sent: []string{"offer 03-23 12:00:00"},
			happens: func(w *spinetest.World) events.Outcome {
				o := w.Event("jan@example.com", "bought", map[string]any{"total": 30})
				require.Empty(w, o.Woke)
				return o
			}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := spinetest.New(t)
			w.Contact("jan@example.com")
			graph := c.graph
			if graph == "" {
				graph = offer(once, boughtMuch)
			}
			w.Funnel("offers", graph)
			if c.hold != nil {
				c.hold(w)
			}
			started := w.Event("jan@example.com", "go", map[string]any{"cart": "one"}).Started
			w.Settle()
			if what == "held in the outbox" {
				w.Exec("UPDATE messages SET status = 'held', reason = 'held'")
			}
			w.To(storetest.Now.Add(30 * time.Minute))
			require.Equal(t, 1, w.Count(unsent))
			require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE status = 'done' AND id = $1", started[0].Run))
			ended := w.Count("SELECT count(*) FROM runs WHERE ended_at = $1", storetest.Now)
			if c.happens == nil {
				require.Equal(t, started, w.Event("jan@example.com", "bought", much).Woke)
			} else {
				c.happens(w)
			}
			w.Settle()
			w.To(storetest.Now.Add(3 * time.Hour).Add(-time.Microsecond))
			if strings.HasSuffix(c.run, " goal") {
				require.Equal(t, 1, w.Count(void))
			} else {
				require.Equal(t, ended, w.Count("SELECT count(*) FROM runs WHERE ended_at = $1", storetest.Now), "and it counts as ended since then")
			}
			w.To(storetest.Now.Add(3 * time.Hour))
			w.Exec("UPDATE workspaces SET paused_at = NULL")
			w.Exec("UPDATE messages SET next_attempt_at = due_at WHERE status = 'queued'")
			w.To(storetest.Now.AddDate(0, 0, 1))
			require.Equal(t, c.sent, w.Sent("jan@example.com"))
			require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE id = $1 AND status || ' ' || end_reason || ' ' || goal = $2", started[0].Run, c.run))
			require.Zero(t, w.Count("SELECT count(*) FROM signals"))
			w.Audit()
		})
	}
}

func TestARestartTakesBackWhatTheLastRunHasNotSent(t *testing.T) {
	t.Parallel()
	for rule, c := range map[string]struct {
		sent []string
		void int
	}{
		"restart":    {[]string{"offer 03-23 12:00:00"}, 1},
		"after_exit": {[]string{"offer 03-23 12:00:00", "offer 03-23 12:00:00"}, 0},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			w := spinetest.New(t)
			quietNow(w)
			w.Contact("jan@example.com")
			w.Funnel("offers", offer(fmt.Sprintf(`{"rule": %q}`, rule), boughtMuch))
			first := w.Event("jan@example.com", "go", nil).Started
			w.To(storetest.Now.Add(30 * time.Minute))
			again := w.Event("jan@example.com", "go", nil)
			require.Len(t, again.Started, 1)
			require.Len(t, again.Ended, c.void)
			if c.void > 0 {
				require.Equal(t, first, again.Ended)
				require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE id = $1 AND status = 'exited' AND end_reason = 'replaced'", first[0].Run))
			}
			require.Equal(t, c.void, w.Count(void))
			w.To(storetest.Now.AddDate(0, 0, 1))
			require.Equal(t, c.sent, w.Sent("jan@example.com"))
			w.Audit()
		})
	}
}

func TestLeavingAFunnelTakesBackWhatItHasNotSent(t *testing.T) {
	t.Parallel()
	for how, c := range map[string]struct {
		exit string // of the step
		void int
	}{
		"named":   {`{"which": "named", "funnel": "funnel:offers"}`, 1},
		"all":     {`{"which": "all"}`, 2},
		"this":    {`{"which": "this"}`, 0},
		"by hand": {"", 1},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := spinetest.New(t)
			quietNow(w)
			w.Contact("jan@example.com")
			w.Contact("eva@example.com")
			w.Funnel("others", line("go", once, "mail:other"))
			w.Funnel("offers", offer(once, boughtMuch))
			w.Event("eva@example.com", "go", nil)
			started := w.Event("jan@example.com", "go", nil).Started
			w.To(storetest.Now.Add(30 * time.Minute))
			if c.exit != "" {
				w.Funnel("gate", steps("out", "exit_funnel", c.exit))
				w.Event("jan@example.com", "out", nil)
				w.Settle()
			} else {
				require.NoError(t, w.Runner.End(t.Context(), w.Workspace, started[len(started)-1].Run))
			}
			require.Equal(t, c.void, w.Count(void))
			require.Equal(t, c.void, w.Count("SELECT count(*) FROM runs WHERE status = 'exited' AND id = ANY($1)", ended(started)))
			w.To(storetest.Now.AddDate(0, 0, 1))
			require.Len(t, w.Sent("jan@example.com"), 2-c.void)
			require.Len(t, w.Sent("eva@example.com"), 2)
			w.Audit()
		})
	}
}

func TestAGoalOfAPausedFunnelIsReachedWhenItGoesOn(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Contact("jan@example.com")
	quietNow(w)
	funnel := w.Funnel("offers", offer(once, boughtMuch, "add_tag", `{"tag": "tag:buyer"}`))
	w.Event("jan@example.com", "go", nil)
	w.Settle()
	w.Exec("UPDATE funnels SET state = 'paused'")
	w.Event("jan@example.com", "bought", map[string]any{"total": 30})
	w.To(storetest.Now.Add(4 * time.Hour))
	require.Empty(t, tags(t, w, "jan@example.com"), "nobody goes on in a paused funnel")
	w.Audit()
	w.Exec("UPDATE funnels SET state = 'live'")
	w.Tx(func(tx store.Tx) error {
		_, err := runs.Resume(t.Context(), tx, w.Workspace, funnel)
		return err
	})
	w.Settle()
	require.Equal(t, []string{"buyer"}, tags(t, w, "jan@example.com"))
	require.Empty(t, w.Sent("jan@example.com"))
	require.Equal(t, 1, w.Count(void))
	w.Audit()
}

func TestAFunnelThatIsStoppedHearsNoMore(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Contact("jan@example.com")
	quietNow(w)
	funnel := w.Funnel("offers", offer(once, boughtMuch))
	w.Event("jan@example.com", "go", nil)
	w.Settle()
	w.Event("jan@example.com", "bought", map[string]any{"total": 5})
	w.Exec("UPDATE funnels SET state = 'stopped' WHERE id = $1", funnel)
	require.Empty(t, w.Event("jan@example.com", "bought", map[string]any{"total": 30}).Woke)
	w.To(storetest.Now.AddDate(0, 0, 1))
	require.Empty(t, w.Sent("jan@example.com"))
	w.Audit()
}

package runner_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/engine"
)

// entering is a world in which funnels may call each other.
func entering(t *testing.T) *spinetest.World {
	t.Helper()
	w := spinetest.New(t)
	w.Calls.Inside(engine.KindEnterFunnel, w.Reactor.Enter)
	return w
}

// callable is a funnel that starts by hand and sends one mail, after an hour where it says so.
func callable(creative, reentry string, waits bool) string {
	mail := fmt.Sprintf(`{"id": "mail", "kind": "send_email", "config": {"creative": "creative:%s"}}`, creative)
	entry := fmt.Sprintf(`{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "manual"}], "reentry": {"rule": %q}}}`, reentry)
	if !waits {
		return `{"nodes": [` + entry + `, ` + mail + `], "edges": [{"from": "in", "port": "next", "to": "mail"}]}`
	}
	return `{"nodes": [` + entry + `, {"id": "hour", "kind": "wait", "config": {"mode": "duration", "for": {"amount": 1, "unit": "hours"}}}, ` + mail + `],
		"edges": [{"from": "in", "port": "next", "to": "hour"}, {"from": "hour", "port": "next", "to": "mail"}]}`
}

// caller is a funnel that calls another one and then tags the person by how that went.
func caller(trigger, config string) string {
	return fmt.Sprintf(`{"nodes": [{"id": "in", "kind": "entry", "config": {"triggers": [%s], "reentry": {"rule": "after_exit"}}}, {"id": "call", "kind": "enter_funnel", "config": %s},
		{"id": "yes", "kind": "add_tag", "config": {"tag": "tag:entered"}}, {"id": "no", "kind": "add_tag", "config": {"tag": "tag:refused"}}],
		"edges": [{"from": "in", "port": "next", "to": "call"}, {"from": "call", "port": "entered", "to": "yes"}, {"from": "call", "port": "refused", "to": "no"}]}`, trigger, config)
}

func on(event string) string { return fmt.Sprintf(`{"kind": "api_event", "name": %q}`, event) }

func tags(t *testing.T, w *spinetest.World, email string) (tags []string) {
	t.Helper()
	require.NoError(t, w.Pool.QueryRow(t.Context(), "SELECT tags FROM contacts WHERE workspace_id = $1 AND email = $2", w.Workspace, email).Scan(&tags))
	return tags
}

func TestFourFunnelsCallOneAndAllSeeItsEdit(t *testing.T) {
	t.Parallel()
	w := entering(t)
	welcome := w.Funnel("welcome", callable("first", "after_exit", false))
	for i := range 4 {
		w.Funnel(fmt.Sprintf("caller%d", i), caller(on(fmt.Sprintf("go%d", i)), `{"funnel": "funnel:welcome"}`))
		w.Contact(fmt.Sprintf("p%d@example.com", i))
		w.Event(fmt.Sprintf("p%d@example.com", i), fmt.Sprintf("go%d", i), nil)
	}
	w.Settle()
	w.Publish(welcome, callable("second", "after_exit", false))
	w.To(storetest.Now.Add(time.Hour))
	for i := range 4 {
		w.Event(fmt.Sprintf("p%d@example.com", i), fmt.Sprintf("go%d", i), nil)
	}
	w.Settle()
	first, second := "first "+storetest.Now.UTC().Format("01-02 15:04:05"), "second "+storetest.Now.Add(time.Hour).UTC().Format("01-02 15:04:05")
	for i := range 4 {
		require.Equal(t, []string{first, second}, w.Sent(fmt.Sprintf("p%d@example.com", i)))
	}
	require.Equal(t, 8, w.Count("SELECT count(*) FROM events WHERE workspace_id = $1 AND name = 'funnel_called'", w.Workspace))
	w.Audit()
}

func TestACallerWaitsUntilTheOtherFunnelEndsHoweverItEnds(t *testing.T) {
	t.Parallel()
	w := entering(t)
	other := w.Funnel("other", callable("letter", "after_exit", true))
	w.Funnel("caller", caller(on("go"), `{"funnel": "funnel:other", "vars": [{"name": "plan", "value": "{{ event.plan }}"}], "wait": true}`))
	for _, who := range []string{"finishes", "ended"} {
		w.Contact(who + "@example.com")
		w.Event(who+"@example.com", "go", map[string]any{"plan": "gold"})
	}
	w.To(storetest.Now.Add(30 * time.Minute))
	require.Empty(t, tags(t, w, "finishes@example.com"))
	require.Equal(t, 2, w.Count("SELECT count(*) FROM runs WHERE workspace_id = $1 AND funnel_id = $2 AND vars ->> 'plan' = 'gold' AND caller_run IS NOT NULL", w.Workspace, other))
	var run [16]byte
	require.NoError(t, w.Pool.QueryRow(t.Context(), `SELECT r.id FROM runs r JOIN contacts c ON c.workspace_id = r.workspace_id AND c.id = r.contact_id
		WHERE r.workspace_id = $1 AND r.funnel_id = $2 AND c.email = 'ended@example.com'`, w.Workspace, other).Scan(&run))
	require.NoError(t, w.Runner.End(t.Context(), w.Workspace, run))
	w.Settle()
	require.Equal(t, []string{"entered"}, tags(t, w, "ended@example.com"))
	w.Jump(storetest.Now.Add(9 * time.Hour)) // the worker is late, and nothing drifts for that
	w.Settle()
	require.Equal(t, []string{"entered"}, tags(t, w, "finishes@example.com"))
	require.Equal(t, 1, w.Count(`SELECT count(*) FROM journal j JOIN runs r ON r.workspace_id = j.workspace_id AND r.id = j.run_id
		WHERE j.workspace_id = $1 AND j.node = 'call' AND j.port = 'entered' AND j.at = $2 AND j.detail ->> 'ended' = 'finished'`, w.Workspace, storetest.Now.Add(time.Hour)))
	w.Audit()
}

func TestAFunnelThatIsCalledMayRefuse(t *testing.T) {
	t.Parallel()
	for why, c := range map[string]struct {
		graph string
		then  string // what to do before the call, in SQL
	}{
		"once":         {graph: callable("letter", "once", false)},
		"active":       {graph: callable("letter", "after_exit", true)},
		"paused":       {callable("letter", "after_exit", false), "UPDATE funnels SET state = 'paused' WHERE slug = 'other'"},
		"no_funnel":    {callable("letter", "after_exit", false), "UPDATE funnels SET state = 'stopped' WHERE slug = 'other'"},
		"not_callable": {graph: steps("elsewhere", "send_email", letterStep)},
		"filter": {graph: `{"nodes": [{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "manual"}], "filter": {"tag": "tag:vip"}}}, {"id": "mail", "kind": "send_email", "config": ` + letterStep + `}],
			"edges": [{"from": "in", "port": "next", "to": "mail"}]}`},
		"goal_reached": {graph: `{"nodes": [{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "manual"}]}}, {"id": "goal", "kind": "goal", "config": {"mode": "rule", "rule": {"not": {"tag": "tag:vip"}}}},
			{"id": "mail", "kind": "send_email", "config": ` + letterStep + `}], "edges": [{"from": "in", "port": "next", "to": "mail"}]}`},
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			w := entering(t)
			other := w.Funnel("other", c.graph)
			w.Funnel("caller", caller(on("go"), `{"funnel": "funnel:other"}`))
			id := w.Contact("a@example.com")
			if why == "once" || why == "active" {
				w.Tx(func(tx store.Tx) error {
					_, err := w.Reactor.Start(t.Context(), tx, w.Workspace, id, other)
					return err
				})
				w.Settle()
			}
			if c.then != "" {
				w.Exec(c.then)
			}
			w.Event("a@example.com", "go", nil)
			w.Settle()
			require.Equal(t, []string{"refused"}, tags(t, w, "a@example.com"))
			require.Equal(t, 1, w.Count("SELECT count(*) FROM journal WHERE workspace_id = $1 AND port = 'refused' AND detail ->> 'refused' = $2", w.Workspace, why))
			w.AuditBusy()
		})
	}
}

// Two funnels that were published at once and call each other got past the validator: the chain stops at ten.
func TestARingOfCallersStopsAtDepthTen(t *testing.T) {
	t.Parallel()
	w := entering(t)
	w.Funnel("ping", caller(on("go")+`, {"kind": "manual"}`, `{"funnel": "funnel:pong"}`))
	w.Funnel("pong", caller(`{"kind": "manual"}`, `{"funnel": "funnel:ping"}`))
	w.Contact("a@example.com")
	w.Event("a@example.com", "go", nil)
	w.Settle()
	require.Equal(t, 11, w.Count("SELECT count(*) FROM runs WHERE workspace_id = $1", w.Workspace), "the first and ten that were called")
	require.Equal(t, 10, w.Count("SELECT max(chain)::int FROM runs WHERE workspace_id = $1", w.Workspace))
	require.Equal(t, 1, w.Count("SELECT count(*) FROM journal WHERE workspace_id = $1 AND port = 'refused' AND detail ->> 'refused' = 'chain_limit'", w.Workspace))
	w.Audit()
}

func TestACallWaitsForNobodyWhoIsErased(t *testing.T) {
	t.Parallel()
	w := entering(t)
	w.Funnel("other", callable("letter", "after_exit", true))
	w.Funnel("caller", caller(on("go"), `{"funnel": "funnel:other", "wait": true}`))
	id := w.Contact("a@example.com")
	w.Event("a@example.com", "go", nil)
	w.Settle()
	_, err := w.People.Upsert(t.Context(), w.Workspace, people.Input{Email: "a@example.com"}, "test")
	require.NoError(t, err)
	require.NoError(t, w.People.Erase(t.Context(), w.Workspace, id))
	w.To(storetest.Now.Add(3 * time.Hour))
	require.Zero(t, w.Count("SELECT count(*) FROM runs WHERE workspace_id = $1 AND status = 'active'", w.Workspace))
	w.Audit()
}

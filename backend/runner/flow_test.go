package runner_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store/storetest"
)

// steps is a funnel of steps one after the other, started by an event; each a kind and its config.
func steps(event string, pairs ...string) string {
	nodes := fmt.Sprintf(`{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": %q}]}}`, event)
	edges, from := "", "in"
	for i := 0; i < len(pairs); i += 2 {
		id := fmt.Sprintf("s%d", i/2+1)
		nodes += fmt.Sprintf(`, {"id": %q, "kind": %q, "config": %s}`, id, pairs[i], pairs[i+1])
		if edges != "" {
			edges += ", "
		}
		edges += fmt.Sprintf(`{"from": %q, "port": "next", "to": %q}`, from, id)
		from = id
	}
	return fmt.Sprintf(`{"nodes": [%s], "edges": [%s]}`, nodes, edges)
}

const letterStep = `{"creative": "creative:letter"}`

func TestAThrottleLetsSoManyThroughInEachPeriodInOrderOfArrival(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Funnel("few", steps("go", "throttle", `{"count": 2, "per": {"amount": 1, "unit": "hours"}}`, "send_email", letterStep))
	for i := range 5 {
		w.Contact(fmt.Sprintf("p%d@example.com", i))
		w.Event(fmt.Sprintf("p%d@example.com", i), "go", nil)
		w.Settle()
	}
	w.Jump(storetest.Now.Add(30 * time.Minute))
	w.Contact("late@example.com")
	w.Event("late@example.com", "go", nil)
	w.To(storetest.Now.Add(5 * time.Hour))
	at := func(d time.Duration) []string {
		return []string{"letter " + storetest.Now.Add(d).UTC().Format("01-02 15:04:05")}
	}
	require.Equal(t, at(0), w.Sent("p0@example.com"))
	require.Equal(t, at(0), w.Sent("p1@example.com"))
	require.Equal(t, at(time.Hour), w.Sent("p2@example.com"))
	require.Equal(t, at(time.Hour), w.Sent("p3@example.com"))
	require.Equal(t, at(2*time.Hour), w.Sent("p4@example.com"))
	require.Equal(t, at(2*time.Hour), w.Sent("late@example.com"))
	w.Audit()
}

func TestATicketOfARunThatEndsGoesToTheNextWhoComes(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	graph := steps("go", "throttle", `{"count": 1, "per": {"amount": 1, "unit": "hours"}}`, "send_email", letterStep)
	graph = graph[:len(`{"nodes": [`)] + `{"id": "goal", "kind": "goal", "config": {"mode": "event", "event": {"name": "bought"}}}, ` + graph[len(`{"nodes": [`):]
	w.Funnel("few", graph)
	for _, name := range []string{"a", "b", "c", "d"} { // slots at 0, 1, 2 and 3 hours
		w.Contact(name + "@example.com")
		w.Event(name+"@example.com", "go", nil)
		w.Settle()
	}
	w.Event("b@example.com", "bought", nil) // gives back the slot of one hour
	w.Settle()
	c := uuid.UUID{}
	require.NoError(t, w.Pool.QueryRow(t.Context(), `SELECT r.id FROM runs r JOIN contacts c ON c.workspace_id = r.workspace_id AND c.id = r.contact_id
		WHERE r.workspace_id = $1 AND c.email = 'c@example.com'`, w.Workspace).Scan(&c))
	require.NoError(t, w.Runner.End(t.Context(), w.Workspace, c)) // and the one of two hours
	for _, name := range []string{"e", "f", "g"} {
		w.Contact(name + "@example.com")
		w.Event(name+"@example.com", "go", nil)
		w.Settle()
	}
	w.To(storetest.Now.Add(10 * time.Hour))
	for name, hours := range map[string]int{"a": 0, "d": 3, "e": 1, "f": 2, "g": 4} {
		require.Equal(t, []string{"letter " + storetest.Now.Add(time.Duration(hours)*time.Hour).UTC().Format("01-02 15:04:05")}, w.Sent(name+"@example.com"), name)
	}
	require.Empty(t, w.Sent("b@example.com"))
	require.Empty(t, w.Sent("c@example.com"))
	w.Contact("h@example.com")
	w.Event("h@example.com", "go", nil)
	w.Settle()
	require.Equal(t, 1, w.Count("SELECT count(*) FROM tickets"), "tickets nothing depends on any more are removed")
	w.Audit()
}

func TestTenThousandArrivalsGetTheirSlotsInOneSweep(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	const people = 10_000
	funnel := w.Funnel("few", steps("go", "throttle", `{"count": 1000, "per": {"amount": 1, "unit": "hours"}}`, "wait", `{"mode": "duration", "for": {"amount": 30, "unit": "days"}}`))
	w.Exec(`INSERT INTO contacts (workspace_id, id, first_name, last_name, name_folded, last_name_folded, zone, language, fields, tags, lists, source, external_id, created_at, updated_at)
		SELECT $1, gen_random_uuid(), '', '', '', '', '', '', '{}', '{}', '{}', 'test', 'x' || n, $2, $2 FROM generate_series(1, $3::int) AS n`, w.Workspace, storetest.Now, people)
	w.Exec(`INSERT INTO runs (workspace_id, id, funnel_id, version_id, contact_id, node, seq, status, lane, wake_at, at, started_at, occurrence)
		SELECT $1, gen_random_uuid(), $2, f.live_version, c.id, 'in', 0, 'active', 1, $3, $3, $3, 'test' FROM contacts c JOIN funnels f ON f.workspace_id = $1 AND f.id = $2
		WHERE c.workspace_id = $1`, w.Workspace, funnel, storetest.Now)
	w.Settle()
	require.Equal(t, 10, w.Count("SELECT count(DISTINCT slot) FROM tickets WHERE workspace_id = $1", w.Workspace))
	require.Equal(t, 1000, w.Count("SELECT max(n)::int FROM (SELECT count(*) AS n FROM tickets WHERE workspace_id = $1 GROUP BY slot) AS x", w.Workspace))
	require.Equal(t, 9000, w.Count("SELECT count(*) FROM runs WHERE workspace_id = $1 AND node = 's1' AND wake_at > $2", w.Workspace, storetest.Now))
	w.Audit()
}

func TestAStepTakesPeopleOutOfFunnels(t *testing.T) {
	t.Parallel()
	for which, left := range map[string][]string{
		`{"which": "this"}`:                            {"gate"},
		`{"which": "named", "funnel": "funnel:other"}`: {"other"},
		`{"which": "named", "funnel": "funnel:gate"}`:  {"gate"},
		`{"which": "all"}`:                             {"gate", "other", "third"},
	} {
		t.Run(which, func(t *testing.T) {
			t.Parallel()
			w := spinetest.New(t)
			rest := []string{"wait", `{"mode": "duration", "for": {"amount": 1, "unit": "days"}}`, "send_email", letterStep}
			w.Funnel("other", steps("go", rest...))
			w.Funnel("third", steps("go", rest...))
			w.Funnel("gate", steps("go", "wait", `{"mode": "duration", "for": {"amount": 1, "unit": "hours"}}`, "exit_funnel", which))
			w.Contact("a@example.com")
			w.Contact("b@example.com")
			w.Event("a@example.com", "go", nil)
			w.Funnel("untouched", steps("went", rest...))
			w.Event("b@example.com", "went", nil)
			w.To(storetest.Now.Add(2 * time.Hour))
			rows, err := w.Pool.Query(t.Context(), `SELECT f.slug FROM runs r JOIN funnels f ON f.workspace_id = r.workspace_id AND f.id = r.funnel_id
				WHERE r.workspace_id = $1 AND r.end_reason = 'left' ORDER BY f.slug`, w.Workspace)
			require.NoError(t, err)
			var slugs []string
			for rows.Next() {
				var slug string
				require.NoError(t, rows.Scan(&slug))
				slugs = append(slugs, slug)
			}
			require.Equal(t, left, slugs)
			w.Audit()
			w.To(storetest.Now.AddDate(0, 0, 3))
			require.Len(t, w.Sent("b@example.com"), 1)
			w.Audit()
		})
	}
}

func TestListStepsAreSeenAtOnceAndTellTheirEvents(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Exec(`INSERT INTO lists (workspace_id, slug, name, description, created_at) VALUES ($1, 'club', 'Club', '', $2)`, w.Workspace, storetest.Now)
	id := w.Contact("a@example.com")
	w.Funnel("welcome", `{"nodes": [{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "list_join", "list": "list:club"}]}}, {"id": "mail", "kind": "send_email", "config": `+letterStep+`}],
		"edges": [{"from": "in", "port": "next", "to": "mail"}]}`)
	w.Funnel("join", steps("go", "add_to_list", `{"list": "list:club"}`, "add_to_list", `{"list": "list:gone"}`, "wait", `{"mode": "duration", "for": {"amount": 1, "unit": "days"}}`, "remove_from_list", `{"list": "list:club"}`))
	w.Event("a@example.com", "go", nil)
	w.Settle()
	contact, err := w.People.Get(t.Context(), w.Workspace, id)
	require.NoError(t, err)
	require.Equal(t, []string{"club"}, contact.Lists, "a list that is not there any more stops nothing else")
	require.Len(t, w.Sent("a@example.com"), 1)
	w.To(storetest.Now.AddDate(0, 0, 2))
	contact, err = w.People.Get(t.Context(), w.Workspace, id)
	require.NoError(t, err)
	require.Empty(t, contact.Lists)
	require.Equal(t, 1, w.Count("SELECT count(*) FROM events WHERE workspace_id = $1 AND name = 'list_left'", w.Workspace))
	w.Audit()
}

func TestAWaitForAPersonsDateFollowsTheDateAndTheZone(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Exec(`INSERT INTO field_defs (workspace_id, key, type, label, created_at) VALUES ($1, 'trip', 'date', 'Trip', $2)`, w.Workspace, storetest.Now)
	w.Funnel("trip", steps("go", "wait", `{"mode": "date_field", "field": "field:trip", "offset": {"amount": 2, "unit": "days", "direction": "before"}, "at": "09:00"}`, "send_email", letterStep))
	patch := func(email string, in people.Input) {
		in.Email = email
		_, err := w.People.Upsert(t.Context(), w.Workspace, in, "test")
		require.NoError(t, err)
	}
	day := func(n int) string { return storetest.Now.AddDate(0, 0, n).Format("2006-01-02") }
	nine := func(n int, zone string) []string {
		place, err := time.LoadLocation(zone)
		require.NoError(t, err)
		y, m, d := storetest.Now.AddDate(0, 0, n).Date()
		return []string{"letter " + time.Date(y, m, d, 9, 0, 0, 0, place).UTC().Format("01-02 15:04:05")}
	}
	for _, who := range []string{"stays", "moves", "travels", "loses", "none", "past"} {
		w.Contact(who + "@example.com")
		if who != "none" {
			patch(who+"@example.com", people.Input{Fields: map[string]any{"trip": day(10)}})
		}
	}
	patch("past@example.com", people.Input{Fields: map[string]any{"trip": day(-1)}})
	for _, who := range []string{"stays", "moves", "travels", "loses", "none", "past"} {
		w.Event(who+"@example.com", "go", nil)
	}
	w.To(storetest.Now.AddDate(0, 0, 1))
	for _, who := range []string{"none", "past"} {
		require.Equal(t, []string{"letter " + storetest.Now.UTC().Format("01-02 15:04:05")}, w.Sent(who+"@example.com"), who)
	}
	patch("moves@example.com", people.Input{Fields: map[string]any{"trip": day(6)}})
	patch("travels@example.com", people.Input{Zone: new("Asia/Tokyo")})
	patch("loses@example.com", people.Input{Fields: map[string]any{"trip": nil}})
	w.To(storetest.Now.AddDate(0, 0, 12))
	require.Equal(t, nine(8, "UTC"), w.Sent("stays@example.com"))
	require.Equal(t, nine(4, "UTC"), w.Sent("moves@example.com"))
	require.Equal(t, nine(8, "Asia/Tokyo"), w.Sent("travels@example.com"))
	require.Equal(t, []string{"letter " + storetest.Now.AddDate(0, 0, 1).UTC().Format("01-02 15:04:05")}, w.Sent("loses@example.com"))
	require.Equal(t, 1, w.Count(`SELECT count(*) FROM journal j JOIN runs r ON r.workspace_id = j.workspace_id AND r.id = j.run_id JOIN contacts c ON c.workspace_id = r.workspace_id AND c.id = r.contact_id
		WHERE c.email = 'none@example.com' AND j.detail ->> 'missing' = 'true'`))
	require.Equal(t, 1, w.Count(`SELECT count(*) FROM journal j JOIN runs r ON r.workspace_id = j.workspace_id AND r.id = j.run_id JOIN contacts c ON c.workspace_id = r.workspace_id AND c.id = r.contact_id
		WHERE c.email = 'past@example.com' AND j.detail ->> 'passed' = 'true'`))
	w.Audit()
}

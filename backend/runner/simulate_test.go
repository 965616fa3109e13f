package runner_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/engine"
)

// TestASimulationTellsWhatHappens draws funnels and what a person does, simulates them, and then lets them happen. Steps, ports and instants,
// messages and the end must be the same: what the editor shows before publishing is a promise.
func TestASimulationTellsWhatHappens(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	type life struct {
		email, graph string
		want         []string
	}
	var lives []life
	type happening struct {
		at    time.Time
		order int
		in    events.Incoming
	}
	var story []happening
	until := storetest.Now.AddDate(0, 1, 0)
	for i := range 60 {
		chance := rand.New(rand.NewPCG(7, uint64(i)))
		graph := drawn(chance, fmt.Sprintf("go%d", i))
		email := fmt.Sprintf("p%d@example.com", i)
		contact := engine.Contact{
			ID: w.Contact(email).String(), Fields: map[string]any{"email": email}, Consents: []engine.Consent{{Channel: "email", State: "granted"}},
		}
		bundle := engine.Bundle{Creatives: map[string]engine.Creative{"letter": {Channel: "email", Subject: "letter"}}}
		require.NoError(t, json.Unmarshal([]byte(graph), &bundle.Graph))
		bundle.Graph.Schema = engine.SchemaVersion
		w.Funnel(fmt.Sprintf("f%d", i), graph)

		start := engine.Event{Name: fmt.Sprintf("go%d", i), At: storetest.Now.Add(time.Hour), Props: map[string]any{"total": float64(chance.IntN(100))}}
		in := engine.SimInput{Contact: contact, Event: &start, Start: start.At, Until: until}
		all := []engine.Event{start}
		for range chance.IntN(7) {
			// Whole and half hours, so that some meet the end of a wait to the microsecond.
			e := engine.Event{
				At:   start.At.Add(time.Duration(1+chance.IntN(200)) * 30 * time.Minute),
				Name: []string{"buy", "look", start.Name}[chance.IntN(3)], Props: map[string]any{"total": float64(chance.IntN(100))},
			}
			in.Events, all = append(in.Events, e), append(all, e)
		}
		line, err := engine.Simulate(bundle, in)
		require.NoError(t, err, graph)
		for n, e := range all {
			if e.Name == start.Name && !line.EndedAt.IsZero() && e.At.After(line.EndedAt) {
				continue // a simulation follows one person until the run is over; this would begin another
			}
			story = append(story, happening{e.At, n, events.Incoming{Who: people.Input{Email: email}, Name: e.Name, Props: e.Props}})
		}
		lives = append(lives, life{email, fmt.Sprintf("%s\n%v", graph, all), told(line)})
	}
	slices.SortStableFunc(story, func(a, b happening) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return a.order - b.order
	})
	for _, h := range story {
		w.To(h.at.Add(-time.Microsecond))
		require.NoError(t, w.Clock.SetNow(t.Context(), h.at))
		w.Events(h.in)
	}
	w.To(clock.Micro(until))
	w.Audit()
	for i, l := range lives {
		require.Equal(t, strings.Join(l.want, "\n"), strings.Join(happened(t, w, l.email), "\n"), "funnel %d: %s", i, l.graph)
	}
}

const second = "2006-01-02 15:04:05.999999"

func told(line engine.Timeline) (list []string) {
	for _, v := range line.Visits {
		list = append(list, fmt.Sprintf("%s %s.%s", v.At.UTC().Format(second), v.Node, v.Port))
	}
	for _, m := range line.Messages {
		list = append(list, fmt.Sprintf("mail %s %s %s", m.At.UTC().Format(second), m.Node, m.Skipped))
	}
	return append(list, strings.TrimSpace(fmt.Sprintf("%s %s", line.Status, line.Reason)))
}

// happened is the same as the database tells it, the runs of a restart one after the other.
func happened(t *testing.T, w *spinetest.World, email string) (list []string) {
	t.Helper()
	const mine = ` FROM runs r JOIN contacts c ON c.workspace_id = r.workspace_id AND c.id = r.contact_id AND c.email = $2 `
	for _, query := range []string{
		`SELECT j.at, j.node || '.' || j.port` + mine + `JOIN journal j ON j.workspace_id = r.workspace_id AND j.run_id = r.id WHERE r.workspace_id = $1 ORDER BY r.id, j.seq`,
		`SELECT m.due_at, m.node || ' ' || CASE WHEN m.status = 'sent' THEN '' ELSE m.status || ' ' || coalesce(m.reason, '') END` + mine + `JOIN messages m ON m.workspace_id = r.workspace_id AND m.run_id = r.id WHERE r.workspace_id = $1 ORDER BY r.id, m.seq`,
	} {
		rows, err := w.Pool.Query(t.Context(), query, w.Workspace, email)
		require.NoError(t, err)
		for rows.Next() {
			var at time.Time
			var what string
			require.NoError(t, rows.Scan(&at, &what))
			text := at.UTC().Format(second) + " " + what
			if strings.Contains(query, "messages m") {
				text = "mail " + text
			}
			list = append(list, text)
		}
		require.NoError(t, rows.Err())
	}
	var end string
	require.NoError(t, w.Pool.QueryRow(t.Context(), `SELECT trim(r.status || ' ' || coalesce(r.end_reason, ''))`+mine+`WHERE r.workspace_id = $1 ORDER BY r.id DESC LIMIT 1`,
		w.Workspace, email).Scan(&end))
	return append(list, end)
}

// drawn is a funnel by chance: steps one after the other, each port to a later step or to the end, so that it is sound. No goal watches what a step
// does: whether a mail of the same instant is still there to be voided is a race between two workers.
func drawn(chance *rand.Rand, trigger string) string {
	pick := func(of ...string) string { return of[chance.IntN(len(of))] }
	span := func() string {
		return fmt.Sprintf(`{"amount": %d, "unit": %q}`, 1+chance.IntN(6), pick("hours", "hours", "days", "minutes"))
	}
	rule := func() string {
		return pick(`{"tag": "tag:a"}`, `{"not": {"tag": "tag:b"}}`, `{"event": {"name": "buy", "agg": "count", "op": "gte", "value": 1}}`,
			`{"event": {"name": "buy", "agg": "sum", "property": "total", "op": "gte", "value": 60, "within": {"amount": 1, "unit": "days"}}}`,
			`{"field": "event.total", "op": "gte", "value": 50}`)
	}
	reentry := pick(`{"rule": "once"}`, `{"rule": "once"}`, `{"rule": "restart"}`)
	nodes := []string{fmt.Sprintf(`{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": %q}], "reentry": %s}}`, trigger, reentry)}
	ports := [][]string{{"next"}}
	for i := range 3 + chance.IntN(7) {
		kind, config, out := "wait", fmt.Sprintf(`{"mode": "duration", "for": %s}`, span()), []string{"next"}
		switch chance.IntN(9) {
		case 0, 1:
			kind, config = "send_email", `{"creative": "creative:letter"}`
		case 2:
			kind, config, out = "condition", fmt.Sprintf(`{"rule": %s}`, rule()), []string{"yes", "no"}
		case 3:
			kind, config, out = "split", `{"arms": [{"id": "a", "label": "A", "weight": 50}, {"id": "b", "label": "B", "weight": 50}]}`, []string{"a", "b"}
		case 4:
			kind, config = pick("add_tag", "add_tag", "remove_tag"), fmt.Sprintf(`{"tag": %q}`, pick("tag:a", "tag:b"))
		case 5:
			config, out = fmt.Sprintf(`{"mode": "until_event", "event": {"name": "buy", "where": {"field": "total", "op": "gt", "value": 30}}, "timeout": %s}`, span()), []string{"next", "timeout"}
		case 6:
			config, out = fmt.Sprintf(`{"mode": "until_rule", "rule": %s, "timeout": %s}`, rule(), span()), []string{"next", "timeout"}
		case 7:
			config = pick(`{"mode": "duration", "for": {"amount": 1, "unit": "days"}, "at": "09:00"}`, `{"mode": "weekday", "weekdays": ["mon", "thu"], "at": "18:30"}`)
		}
		nodes = append(nodes, fmt.Sprintf(`{"id": "s%d", "kind": %q, "config": %s}`, i, kind, config))
		ports = append(ports, out)
	}
	var edges []string
	for i, out := range ports {
		for n, port := range out {
			to := i
			if n > 0 {
				to += chance.IntN(3)
			}
			if to < len(nodes)-1 {
				edges = append(edges, fmt.Sprintf(`{"from": %q, "port": %q, "to": "s%d"}`, id(i), port, to))
			}
		}
	}
	if chance.IntN(3) == 0 {
		nodes = append(nodes, fmt.Sprintf(`{"id": "goal", "kind": "goal", "config": %s}`,
			pick(`{"mode": "event", "event": {"name": "look", "where": {"field": "total", "op": "gt", "value": 20}}}`, `{"mode": "rule", "rule": {"event": {"name": "look", "agg": "count", "op": "gte", "value": 2}}}`)))
	}
	return fmt.Sprintf(`{"nodes": [%s], "edges": [%s]}`, strings.Join(nodes, ","), strings.Join(edges, ","))
}

func id(i int) string {
	if i == 0 {
		return "in"
	}
	return fmt.Sprintf("s%d", i-1)
}

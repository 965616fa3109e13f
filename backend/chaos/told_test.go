package chaos

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/segments"
	"github.com/lejek/lejek/engine"
)

const (
	crowd    = 300 // people whom time moves
	behind   = 100 * 24 * time.Hour
	starting = `{"schema": 1, "nodes": [{"id": "start", "kind": "entry", "name": "Start", "config": {"triggers": [%s], "reentry": {"rule": "once"}}},
		{"id": "wait-1", "kind": "wait", "name": "Ninety days", "config": {"mode": "duration", "for": {"amount": 90, "unit": "days"}}}],
		"edges": [{"from": "start", "port": "next", "to": "wait-1"}]}`
	silentRule = `{"all": [{"event": {"name": "buy"}}, {"event": {"name": "buy", "agg": "last", "op": "not_within_last", "value": {"amount": 90, "unit": "days"}}}]}`
)

// TestFault_03_AWorkerDiesWhileItTellsWhomTimeMoved kills the worker before its commit in the sweep of segments and in each lane of the
// agenda, in its first batch and in its second. Another worker goes on: everybody is told of once, and starts the funnel once.
func TestFault_03_AWorkerDiesWhileItTellsWhomTimeMoved(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		point   string
		trigger string
		event   string
		due     func(f *fleet) // makes everybody due
	}{
		"SegmentsFirstBatch":  {"segments.before_commit=exit", `{"kind": "segment_enter", "segment": "segment:silent"}`, engine.EventSegmentEntered, (*fleet).fallSilent},
		"SegmentsSecondBatch": {"segments.before_commit=exit@2", `{"kind": "segment_enter", "segment": "segment:silent"}`, engine.EventSegmentEntered, (*fleet).fallSilent},
		"DatesFirstBatch": {
			"agenda.before_commit=exit", `{"kind": "date_field", "field": "field:created_at", "offset": {"amount": 200, "unit": "days", "direction": "after"}}`, engine.EventDateReached, (*fleet).comeOfAge,
		},
		"DatesSecondBatch": {
			"agenda.before_commit=exit@2", `{"kind": "date_field", "field": "field:created_at", "offset": {"amount": 200, "unit": "days", "direction": "after"}}`, engine.EventDateReached, (*fleet).comeOfAge,
		},
		"ScheduleFirstBatch":  {"agenda.before_commit=exit", `{"kind": "schedule", "rrule": "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9", "audience": "list:all"}`, engine.EventScheduleDue, (*fleet).strike},
		"ScheduleSecondBatch": {"agenda.before_commit=exit@2", `{"kind": "schedule", "rrule": "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9", "audience": "list:all"}`, engine.EventScheduleDue, (*fleet).strike},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := raise(t, "")
			f.buyers()
			f.begin(fmt.Sprintf(starting, c.trigger))
			c.due(f)
			victim := f.start(map[string]string{"LEJEK_FAILPOINTS": c.point}, "worker")
			select {
			case <-victim.ended:
			case <-time.After(patience):
				t.Fatal("the failpoint was never reached")
			}
			f.worker("")
			f.until(patience, "everybody is in the wait", func() bool {
				return f.count("SELECT count(*) FROM runs WHERE funnel_id <> $1 AND node = 'wait-1'", f.funnel) >= crowd && f.count("SELECT count(*) FROM inbox") == 0
			})
			require.Equal(t, crowd, f.count("SELECT count(*) FROM events WHERE name = $1", c.event))
			require.Equal(t, crowd, f.count("SELECT count(DISTINCT contact_id) FROM events WHERE name = $1", c.event))
			require.Equal(t, crowd, f.count("SELECT count(*) FROM runs WHERE funnel_id <> $1", f.funnel))
			f.audit()
		})
	}
}

// buyers are people who all bought once, a hundred days ago, and are on one list.
func (f *fleet) buyers() {
	f.Helper()
	name := "Silent"
	f.exec("INSERT INTO lists (workspace_id, slug, name, description, created_at) VALUES ($1, 'all', 'All', '', $2)", f.workspace, f.now())
	_, err := f.app.Segments.Create(f.Context(), f.workspace, segments.Input{Name: &name, Rule: json.RawMessage(silentRule)})
	require.NoError(f, err)
	bought := clock.Micro(f.now().Add(-behind))
	f.exec(`INSERT INTO contacts (workspace_id, id, email, email_folded, first_name, last_name, name_folded, last_name_folded, zone, language, fields, tags, lists,
			source, created_at, updated_at)
		SELECT $1, id, id || '@example.com', id || '@example.com', 'Anna', '', 'anna', '', '', '', '{}', '{}', '{all}', 'api', $2::timestamptz, $2
		FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $3)) AS x`, f.workspace, bought, crowd)
	month := time.Date(bought.Year(), bought.Month(), 1, 0, 0, 0, 0, time.UTC)
	f.exec(fmt.Sprintf("CREATE TABLE IF NOT EXISTS events_%s PARTITION OF events FOR VALUES FROM ('%s') TO ('%s')",
		month.Format("2006_01"), month.Format(time.RFC3339), month.AddDate(0, 1, 0).Format(time.RFC3339)))
	f.exec(`INSERT INTO events (workspace_id, contact_id, name, at, received_at, source) SELECT workspace_id, id, 'buy', $2, $2, 'api' FROM contacts WHERE workspace_id = $1`, f.workspace, bought)
	f.exec(`INSERT INTO event_rollups (workspace_id, contact_id, name, count, first_at, last_at) SELECT workspace_id, id, 'buy', 1, $2, $2 FROM contacts
		WHERE workspace_id = $1`, f.workspace, bought)
}

// begin publishes a second funnel, of which everything has been taken in when it returns.
func (f *fleet) begin(graph string) {
	f.Helper()
	var read engine.Graph
	require.NoError(f, json.Unmarshal([]byte(graph), &read))
	draft, err := f.app.Funnels.Create(f.Context(), f.workspace, "Told", funnels.Document{Graph: read}, nil)
	require.NoError(f, err)
	_, err = f.app.Funnels.Publish(f.Context(), f.workspace, draft.Head.ID, funnels.Publish{Revision: draft.Head.Revision, AcceptWarnings: true})
	require.NoError(f, err)
	first := f.worker("")
	f.until(patience, "the funnel and the segment are taken in", func() bool {
		return f.count("SELECT count(*) FROM agendas") == 2 && f.count("SELECT count(*) FROM date_watches WHERE state <> 'live'") == 0 &&
			f.count("SELECT count(*) FROM segments WHERE state <> 'live'") == 0
	})
	first.kill()
	require.Zero(f, f.count("SELECT count(*) FROM runs"))
}

// fallSilent makes the sweep due for everybody, as if the worker had been away for ten days.
func (f *fleet) fallSilent() {
	f.exec("UPDATE segment_members SET since = NULL, recheck_at = $1", clock.Micro(f.now().Add(90*24*time.Hour-behind)))
	require.Equal(f, crowd, f.count("SELECT count(*) FROM segment_members"))
}

// comeOfAge makes the date of everybody due.
func (f *fleet) comeOfAge() {
	f.exec("UPDATE date_dues SET due_at = $1", clock.Micro(f.now().Add(-time.Second)))
	require.Equal(f, crowd, f.count("SELECT count(*) FROM date_dues"))
}

// strike makes the schedule due.
func (f *fleet) strike() {
	f.exec("UPDATE schedules SET next_at = $1", clock.Micro(f.now().Add(-time.Second)))
	require.Equal(f, 1, f.count("SELECT count(*) FROM schedules"))
}

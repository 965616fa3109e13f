package watch_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/backend/watch"
)

const watched = `{"schema": 1, "nodes": [
	{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "go"}]}},
	{"id": "wait-1", "kind": "wait", "config": {"mode": "duration", "for": {"amount": 10, "unit": "weeks"}}},
	{"id": "tag-1", "kind": "add_tag", "config": {"tag": "tag:vip"}}],
	"edges": [{"from": "in", "port": "next", "to": "wait-1"}, {"from": "wait-1", "port": "next", "to": "tag-1"}]}`

type looking struct {
	*spinetest.World

	watch  *watch.Watch
	funnel uuid.UUID
}

func begin(t *testing.T, graph string) looking {
	t.Helper()
	w := spinetest.New(t)
	w.Exec(`INSERT INTO tags (workspace_id, slug, name, created_at) VALUES ($1, 'vip', 'VIP', $2)`, w.Workspace, w.Clock.Now())
	return looking{w, &watch.Watch{DB: w.Pool, Clock: w.Clock, References: funnels.References}, w.Funnel("watched", graph)}
}

// found looks and answers what is open, as "code node ref".
func (l looking) found() []string {
	l.Helper()
	_, err := l.watch.Job().DrainAll(l.Context())
	require.NoError(l, err)
	list, err := watch.List(l.Context(), l.Pool, l.Workspace, l.funnel, false)
	require.NoError(l, err)
	all := []string{}
	for _, f := range list {
		all = append(all, f.Code+" "+f.Node+" "+f.Ref)
		for _, language := range []string{"en", "pl", "ru"} {
			require.NotEmpty(l, f.Said.Text[language])
			require.NotContains(l, f.Said.Text[language], "{")
		}
	}
	counts, err := watch.Counts(l.Context(), l.Pool, l.Workspace)
	require.NoError(l, err)
	require.Equal(l, len(all), counts[l.funnel])
	return all
}

func TestAReferenceThatBreaksAfterPublishingIsFoundUntilItIsMended(t *testing.T) {
	t.Parallel()
	l := begin(t, watched)
	require.Empty(t, l.found())
	l.Exec(`DELETE FROM tags WHERE workspace_id = $1`, l.Workspace)
	require.Empty(t, l.found(), "an hour has not passed")
	since := l.Clock.Now().Add(time.Hour)
	l.Jump(since)
	require.Equal(t, []string{"reference_broken tag-1 tag:vip"}, l.found())
	l.Jump(since.Add(time.Hour))
	require.Equal(t, []string{"reference_broken tag-1 tag:vip"}, l.found())
	list, err := watch.List(t.Context(), l.Pool, l.Workspace, l.funnel, false)
	require.NoError(t, err)
	require.Equal(t, since, list[0].Since.UTC(), "it began when it was found first")
	require.Equal(t, watch.MendCreate, list[0].Mend)
	require.Equal(t, "“tag:vip” is used here and no longer exists.", list[0].Said.Text["en"])

	l.Exec(`INSERT INTO tags (workspace_id, slug, name, created_at) VALUES ($1, 'vip', 'VIP', $2)`, l.Workspace, l.Clock.Now())
	l.Jump(since.Add(2 * time.Hour))
	require.Empty(t, l.found())
	list, err = watch.List(t.Context(), l.Pool, l.Workspace, l.funnel, true)
	require.NoError(t, err)
	require.NotNil(t, list[0].Resolved, "what is over is kept")
	l.Exec(`DELETE FROM tags WHERE workspace_id = $1`, l.Workspace)
	l.Jump(since.Add(3 * time.Hour))
	require.Len(t, l.found(), 1, "it may break again")
}

func TestATriggerIsSilentAfterFiveTimesItsUsualGapOrAFortnight(t *testing.T) {
	t.Parallel()
	l := begin(t, watched)
	start := l.Clock.Now()
	l.Jump(start.Add(13 * 24 * time.Hour))
	require.Empty(t, l.found())
	l.Jump(start.Add(15 * 24 * time.Hour))
	require.Equal(t, []string{"trigger_silent in "}, l.found(), "nobody ever came")
	for day := range 5 {
		l.Jump(start.Add(time.Duration(16+4*day) * 24 * time.Hour))
		l.Event(string(rune('a'+day))+"@example.com", "go", nil)
	}
	require.Empty(t, l.found())
	last := l.Clock.Now()
	l.Jump(last.Add(19 * 24 * time.Hour))
	require.Empty(t, l.found(), "people come every four days here")
	l.Jump(last.Add(21 * 24 * time.Hour))
	require.Equal(t, []string{"trigger_silent in "}, l.found())
	list, err := watch.List(t.Context(), l.Pool, l.Workspace, l.funnel, false)
	require.NoError(t, err)
	require.Equal(t, "Nobody has come in for 21 days. It starts when this happens: the event “go” comes in.", list[0].Said.Text["en"])
	l.Exec(`UPDATE funnels SET state = 'stopped' WHERE workspace_id = $1`, l.Workspace)
	require.Empty(t, l.found(), "a stopped funnel is silent on purpose")
}

func TestParkedRunsAreFoundAtTheirStep(t *testing.T) {
	t.Parallel()
	l := begin(t, watched)
	l.Event("anna@example.com", "go", nil)
	l.Event("bea@example.com", "go", nil)
	l.Settle()
	l.Exec(`UPDATE runs SET status = 'parked', wake_at = NULL, last_error = 'it broke' WHERE workspace_id = $1`, l.Workspace)
	require.Equal(t, []string{"runs_parked wait-1 "}, l.found())
	list, err := watch.List(t.Context(), l.Pool, l.Workspace, l.funnel, false)
	require.NoError(t, err)
	require.Equal(t, "2 people are stuck here: it broke", list[0].Said.Text["en"])
	require.Equal(t, watch.MendRetry, list[0].Mend)
}

func TestAVariableThatManyInsideLackIsFound(t *testing.T) {
	t.Parallel()
	l := begin(t, watched)
	bundle := `{"graph": ` + `{"schema": 1, "nodes": [{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "go"}]}},
		{"id": "wait-1", "kind": "wait", "config": {"mode": "duration", "for": {"amount": 10, "unit": "weeks"}}},
		{"id": "mail-1", "kind": "send_email", "config": {"creative": "creative:one", "class": "marketing"}}],
		"edges": [{"from": "in", "port": "next", "to": "wait-1"}, {"from": "wait-1", "port": "next", "to": "mail-1"}]}` + `,
		"creatives": {"one": {"channel": "email", "subject": "Hello {{ first_name }}", "blocks": [{"id": "b", "type": "text", "text": "Hi"}, {"id": "f", "type": "footer"}]}}}`
	l.Exec(`UPDATE funnel_versions SET bundle = $2 WHERE workspace_id = $1`, l.Workspace, bundle)
	for i := range 10 {
		l.Event(string(rune('a'+i))+"@example.com", "go", nil)
	}
	l.Settle()
	l.Exec(`UPDATE contacts SET first_name = 'Jan' WHERE workspace_id = $1`, l.Workspace)
	require.Empty(t, l.found())
	l.Exec(`UPDATE contacts SET first_name = '' WHERE workspace_id = $1 AND email < 'c'`, l.Workspace)
	l.Jump(storetest.Now.Add(2 * time.Hour))
	require.Equal(t, []string{"variable_missing mail-1 first_name"}, l.found())
	list, err := watch.List(t.Context(), l.Pool, l.Workspace, l.funnel, false)
	require.NoError(t, err)
	require.Contains(t, list[0].Said.Text["en"], "20 %")
}

package chaos

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/campaigns"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/engine"
)

const everybody = `{"schema": 1, "nodes": [
	{"id": "start", "kind": "entry", "name": "Start", "config": {"triggers": [{"kind": "list_join", "list": "list:all"}], "reentry": {"rule": "once"}}},
	{"id": "wait-1", "kind": "wait", "name": "Ninety days", "config": {"mode": "duration", "for": {"amount": 90, "unit": "days"}}}],
	"edges": [{"from": "start", "port": "next", "to": "wait-1"}]}`

// TestFault_29_AHugeAudienceIsEnrolled starts everybody on a list in a funnel and writes the same people down for a campaign, while the workers at it
// are killed, one inside a portion, two at any moment. Each person starts once and is written down once, what somebody
// waits for is not delayed, and no worker takes much memory.
func TestFault_29_AHugeAudienceIsEnrolled(t *testing.T) {
	t.Parallel()
	f := raise(t, "")
	people := pick(1_000_000, 6000)
	f.exec("INSERT INTO lists (workspace_id, slug, name, description, created_at) VALUES ($1, 'all', 'All', '', $2)", f.workspace, f.now())
	f.join(people)
	f.exec("ANALYZE contacts, consents")
	var graph engine.Graph
	require.NoError(t, json.Unmarshal([]byte(everybody), &graph))
	draft, err := f.app.Funnels.Create(t.Context(), f.workspace, "Everybody", funnels.Document{Graph: graph}, nil)
	require.NoError(t, err)
	live, err := f.app.Funnels.Publish(t.Context(), f.workspace, draft.Head.ID, funnels.Publish{Revision: draft.Head.Revision, AcceptWarnings: true})
	require.NoError(t, err)
	_, _, err = f.app.Tasks.Start(t.Context(), tasks.Request{
		Workspace: f.workspace, Kind: events.MatchingKind, UniqueKey: "all", Args: events.MatchingArgs{Funnel: draft.Head.ID, Version: live.Version.ID},
	})
	require.NoError(t, err)
	runs := func() int {
		return f.count("SELECT count(*) FROM runs WHERE workspace_id = $1 AND funnel_id = $2", f.workspace, draft.Head.ID)
	}

	victim := f.worker(fmt.Sprintf("tasks.before_commit=exit@%d", pick(500, 5)))
	select {
	case <-victim.ended:
	case <-time.After(4 * patience):
		t.Fatal("the worker did not come to its portion")
	}
	began := runs()
	require.Positive(t, began)

	f.urgent(pick(2000, 60), pick(100*time.Millisecond, 50*time.Millisecond))
	// One worker is always left, as it would be: how long a process takes to start is not what this is about.
	other, worker := f.worker(""), f.worker("")
	for round, doomed := range []*process{other, worker} {
		f.until(pick[time.Duration](10, 2)*patience, "it goes on where it ended", func() bool { return runs() >= min((round+2)*began, people) })
		doomed.kill()
		worker = f.worker("")
	}
	f.until(pick[time.Duration](30, 2)*patience, "everybody has started", func() bool { return runs() == people })
	require.Equal(t, people, f.count("SELECT count(DISTINCT contact_id) FROM runs WHERE funnel_id = $1", draft.Head.ID))
	require.Less(t, worker.memory(t), 300<<20)

	made, err := f.app.Campaigns.Create(t.Context(), f.workspace, "Sale", json.RawMessage(strings.Replace(sale, `"variants"`, `"throttle": {"count": 1, "per": "hour"}, "variants"`, 1)), nil)
	require.NoError(t, err)
	_, _, err = f.app.Campaigns.Start(t.Context(), f.workspace, made.ID, campaigns.Wish{Revision: 1, AcceptWarnings: true})
	require.NoError(t, err)
	f.until(pick[time.Duration](10, 2)*patience, "the audience is frozen", func() bool { return f.count("SELECT count(*) FROM campaigns WHERE state = 'sending'") == 1 })
	require.Equal(t, people, f.count("SELECT count(*) FROM campaign_recipients WHERE campaign_id = $1", made.ID))
	require.Equal(t, people, f.count("SELECT count(DISTINCT n) FROM campaign_recipients WHERE campaign_id = $1", made.ID))
	require.Less(t, worker.memory(t), 300<<20)

	f.until(pick[time.Duration](10, 2)*patience, "what is urgent has left", func() bool {
		return f.count("SELECT count(*) FROM messages WHERE funnel_id = $1 AND status = 'sent'", f.funnel) == f.expected
	})
	late := f.lateness(0.99)
	t.Logf("%d people; what somebody waits for was %s late at the 99th percentile; the worker took %d MB at most", people, late, worker.memory(t)>>20)
	require.Less(t, late, pick(time.Second, 20*time.Second))
	f.audit()
}

// urgent puts n people into a wait that ends soon, one after the other, with a run somebody waits for.
func (f *fleet) urgent(n int, every time.Duration) {
	f.Helper()
	f.herd(n, f.now().Add(5*time.Second), every)
	f.exec("UPDATE runs SET lane = 0 WHERE workspace_id = $1 AND funnel_id = $2 AND node = 'wait-1'", f.workspace, f.funnel)
}

// lateness is how late messages were written, of the funnel, for a share of them.
func (f *fleet) lateness(share float64) time.Duration {
	f.Helper()
	var seconds float64
	require.NoError(f, f.db.QueryRow(f.Context(), `SELECT coalesce(percentile_disc($2) WITHIN GROUP (ORDER BY extract(epoch FROM created_at - due_at)), 0)::float8
		FROM messages WHERE funnel_id = $1`, f.funnel, share).Scan(&seconds))
	return time.Duration(seconds * float64(time.Second))
}

// memory is the most a process took so far, in bytes.
func (p *process) memory(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(status), "VmHWM:")
	require.True(t, found)
	var kb int
	_, err = fmt.Sscanf(rest, "%d", &kb)
	require.NoError(t, err)
	return kb << 10
}

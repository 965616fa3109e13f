package chaos

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/runner"
	"github.com/lejek/lejek/backend/runs"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/engine"
)

// TestFault_03_AWorkerDiesWhileItMovesPeopleToANewVersion kills the worker inside a move, before and after the commit of its second
// portion. Another one goes on: everybody is on the new version, and was moved once.
func TestFault_03_AWorkerDiesWhileItMovesPeopleToANewVersion(t *testing.T) {
	t.Parallel()
	const people = 700 // three portions
	for _, point := range []string{"move.before_commit=exit@2", "move.after_commit=exit@2"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			f := raise(t, "")
			f.herd(people, f.now().Add(time.Hour), time.Millisecond)
			var longer engine.Bundle
			require.NoError(t, json.Unmarshal([]byte(strings.Replace(letters, `"amount": 1, "unit": "hours"`, `"amount": 2, "unit": "hours"`, 1)), &longer))
			current, err := f.app.Funnels.Get(t.Context(), f.workspace, f.funnel)
			require.NoError(t, err)
			saved, err := f.app.Funnels.SaveDraft(t.Context(), f.workspace, f.funnel, funnels.Save{
				Revision: current.Head.Revision, Document: funnels.Document{Graph: longer.Graph, Creatives: longer.Creatives},
			})
			require.NoError(t, err)
			live, err := f.app.Funnels.Publish(t.Context(), f.workspace, f.funnel, funnels.Publish{Revision: saved.Revision, AcceptWarnings: true})
			require.NoError(t, err)
			_, _, err = f.app.Tasks.Start(t.Context(), tasks.Request{
				Workspace: f.workspace, Kind: runner.MoveKind, Total: people,
				Args: runner.MoveArgs{Funnel: f.funnel, To: live.Version.ID, Plan: []runs.Placement{{Version: f.version, N: 1, Node: "wait-1", Do: runs.DoMove, To: "wait-1"}}},
			})
			require.NoError(t, err)
			victim := f.start(map[string]string{"LEJEK_FAILPOINTS": point}, "worker")
			select {
			case <-victim.ended:
			case <-time.After(patience):
				t.Fatal("the failpoint was never reached")
			}
			f.worker("")
			f.until(patience, "the move is done", func() bool { return f.count("SELECT count(*) FROM tasks WHERE state = 'done'") == 1 })
			require.Equal(t, people, f.count("SELECT count(*) FROM runs WHERE version_id = $1 AND node = 'wait-1'", live.Version.ID))
			require.Equal(t, people, f.count("SELECT count(*) FROM journal WHERE kind = 'moved'"))
			f.audit()
		})
	}
}

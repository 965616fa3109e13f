package tasks_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/backend/tasks"
)

// takeOver looks once for tasks of dead processes and tells how many there were.
func (b bundle) takeOver(t *testing.T, machine clock.Clock) int {
	t.Helper()
	drained, err := b.tasks.Takeover(machine).Drain(t.Context(), pump.Batch{Limit: pump.MaxBatch})
	require.NoError(t, err)
	return drained.Rows
}

func TestTheTaskOfADeadProcessIsTakenOver(t *testing.T) {
	t.Parallel()
	machine := storetest.Clock
	started, release := make(chan string, 2), make(chan struct{})
	b := setup(t, tasks.Kind{Name: "slow", Work: func(ctx context.Context, task *tasks.Run) (any, error) {
		started <- *task.Task.Worker
		if task.Task.Attempt == 1 {
			<-release
		}
		err := task.Step(ctx, func(store.Tx) (int64, int64, any, error) { return int64(task.Task.Attempt), 0, nil, nil })
		return map[string]any{"attempt": task.Task.Attempt}, err
	}})
	b.worker(t)
	task := b.start(t, tasks.Request{Kind: "slow"})
	boot := <-started
	_, err := b.db.Exec(t.Context(), "INSERT INTO workers (id, role, version, started_at, beat_at) VALUES ($1, 'worker', '', $2, $2)", boot, machine.Now().Add(-pump.DeadAfter))
	require.NoError(t, err)
	require.Zero(t, b.takeOver(t, machine), "it was heard of just in time")
	later := clock.Fixed(machine.Now().Add(time.Second))
	require.Equal(t, 1, b.takeOver(t, later))
	<-started
	require.JSONEq(t, `{"attempt":2}`, string(b.ended(t, task.ID).Result))
	require.Zero(t, b.takeOver(t, later), "what is done is nobody's any more")
	close(release)
}

func TestATaskThatTakesItsProcessesWithItFails(t *testing.T) {
	t.Parallel()
	b := setup(t, tasks.Kind{Name: "poison", Attempts: 3, Work: func(context.Context, *tasks.Run) (any, error) { return nil, nil }})
	task := b.start(t, tasks.Request{Kind: "poison"})
	dies := func() {
		_, err := b.db.Exec(t.Context(), "UPDATE tasks SET state = 'running', worker = 'dead', attempt = attempt + 1 WHERE id = $1", task.ID)
		require.NoError(t, err)
		require.Equal(t, 1, b.takeOver(t, clock.Machine{}))
	}
	for range 3 {
		dies()
		again, err := b.tasks.Get(t.Context(), b.workspace, task.ID)
		require.NoError(t, err)
		require.Equal(t, tasks.Running, again.State)
	}
	dies()
	failed := b.ended(t, task.ID)
	require.Equal(t, tasks.Failed, failed.State)
	require.Contains(t, *failed.Error, "begun 4 times")
}

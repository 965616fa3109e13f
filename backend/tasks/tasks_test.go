package tasks_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/migrations"
)

type bundle struct {
	db        *pgxpool.Pool
	tasks     *tasks.Tasks
	workspace uuid.UUID
}

func setup(t *testing.T, kinds ...tasks.Kind) bundle {
	t.Helper()
	db := storetest.DB(t)
	all, err := tasks.New(db, storetest.Clock, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	for _, kind := range kinds {
		all.Register(kind)
	}
	return bundle{db, all, storetest.Workspace(t, db)}
}

// worker runs River until the test ends, or until stop is called.
func (b bundle) worker(t *testing.T) (stop func()) {
	t.Helper()
	workers := river.NewWorkers()
	b.tasks.AddTo(workers)
	client, err := river.NewClient(riverpgxv5.New(b.db), &river.Config{
		Schema: migrations.RiverSchema, Workers: workers, Logger: slog.New(slog.DiscardHandler),
		Queues: map[string]river.QueueConfig{tasks.Queue: {MaxWorkers: 2, FetchCooldown: 5 * time.Millisecond, FetchPollInterval: 20 * time.Millisecond}},
	})
	require.NoError(t, err)
	require.NoError(t, client.Start(t.Context()))
	var once sync.Once
	stop = func() {
		once.Do(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			require.NoError(t, client.StopAndCancel(ctx))
		})
	}
	t.Cleanup(stop)
	return stop
}

func (b bundle) start(t *testing.T, request tasks.Request) store.Task {
	t.Helper()
	request.Workspace = b.workspace
	task, _, err := b.tasks.Start(t.Context(), request)
	require.NoError(t, err)
	return task
}

func (b bundle) ended(t *testing.T, id uuid.UUID) store.Task {
	t.Helper()
	var task store.Task
	require.Eventually(t, func() bool {
		var err error
		task, err = b.tasks.Get(t.Context(), b.workspace, id)
		require.NoError(t, err)
		return task.FinishedAt != nil
	}, 30*time.Second, 5*time.Millisecond)
	return task
}

func TestATaskReadsItsInputReportsAndEndsWithAResult(t *testing.T) {
	t.Parallel()
	b := setup(t, tasks.Kind{Name: "count", Label: "Counting", Work: func(ctx context.Context, task *tasks.Run) (any, error) {
		var args struct{ Name string }
		if err := task.Args(&args); err != nil {
			return nil, err
		}
		n, err := io.Copy(io.Discard, task.Input(ctx))
		if err != nil {
			return nil, err
		}
		err = task.Step(ctx, func(store.Tx) (int64, int64, any, error) { return n, n, nil, nil })
		return map[string]any{"name": args.Name, "bytes": n}, err
	}})
	b.worker(t)
	task := b.start(t, tasks.Request{Kind: "count", Args: map[string]string{"Name": "x"}, Input: make([]byte, 2<<20+7)})
	require.Equal(t, tasks.Queued, task.State)
	require.Equal(t, "Counting", task.Label)
	task = b.ended(t, task.ID)
	require.Equal(t, tasks.Done, task.State)
	require.JSONEq(t, `{"name":"x","bytes":2097159}`, string(task.Result))
	require.EqualValues(t, 2097159, task.Progress)
	var chunks int
	require.NoError(t, b.db.QueryRow(t.Context(), "SELECT count(*) FROM task_chunks").Scan(&chunks))
	require.Zero(t, chunks, "the input goes with the end")
}

func TestAFaultEndsTheTaskAndAnotherErrorIsTriedAgainFromTheCheckpoint(t *testing.T) {
	t.Parallel()
	b := setup(t,
		tasks.Kind{Name: "refuse", Work: func(context.Context, *tasks.Run) (any, error) {
			return nil, fault.New(fault.Invalid, "The file is empty. Choose another one.")
		}},
		tasks.Kind{Name: "stumble", Work: func(ctx context.Context, task *tasks.Run) (any, error) {
			var done int
			if _, err := task.Checkpoint(&done); err != nil {
				return nil, err
			}
			for done < 6 {
				err := task.Step(ctx, func(store.Tx) (int64, int64, any, error) { return int64(done + 1), 6, done + 1, nil })
				if err != nil {
					return nil, err
				}
				if done++; done == 3 && task.Task.Attempt == 1 {
					panic("in the middle")
				}
			}
			return map[string]any{"attempt": task.Task.Attempt}, nil
		}},
		tasks.Kind{Name: "hopeless", Attempts: 1, Work: func(context.Context, *tasks.Run) (any, error) { return nil, errors.New("password=secret") }},
	)
	b.worker(t)
	refused, stumbled, hopeless := b.start(t, tasks.Request{Kind: "refuse"}), b.start(t, tasks.Request{Kind: "stumble"}), b.start(t, tasks.Request{Kind: "hopeless"})
	task := b.ended(t, refused.ID)
	require.Equal(t, tasks.Failed, task.State)
	require.Equal(t, "The file is empty. Choose another one.", *task.Error)
	task = b.ended(t, stumbled.ID)
	require.Equal(t, tasks.Done, task.State)
	require.JSONEq(t, `{"attempt":2}`, string(task.Result))
	require.EqualValues(t, 6, task.Progress)
	task = b.ended(t, hopeless.ID)
	require.Equal(t, tasks.Failed, task.State)
	require.NotContains(t, *task.Error, "secret")
}

func TestAskingAgainWhileItRunsAnswersTheSameTask(t *testing.T) {
	t.Parallel()
	b := setup(t, tasks.Kind{Name: "x", Work: func(context.Context, *tasks.Run) (any, error) { return nil, nil }})
	first := b.start(t, tasks.Request{Kind: "x", UniqueKey: "file-1"})
	second, existing, err := b.tasks.Start(t.Context(), tasks.Request{Workspace: b.workspace, Kind: "x", UniqueKey: "file-1"})
	require.NoError(t, err)
	require.True(t, existing)
	require.Equal(t, first.ID, second.ID)
	b.worker(t)
	b.ended(t, first.ID)
	third := b.start(t, tasks.Request{Kind: "x", UniqueKey: "file-1"})
	require.NotEqual(t, first.ID, third.ID)
	all, err := b.tasks.List(t.Context(), b.workspace, uuid.Nil, 10)
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{third.ID, first.ID}, []uuid.UUID{all[0].ID, all[1].ID})
	older, err := b.tasks.List(t.Context(), b.workspace, third.ID, 10)
	require.NoError(t, err)
	require.Len(t, older, 1)
}

func TestCancel(t *testing.T) {
	t.Parallel()
	reported := make(chan struct{}, 1)
	b := setup(t, tasks.Kind{Name: "endless", Work: func(ctx context.Context, task *tasks.Run) (any, error) {
		for n := int64(1); ; n++ {
			if err := task.Step(ctx, func(store.Tx) (int64, int64, any, error) { return n, 0, n, nil }); err != nil {
				return nil, err
			}
			select {
			case reported <- struct{}{}:
			default:
			}
		}
	}})
	queued := b.start(t, tasks.Request{Kind: "endless", Input: []byte("x")})
	task, err := b.tasks.Cancel(t.Context(), b.workspace, queued.ID)
	require.NoError(t, err)
	require.Equal(t, tasks.Cancelled, task.State)

	b.worker(t)
	running := b.start(t, tasks.Request{Kind: "endless"})
	<-reported
	_, err = b.tasks.Cancel(t.Context(), b.workspace, running.ID)
	require.NoError(t, err)
	require.Equal(t, tasks.Cancelled, b.ended(t, running.ID).State)
	task, err = b.tasks.Cancel(t.Context(), b.workspace, running.ID)
	require.NoError(t, err)
	require.Equal(t, tasks.Cancelled, task.State)
	_, err = b.tasks.Cancel(t.Context(), storetest.Workspace(t, b.db), running.ID)
	require.Equal(t, fault.NotFound, fault.CodeOf(err))
}

func TestAnAttemptTakenForDeadWritesNothingMore(t *testing.T) {
	t.Parallel()
	started, release := make(chan struct{}, 2), make(chan struct{})
	b := setup(t, tasks.Kind{Name: "slow", Work: func(ctx context.Context, task *tasks.Run) (any, error) {
		started <- struct{}{}
		if task.Task.Attempt == 1 {
			<-release
		}
		err := task.Step(ctx, func(store.Tx) (int64, int64, any, error) { return int64(task.Task.Attempt), 0, nil, nil })
		return map[string]any{"attempt": task.Task.Attempt}, err
	}})
	b.worker(t)
	task := b.start(t, tasks.Request{Kind: "slow"})
	<-started
	// What River's rescuer does with a job whose worker died: another job of the same task.
	require.NoError(t, pgx.BeginFunc(t.Context(), b.db, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), "UPDATE river.river_job SET state = 'available', scheduled_at = created_at WHERE state = 'running'")
		return err
	}))
	<-started
	done := b.ended(t, task.ID)
	require.JSONEq(t, `{"attempt":2}`, string(done.Result))
	close(release)
	require.Never(t, func() bool {
		again, err := b.tasks.Get(t.Context(), b.workspace, task.ID)
		return err != nil || again.Progress != 2 || string(again.Result) != string(done.Result)
	}, 200*time.Millisecond, 20*time.Millisecond)
}

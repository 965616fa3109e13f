package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// yieldAfter is how long a task keeps its River job.
const yieldAfter = time.Minute

// The errors of Report. Work returns them as they are.
var (
	ErrCancelled = errors.New("the task was cancelled")
	ErrYield     = errors.New("the task goes on in another job")
	ErrLost      = errors.New("another attempt does the task")
)

// Run is one attempt at a task.
type Run struct {
	Task store.Task

	tasks *Tasks
	until time.Time // real time
}

// Args decodes the arguments of the request.
func (r *Run) Args(into any) error {
	if err := json.Unmarshal(r.Task.Args, into); err != nil {
		return fmt.Errorf("read the task's arguments: %w", err)
	}
	return nil
}

// Checkpoint decodes what an earlier attempt reported last; found is false on the first.
func (r *Run) Checkpoint(into any) (found bool, err error) {
	if len(r.Task.Checkpoint) == 0 {
		return false, nil
	}
	if err := json.Unmarshal(r.Task.Checkpoint, into); err != nil {
		return false, fmt.Errorf("read the task's checkpoint: %w", err)
	}
	return true, nil
}

// Input is the file of the request, from its beginning.
func (r *Run) Input(ctx context.Context) io.Reader {
	return &input{ctx: ctx, db: r.tasks.db, task: r.Task}
}

// yields says whether the attempt has kept its job long enough.
func (r *Run) yields() bool { return !(clock.Machine{}).Now().Before(r.until) }

// Report tells in tx how far the task is; total 0 leaves it as it is, checkpoint nil too. Its error ends the attempt and must
// undo the transaction, except for ErrYield and ErrCancelled, which Report only answers after the work reported has been
// written: commit, then return them.
func (r *Run) Report(ctx context.Context, tx store.Tx, progress, total int64, checkpoint any) error {
	params := store.ReportTaskParams{
		WorkspaceID: r.Task.WorkspaceID, ID: r.Task.ID, Attempt: r.Task.Attempt, Progress: progress, Now: tx.Now,
	}
	if total > 0 {
		params.Total = &total
	}
	if checkpoint != nil {
		raw, err := json.Marshal(checkpoint)
		if err != nil {
			return fmt.Errorf("write the task's checkpoint: %w", err)
		}
		params.Checkpoint = raw
	}
	cancelled, err := store.Q.ReportTask(ctx, tx, params)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return ErrLost
	case err != nil:
		return fmt.Errorf("report the task's progress: %w", err)
	case cancelled != nil:
		return ErrCancelled
	case checkpoint != nil && r.yields():
		return ErrYield
	}
	return nil
}

// Step runs body and Report in one transaction of business time. An answer of ErrYield or ErrCancelled comes after the
// commit.
func (r *Run) Step(ctx context.Context, body func(tx store.Tx) (progress, total int64, checkpoint any, err error)) error {
	var after error
	err := store.InTx(ctx, r.tasks.db, r.tasks.clock, func(tx store.Tx) error {
		progress, total, checkpoint, err := body(tx)
		if err != nil {
			return err
		}
		after = r.Report(ctx, tx, progress, total, checkpoint)
		if errors.Is(after, ErrYield) || errors.Is(after, ErrCancelled) {
			return nil
		}
		return after
	})
	if err != nil {
		return err
	}
	return after
}

// jobArgs names a task to River.
type jobArgs struct {
	Workspace uuid.UUID `json:"workspace"`
	Task      uuid.UUID `json:"task"`
}

// Kind implements river.JobArgs.
func (jobArgs) Kind() string { return "task" }

// AddTo registers the worker of all kinds.
func (t *Tasks) AddTo(workers *river.Workers) { river.AddWorker(workers, &worker{tasks: t}) }

type worker struct {
	river.WorkerDefaults[jobArgs]

	tasks *Tasks
}

// Timeout implements river.Worker: the longest stretch of any kind. River takes an attempt for dead after it.
func (w *worker) Timeout(*river.Job[jobArgs]) time.Duration {
	longest := yieldAfter
	for _, kind := range w.tasks.kinds {
		longest = max(longest, kind.Timeout)
	}
	return longest
}

// NextRetry implements river.Worker: full jitter up to 2, 4, 8 ... 60 seconds.
func (w *worker) NextRetry(job *river.Job[jobArgs]) time.Time {
	limit := min(time.Second<<min(job.Attempt, 6), time.Minute)
	return clock.Machine{}.Now().Add(time.Duration(rand.Int64N(int64(limit)))) //nolint:gosec,forbidigo // jitter
}

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, job *river.Job[jobArgs]) error {
	t := w.tasks
	params := store.StartTaskParams{WorkspaceID: job.Args.Workspace, ID: job.Args.Task}
	if by := job.AttemptedBy; len(by) > 0 {
		params.Worker = &by[len(by)-1] // a process is known to River by its boot
	}
	task, err := store.InTxV(ctx, t.db, t.clock, func(tx store.Tx) (store.Task, error) {
		params.Now = tx.Now
		return store.Q.StartTask(ctx, tx, params)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // finished, or cancelled while it was queued
	}
	if err != nil {
		return fmt.Errorf("start task %s: %w", job.Args.Task, err)
	}
	if task.CancelRequestedAt != nil {
		return t.finish(ctx, task, Cancelled, nil, "")
	}
	kind, ok := t.kinds[task.Kind]
	if !ok {
		return t.finish(ctx, task, Failed, nil, "This version of Lejek does not know how to do it. Ask for it again after the upgrade.")
	}
	result, err := work(ctx, kind, &Run{Task: task, tasks: t, until: clock.Machine{}.Now().Add(t.yield)})
	return t.settle(ctx, task, job.Attempt >= job.MaxAttempts, result, err)
}

// work turns a panic into an error, so that the task says so instead of hanging.
func work(ctx context.Context, kind Kind, run *Run) (result any, err error) {
	ctx, cancel := context.WithTimeout(ctx, kind.Timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("task %s panicked: %v", run.Task.Kind, p)
		}
	}()
	return kind.Work(ctx, run)
}

// settle writes how an attempt ended and answers River.
func (t *Tasks) settle(ctx context.Context, task store.Task, last bool, result any, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	var public *fault.Error
	switch {
	case err == nil:
		return t.finish(ctx, task, Done, result, "")
	case errors.Is(err, ErrLost):
		return nil
	case errors.Is(err, ErrYield):
		return river.JobSnooze(0)
	case errors.Is(err, ErrCancelled):
		return t.finish(ctx, task, Cancelled, result, "")
	case errors.As(err, &public) && public.Code != fault.Internal && public.Code != fault.Unavailable && public.Code != fault.RateLimited:
		return t.finish(ctx, task, Failed, result, public.Message)
	case last:
		t.log.ErrorContext(ctx, "a task failed for good", "workspace", task.WorkspaceID, "task", task.ID, "kind", task.Kind, "error", err)
		return t.finish(ctx, task, Failed, result, fault.Public(err).Message)
	}
	t.log.WarnContext(ctx, "an attempt at a task failed", "workspace", task.WorkspaceID, "task", task.ID, "kind", task.Kind, "error", err)
	message := fault.Public(err).Message
	noted := store.InTx(ctx, t.db, t.clock, func(tx store.Tx) error {
		return store.Q.NoteTaskError(ctx, tx, store.NoteTaskErrorParams{WorkspaceID: task.WorkspaceID, ID: task.ID, Attempt: task.Attempt, Error: &message, Now: tx.Now})
	})
	return errors.Join(err, noted)
}

// finish ends the task, unless another attempt has taken it over, and drops its input.
func (t *Tasks) finish(ctx context.Context, task store.Task, state string, result any, message string) error {
	return store.InTx(ctx, t.db, t.clock, func(tx store.Tx) error { return t.finishIn(ctx, tx, task, state, result, message) })
}

func (t *Tasks) finishIn(ctx context.Context, tx store.Tx, task store.Task, state string, result any, message string) error {
	params := store.FinishTaskParams{WorkspaceID: task.WorkspaceID, ID: task.ID, Attempt: task.Attempt, State: state, Now: tx.Now}
	if result != nil {
		raw, err := json.Marshal(result)
		if err != nil {
			return fmt.Errorf("write the result of task %s: %w", task.ID, err)
		}
		params.Result = raw
	}
	if message != "" {
		params.Error = &message
	}
	finished, err := store.Q.FinishTask(ctx, tx, params)
	if err != nil {
		return fmt.Errorf("finish task %s: %w", task.ID, err)
	}
	if finished == 0 {
		return nil
	}
	task.State = state
	return t.ended(ctx, tx, task)
}

// ended drops what a task needs no more and tells its kind if it was not done.
func (t *Tasks) ended(ctx context.Context, tx store.Tx, task store.Task) error {
	if err := store.Q.DropTaskChunks(ctx, tx, store.DropTaskChunksParams{WorkspaceID: task.WorkspaceID, TaskID: task.ID}); err != nil {
		return fmt.Errorf("drop the input of task %s: %w", task.ID, err)
	}
	if kind := t.kinds[task.Kind]; kind.Ended != nil && task.State != Done {
		return kind.Ended(ctx, tx, task)
	}
	return nil
}

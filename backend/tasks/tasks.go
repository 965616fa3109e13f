package tasks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/migrations"
)

// States of a task.
const (
	Queued    = "queued"
	Running   = "running"
	Done      = "done"
	Failed    = "failed"
	Cancelled = "cancelled"
)

// Queue is River's queue of all tasks.
const Queue = "bulk"

// Kind is one kind of long work.
type Kind struct {
	Name     string        // such as contacts_import
	Label    string        // for people, where a task has none of its own
	Attempts int           // before it fails for good; 0 is 5
	Timeout  time.Duration // of one stretch between two yields; 0 is two minutes

	// Work does the task from its checkpoint on and answers its result, which must be JSON. A fault ends the task with its
	// message; any other error is tried again. It returns the errors of Report as they are.
	Work func(ctx context.Context, task *Run) (result any, err error)

	// Ended is called in the transaction that ends a task as failed or cancelled, so that nobody waits for what will not come; it may be nil.
	Ended func(ctx context.Context, tx store.Tx, task store.Task) error
}

// Tasks are the tasks of an installation.
type Tasks struct {
	db     store.DB
	clock  clock.Clock
	log    *slog.Logger
	client *river.Client[pgx.Tx] // only inserts
	kinds  map[string]Kind
	yield  time.Duration
}

// New keeps tasks in a database, or in a transaction whose owner settles them. Kinds are registered before any worker starts.
func New(db store.DB, clk clock.Clock, logger *slog.Logger) (*Tasks, error) {
	client, err := river.NewClient(riverpgxv5.New(nil), &river.Config{Schema: migrations.RiverSchema, Logger: logger}) // it only inserts, in transactions of ours
	if err != nil {
		return nil, fmt.Errorf("set up River: %w", err)
	}
	return &Tasks{db: db, clock: clk, log: logger, client: client, kinds: map[string]Kind{}, yield: yieldAfter}, nil
}

// Register adds a kind. Registering one twice is a programmer's mistake and panics.
func (t *Tasks) Register(kind Kind) {
	if _, twice := t.kinds[kind.Name]; twice || kind.Work == nil {
		panic("tasks: kind " + kind.Name + " is registered twice or does nothing")
	}
	if kind.Attempts == 0 {
		kind.Attempts = 5
	}
	if kind.Timeout == 0 {
		kind.Timeout = 2 * time.Minute
	}
	t.kinds[kind.Name] = kind
}

// Request asks for a task.
type Request struct {
	Workspace uuid.UUID
	Kind      string
	Label     string // "" is the kind's
	Args      any    // JSON, for Run.Args
	Input     []byte // a file, for Run.Input
	Total     int64  // units of progress; 0 is unknown
	UniqueKey string // while a task of this kind and key is queued or running, asking again answers that one
	By        *uuid.UUID
}

const chunkSize = 1 << 20

// Start makes the task. existing says that one with the same UniqueKey was there already.
func (t *Tasks) Start(ctx context.Context, request Request) (task store.Task, existing bool, err error) {
	err = store.InTx(ctx, t.db, t.clock, func(tx store.Tx) error {
		task, existing, err = t.StartIn(ctx, tx, request)
		return err
	})
	if err != nil {
		return store.Task{}, false, err
	}
	return task, existing, nil
}

// StartIn makes the task in the caller's transaction: it is there if that is committed, and else it is not.
func (t *Tasks) StartIn(ctx context.Context, tx store.Tx, request Request) (task store.Task, existing bool, err error) {
	kind, ok := t.kinds[request.Kind]
	if !ok {
		return store.Task{}, false, fmt.Errorf("there is no kind of task %q", request.Kind)
	}
	args, err := json.Marshal(request.Args)
	if err != nil {
		return store.Task{}, false, fmt.Errorf("write the task's arguments: %w", err)
	}
	row := store.InsertTaskParams{
		WorkspaceID: request.Workspace, ID: store.NewID(), Kind: kind.Name, Label: request.Label, Args: args, CreatedBy: request.By,
	}
	if row.Label == "" {
		row.Label = kind.Label
	}
	if request.Total > 0 {
		row.Total = &request.Total
	}
	if request.UniqueKey != "" {
		row.UniqueKey = &request.UniqueKey
	}
	row.Now = tx.Now
	task, err = store.Q.InsertTask(ctx, tx, row)
	if errors.Is(err, pgx.ErrNoRows) {
		task, err = store.Q.LiveTaskByKey(ctx, tx, store.LiveTaskByKeyParams{WorkspaceID: row.WorkspaceID, Kind: kind.Name, UniqueKey: request.UniqueKey})
		return task, true, err
	}
	if err != nil {
		return store.Task{}, false, fmt.Errorf("insert a task: %w", err)
	}
	for n := 0; len(request.Input) > n*chunkSize; n++ {
		chunk := request.Input[n*chunkSize : min((n+1)*chunkSize, len(request.Input))]
		err := store.Q.AppendTaskChunk(ctx, tx, store.AppendTaskChunkParams{WorkspaceID: row.WorkspaceID, TaskID: row.ID, N: int32(n), Data: chunk})
		if err != nil {
			return store.Task{}, false, fmt.Errorf("keep the task's input: %w", err)
		}
	}
	return task, false, t.queue(ctx, tx, task, kind)
}

// queue gives a task to River.
func (t *Tasks) queue(ctx context.Context, tx store.Tx, task store.Task, kind Kind) error {
	_, err := t.client.InsertTx(ctx, tx.Tx, jobArgs{Workspace: task.WorkspaceID, Task: task.ID}, &river.InsertOpts{Queue: Queue, MaxAttempts: kind.Attempts})
	if err != nil {
		return fmt.Errorf("queue a task: %w", err)
	}
	return nil
}

// Get is one task.
func (t *Tasks) Get(ctx context.Context, workspace, id uuid.UUID) (store.Task, error) {
	task, err := store.Q.Task(ctx, t.db, store.TaskParams{WorkspaceID: workspace, ID: id})
	if err != nil {
		return store.Task{}, orNotFound(err, id)
	}
	return task, nil
}

// List answers tasks, newest first, that are older than the given one (the zero id begins).
func (t *Tasks) List(ctx context.Context, workspace, before uuid.UUID, limit int) ([]store.Task, error) {
	if before == uuid.Nil {
		before = uuid.Max
	}
	rows, err := store.Q.Tasks(ctx, t.db, store.TasksParams{WorkspaceID: workspace, Before: before, Lim: int32(limit)})
	if err != nil {
		return nil, fmt.Errorf("list tasks: %w", err)
	}
	return rows, nil
}

// Cancel stops a task: a queued one at once, a running one at its next report. What it has committed stays. Cancelling a
// finished task is fine and does nothing.
func (t *Tasks) Cancel(ctx context.Context, workspace, id uuid.UUID) (store.Task, error) {
	return store.InTxV(ctx, t.db, t.clock, func(tx store.Tx) (store.Task, error) {
		task, err := store.Q.RequestTaskCancel(ctx, tx, store.RequestTaskCancelParams{WorkspaceID: workspace, ID: id, Now: tx.Now})
		if errors.Is(err, pgx.ErrNoRows) {
			if task, err = store.Q.Task(ctx, tx, store.TaskParams{WorkspaceID: workspace, ID: id}); err != nil {
				return task, orNotFound(err, id)
			}
			return task, nil
		}
		if err == nil && task.State == Cancelled {
			err = t.ended(ctx, tx, task)
		}
		if err != nil {
			return task, fmt.Errorf("cancel task %s: %w", id, err)
		}
		return task, nil
	})
}

func orNotFound(err error, id uuid.UUID) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.NotFound, "There is no task %s.", id)
	}
	return fmt.Errorf("read task %s: %w", id, err)
}

// input reads a task's file chunk by chunk.
type input struct {
	ctx  context.Context //nolint:containedctx // io.Reader has no other way to end with the attempt
	db   store.DB
	task store.Task
	n    int32
	rest bytes.Reader
}

// Read implements io.Reader.
func (r *input) Read(p []byte) (int, error) {
	if r.rest.Len() == 0 {
		chunk, err := store.Q.TaskChunk(r.ctx, r.db, store.TaskChunkParams{WorkspaceID: r.task.WorkspaceID, TaskID: r.task.ID, N: r.n})
		if errors.Is(err, pgx.ErrNoRows) {
			return 0, io.EOF
		}
		if err != nil {
			return 0, fmt.Errorf("read the task's input: %w", err)
		}
		r.n++
		r.rest.Reset(chunk)
	}
	return r.rest.Read(p)
}

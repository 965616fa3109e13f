package wording

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
)

// TaskKind is the kind of task that has texts written in advance.
const TaskKind = "ai_texts"

const (
	writeTime = 4 * time.Minute // one stretch of such a task
	abreast   = 4               // texts that are asked for at once
	giveUp    = 2 * abreast     // so many in a row that nobody answered
)

type writeArgs struct {
	Funnel uuid.UUID `json:"funnel"`
	Node   string    `json:"node"`
}

// Written is what such a task came to. Reason says why some are missing all the same.
type Written struct {
	Written int    `json:"written"`
	Missing int    `json:"missing"`
	Reason  string `json:"reason,omitempty"`
}

// ReasonNoAnswer tells that nobody answered.
const ReasonNoAnswer = "no_answer"

// progress is a Written on its way, with the variants that failed: they are not tried again by the same task.
type progress struct {
	Written

	Failed []string `json:"failed,omitempty"`
	inARow int
}

// Task is the kind of task that has the missing texts of a step written. They wait for a human then.
func (d *Desk) Task() tasks.Kind {
	return tasks.Kind{Name: TaskKind, Label: "Writing texts", Attempts: 3, Timeout: writeTime, Work: d.work}
}

// Start begins to have the missing texts of a step written.
func (d *Desk) Start(ctx context.Context, workspace, funnel uuid.UUID, node string, by *uuid.UUID) (store.Task, error) {
	_, step, _, err := d.find(ctx, workspace, funnel, node)
	if err != nil {
		return store.Task{}, err
	}
	_, reason, err := d.writer(ctx, workspace)
	switch {
	case err != nil:
		return store.Task{}, err
	case reason == ReasonNoKey:
		return store.Task{}, fault.New(fault.Conflict, "No model is connected. Connect one under Settings, AI, or write the texts by hand.")
	case reason == ReasonOff:
		return store.Task{}, fault.New(fault.Conflict, "This workspace sends nothing to models. Allow it under Settings, AI, or write the texts by hand.")
	}
	task, _, err := d.Tasks.Start(ctx, tasks.Request{
		Workspace: workspace, Kind: TaskKind, Args: writeArgs{funnel, node}, By: by, Total: int64(step.States[Missing]), UniqueKey: funnel.String() + " " + node,
	})
	return task, err
}

func (d *Desk) work(ctx context.Context, run *tasks.Run) (any, error) {
	var args writeArgs
	if err := run.Args(&args); err != nil {
		return nil, err
	}
	var done progress
	if _, err := run.Checkpoint(&done); err != nil {
		return nil, err
	}
	_, step, all, err := d.find(ctx, run.Task.WorkspaceID, args.Funnel, args.Node)
	if err != nil {
		return nil, err
	}
	var missing []combination
	for i, v := range step.Variants {
		if v.State == Missing && !slices.Contains(done.Failed, v.ID) {
			all[i].wish.review = Waiting
			missing = append(missing, all[i])
		}
	}
	for some := range slices.Chunk(missing, abreast) {
		d.writeSome(ctx, some, &done)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := run.Step(ctx, func(store.Tx) (int64, int64, any, error) {
			return int64(done.Written.Written + done.Missing), 0, done, nil
		})
		if err != nil {
			return nil, err
		}
		if done.Reason == ReasonQuota || done.inARow >= giveUp {
			break
		}
	}
	_, step, _, err = d.find(ctx, run.Task.WorkspaceID, args.Funnel, args.Node)
	if err != nil {
		return nil, err
	}
	done.Missing = step.States[Missing]
	return done.Written, nil
}

// writeSome has a few texts written at once and takes into done what came of it.
func (d *Desk) writeSome(ctx context.Context, some []combination, done *progress) {
	reasons := make([]string, len(some))
	var asking sync.WaitGroup
	for i, c := range some {
		asking.Go(func() {
			texts, why, err := d.texts(ctx, c.wish)
			reason, _ := why["fallback"].(string)
			switch {
			case errors.Is(err, errBusy): // somebody else has it in a moment
			case err != nil:
				reasons[i] = ReasonNoAnswer
			case len(texts) == 0 || reason != "":
				reasons[i] = reason
			}
		})
	}
	asking.Wait()
	for i, reason := range reasons {
		if reason == "" {
			done.Written.Written, done.inARow = done.Written.Written+1, 0
			continue
		}
		done.Missing, done.Reason, done.inARow = done.Missing+1, reason, done.inARow+1
		done.Failed = append(done.Failed, some[i].wish.id())
	}
}

package rehearse

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/engine"
)

// Kind is the task that rehearses. Its arguments are Args, its progress is counted in people, its result is a Result, also of what was
// done before it was cancelled.
const Kind = "rehearsal"

// Args are what a task rehearses.
type Args struct {
	Funnel    uuid.UUID                  `json:"funnel"`
	Graph     engine.Graph               `json:"graph"`
	Creatives map[string]engine.Creative `json:"creatives"`
	From      time.Time                  `json:"from"`
	To        time.Time                  `json:"to"`
}

// Task is the kind for tasks.Register. It may be killed and goes on after the last portion of people.
func Task(pool Pool) tasks.Kind {
	return tasks.Kind{Name: Kind, Label: "Rehearsing a funnel", Work: func(ctx context.Context, task *tasks.Run) (any, error) {
		var args Args
		if err := task.Args(&args); err != nil {
			return nil, err
		}
		var soFar *Result
		if _, err := task.Checkpoint(&soFar); err != nil {
			return nil, err
		}
		result, err := Run(ctx, pool, Options{
			Workspace: task.Task.WorkspaceID, Funnel: args.Funnel, Bundle: engine.Bundle{Graph: args.Graph, Creatives: args.Creatives},
			From: args.From, To: args.To,
		}, soFar, func(r *Result, done, of int64) error {
			return task.Step(ctx, func(store.Tx) (int64, int64, any, error) { return done, max(of, 1), r, nil })
		})
		if err != nil && !errors.Is(err, tasks.ErrCancelled) {
			return nil, err
		}
		return result, err
	}}
}

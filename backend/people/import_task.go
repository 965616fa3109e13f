package people

import (
	"context"
	"errors"

	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
)

// ImportKind is the task that imports contacts. Its arguments are ImportOptions, its input is the file, its progress is
// counted in bytes, its result is an ImportReport, also of what was done before it was cancelled.
const ImportKind = "contacts_import"

// ImportTask is the kind for tasks.Register.
func (p *People) ImportTask() tasks.Kind {
	return tasks.Kind{Name: ImportKind, Label: "Importing contacts", Work: p.workImport}
}

func (p *People) workImport(ctx context.Context, task *tasks.Run) (any, error) {
	var options ImportOptions
	if err := task.Args(&options); err != nil {
		return nil, err
	}
	done := ImportReport{Errors: []RowError{}}
	if _, err := task.Checkpoint(&done); err != nil {
		return nil, err
	}
	report, err := p.Import(ctx, task.Task.WorkspaceID, task.Input(ctx), options, done, func(body func(store.Tx) (ImportReport, int64, error)) error {
		return task.Step(ctx, func(tx store.Tx) (int64, int64, any, error) {
			report, bytes, err := body(tx)
			return bytes, 0, report, err
		})
	})
	if err != nil && !errors.Is(err, tasks.ErrCancelled) {
		return nil, err
	}
	return report, err
}

package api

import (
	"context"
	"io"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
)

// ListTasks lists tasks, the newest first.
func (h *handlers) ListTasks(ctx context.Context, request ListTasksRequestObject) (ListTasksResponseObject, error) {
	var before uuid.UUID
	if cursor := request.Params.Cursor; cursor != nil {
		var err error
		if before, err = uuid.Parse(*cursor); err != nil {
			return nil, fault.InvalidField("cursor", "This cursor was not made here. Hand in `next` of the page before as it is.")
		}
	}
	limit := max(1, min(or(request.Params.Limit, 50), maxPage))
	rows, err := h.Tasks.List(ctx, workspace(ctx), before, limit+1)
	if err != nil {
		return nil, err
	}
	answer := ListTasks200JSONResponse{}
	if len(rows) > limit {
		rows = rows[:limit]
		answer.Next = new(rows[limit-1].ID.String())
	}
	answer.Items, err = toTasks(rows)
	return answer, err
}

// GetTask answers one task.
func (h *handlers) GetTask(ctx context.Context, request GetTaskRequestObject) (GetTaskResponseObject, error) {
	row, err := h.Tasks.Get(ctx, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	task, err := toTask(row)
	return GetTask200JSONResponse(task), err
}

// CancelTask stops a task.
func (h *handlers) CancelTask(ctx context.Context, request CancelTaskRequestObject) (CancelTaskResponseObject, error) {
	row, err := h.Tasks.Cancel(ctx, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	task, err := toTask(row)
	return CancelTask200JSONResponse(task), err
}

// StreamTask streams a task each time it changes, until it ends.
func (h *handlers) StreamTask(ctx context.Context, request StreamTaskRequestObject) (StreamTaskResponseObject, error) {
	in := workspace(ctx)
	if _, err := h.Tasks.Get(ctx, in, request.Id); err != nil {
		return nil, err
	}
	var seen store.Task
	body := h.stream(ctx, "task", func(ctx context.Context) ([]any, bool, error) {
		row, err := h.Tasks.Get(ctx, in, request.Id)
		if err != nil || row.UpdatedAt.Equal(seen.UpdatedAt) && row.State == seen.State && row.Progress == seen.Progress {
			return nil, false, err
		}
		seen = row
		task, err := toTask(row)
		return []any{task}, row.FinishedAt != nil, err
	})
	return StreamTask200TexteventStreamResponse{StreamTexteventStreamResponse{Body: body}}, nil
}

// ImportContacts imports a CSV file as a task.
func (h *handlers) ImportContacts(ctx context.Context, request ImportContactsRequestObject) (ImportContactsResponseObject, error) {
	file, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, bodyError(err)
	}
	if len(file) == 0 {
		return nil, fault.New(fault.Invalid, "The file is empty. Send a CSV file whose first line names the columns.")
	}
	options := people.ImportOptions{Consent: string(or(request.Params.Consent, "unknown"))}
	if list := orZero(request.Params.List); list != "" {
		options.Lists = []string{list}
	}
	row, _, err := h.Tasks.Start(ctx, tasks.Request{
		Workspace: workspace(ctx), Kind: people.ImportKind, Args: options, Input: file, Total: int64(len(file)), By: by(ctx),
	})
	if err != nil {
		return nil, err
	}
	task, err := toTask(row)
	return ImportContacts202JSONResponse{TaskAnswerJSONResponse(task)}, err
}

func toTasks(rows []store.Task) ([]Task, error) {
	all := make([]Task, len(rows))
	for i, row := range rows {
		var err error
		if all[i], err = toTask(row); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func toTask(row store.Task) (Task, error) {
	task := Task{
		Id: row.ID, Kind: row.Kind, State: TaskState(row.State), Label: optional(row.Label), Error: row.Error, CreatedAt: row.CreatedAt,
		UpdatedAt: &row.UpdatedAt, FinishedAt: row.FinishedAt,
	}
	switch {
	case row.State == tasks.Done:
		task.Progress = 1
	case row.Total != nil && *row.Total > 0:
		task.Progress = min(1, float32(row.Progress)/float32(*row.Total))
	}
	if len(row.Result) > 0 {
		result, err := properties(row.Result)
		if err != nil {
			return task, err
		}
		task.Result = &result
	}
	return task, nil
}

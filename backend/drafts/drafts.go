package drafts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/engine"
)

// TaskKind is the kind of task that makes a draft.
const TaskKind = "ai_draft"

// maxPrompt is the longest prompt, in letters.
const maxPrompt = 4000

// draftTime bounds one draft: the drafter's own 45 seconds, and the database.
const draftTime = time.Minute

// Names gives what a funnel of a workspace may refer to.
type Names func(ctx context.Context, workspace uuid.UUID) (*engine.Workspace, error)

// Drafts makes drafts as tasks.
type Drafts struct {
	tasks   *tasks.Tasks
	drafter *ai.Drafter
	names   Names
}

// New registers the task kind. Every process that runs tasks calls it.
func New(all *tasks.Tasks, drafter *ai.Drafter, names Names) *Drafts {
	d := &Drafts{tasks: all, drafter: drafter, names: names}
	all.Register(tasks.Kind{Name: TaskKind, Label: "Drafting a funnel", Attempts: 2, Timeout: draftTime, Work: d.work})
	return d
}

// Request asks for a draft. Language is en, pl or ru, or "" for that of the prompt.
type Request struct {
	Workspace uuid.UUID
	Prompt    string
	Language  string
	By        *uuid.UUID
}

type arguments struct {
	Prompt   string `json:"prompt"`
	Language string `json:"language,omitempty"`
}

// Start makes the task and returns at once. The error is a fault for a prompt that is empty, too long or no text.
func (d *Drafts) Start(ctx context.Context, r Request) (store.Task, error) {
	prompt := strings.TrimSpace(r.Prompt)
	switch {
	case prompt == "":
		return store.Task{}, fault.InvalidField("prompt", "Describe the funnel in a sentence: who should get which messages, and when.")
	case !utf8.ValidString(prompt) || strings.ContainsRune(prompt, 0):
		return store.Task{}, fault.InvalidField("prompt", "The prompt holds bytes that are no text. Type it anew.")
	case utf8.RuneCountInString(prompt) > maxPrompt:
		return store.Task{}, fault.InvalidField("prompt", "The prompt has more than %d characters. Describe one funnel in a few sentences.", maxPrompt)
	}
	task, _, err := d.tasks.Start(ctx, tasks.Request{Workspace: r.Workspace, Kind: TaskKind, Args: arguments{prompt, r.Language}, By: r.By})
	return task, err
}

// Draft is a task and, once that is done, its result.
type Draft struct {
	Task   store.Task
	Result *ai.Result
}

// Get is one draft. The error is a fault for an id that is no draft of the workspace.
func (d *Drafts) Get(ctx context.Context, workspace, id uuid.UUID) (Draft, error) {
	task, err := d.tasks.Get(ctx, workspace, id)
	if err != nil {
		return Draft{}, err
	}
	if task.Kind != TaskKind {
		return Draft{}, fault.New(fault.NotFound, "There is no draft %s.", id)
	}
	draft := Draft{Task: task}
	if task.State != tasks.Done || len(task.Result) == 0 {
		return draft, nil
	}
	draft.Result = new(ai.Result)
	if err := json.Unmarshal(task.Result, draft.Result); err != nil {
		return Draft{}, fmt.Errorf("read the draft of task %s: %w", id, err)
	}
	return draft, nil
}

func (d *Drafts) work(ctx context.Context, run *tasks.Run) (any, error) {
	var args arguments
	if err := run.Args(&args); err != nil {
		return nil, err
	}
	names, err := d.names(ctx, run.Task.WorkspaceID)
	if err != nil {
		return nil, fmt.Errorf("read what the workspace has: %w", err)
	}
	result := d.drafter.Draft(ctx, ai.Request{Prompt: args.Prompt, Language: args.Language, Workspace: names})
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return nil, err
	}
	return result, nil
}

package drafts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/seal"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/backend/wording"
	"github.com/lejek/lejek/engine"
)

// TaskKind is the kind of task that makes a draft.
const TaskKind = "ai_draft"

// maxPrompt is the longest prompt, in letters.
const maxPrompt = 4000

// draftTime bounds one draft: the drafter's own 45 seconds, and the database.
const draftTime = time.Minute

// Options are what drafts stand on.
type Options struct {
	Tasks   *tasks.Tasks
	DB      store.DB
	Clock   clock.Clock
	Machine clock.Clock    // of leases, limits and measurements
	Drafter *ai.Drafter    // of the installation
	Secret  []byte         // seals keys of endpoints
	Keys    seal.Keys      // of what is sealed; none is the secret
	Allow   []netip.Prefix // networks endpoints may stand in though they are not public
	Logger  *slog.Logger
	Prices  wording.Price // of the installation's model
	Metrics *Metrics      // nil counts nothing

	// Names gives what a funnel of a workspace may refer to.
	Names func(ctx context.Context, workspace uuid.UUID) (*engine.Workspace, error)
	// Base gives a funnel's name and draft.
	Base func(ctx context.Context, workspace, funnel uuid.UUID) (string, engine.Bundle, error)
}

// Drafts makes drafts as tasks.
type Drafts struct {
	Options

	own *ownDrafters
}

// New registers the task kind. Every process that runs tasks calls it.
func New(o Options) *Drafts {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	d := &Drafts{Options: o, own: newOwnDrafters()}
	o.Tasks.Register(tasks.Kind{Name: TaskKind, Label: "Drafting a funnel", Attempts: 2, Timeout: draftTime, Work: d.work})
	return d
}

// Request asks for a draft. Language is en, pl or ru, or "" for that of the prompt. With a base it asks for a change of that.
type Request struct {
	Workspace uuid.UUID
	Prompt    string
	Language  string
	By        *uuid.UUID
	Funnel    *uuid.UUID
	Base      *engine.Bundle // nil: the funnel's own draft, if a funnel is named
	Anew      bool           // draw a whole funnel whatever there is
}

type arguments struct {
	Prompt   string         `json:"prompt"`
	Language string         `json:"language,omitempty"`
	Funnel   *uuid.UUID     `json:"funnel,omitempty"`
	Name     string         `json:"name,omitempty"`
	Base     *engine.Bundle `json:"base,omitempty"`
}

// Start makes the task and returns at once. The error is a fault for a prompt that is empty, too long or no text, and for somebody
// who asks too often.
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
	if err := d.allow(ctx, r.Workspace, r.By); err != nil {
		return store.Task{}, err
	}
	args := arguments{Prompt: prompt, Language: r.Language, Funnel: r.Funnel}
	if r.Funnel != nil {
		name, base, err := d.Base(ctx, r.Workspace, *r.Funnel)
		if err != nil {
			return store.Task{}, err
		}
		if args.Name = name; r.Base == nil {
			r.Base = &base
		}
	}
	if r.Base != nil && len(r.Base.Graph.Nodes) > 1 && !r.Anew {
		args.Base = &engine.Bundle{Graph: r.Base.Graph, Creatives: r.Base.Creatives}
	}
	task, _, err := d.Tasks.Start(ctx, tasks.Request{Workspace: r.Workspace, Kind: TaskKind, Args: args, By: r.By})
	return task, err
}

// Draft is a task and, once that is done, its result.
type Draft struct {
	Task   store.Task
	Prompt string
	Funnel *uuid.UUID
	Result *ai.Result
}

// Get is one draft. The error is a fault for an id that is no draft of the workspace.
func (d *Drafts) Get(ctx context.Context, workspace, id uuid.UUID) (Draft, error) {
	task, err := d.Tasks.Get(ctx, workspace, id)
	if err != nil {
		return Draft{}, err
	}
	if task.Kind != TaskKind {
		return Draft{}, fault.New(fault.NotFound, "There is no draft %s.", id)
	}
	draft, _, err := read(task)
	return draft, err
}

func read(task store.Task) (Draft, arguments, error) {
	var args arguments
	if err := json.Unmarshal(task.Args, &args); err != nil {
		return Draft{}, args, fmt.Errorf("read what task %s was asked: %w", task.ID, err)
	}
	draft := Draft{Task: task, Prompt: args.Prompt, Funnel: args.Funnel}
	if task.State != tasks.Done || len(task.Result) == 0 {
		return draft, args, nil
	}
	draft.Result = new(ai.Result)
	if err := json.Unmarshal(task.Result, draft.Result); err != nil {
		return Draft{}, args, fmt.Errorf("read the draft of task %s: %w", task.ID, err)
	}
	return draft, args, nil
}

// historyLength is how many prompts are kept in sight.
const historyLength = 30

// History are the drafts somebody asked for last, the newest first; with a funnel those of that funnel.
func (d *Drafts) History(ctx context.Context, workspace uuid.UUID, by, funnel *uuid.UUID) ([]Draft, error) {
	rows, err := d.DB.Query(ctx, `SELECT id, state, created_at, args ->> 'prompt', coalesce(result ->> 'outcome', ''), coalesce(result ->> 'engine', '') FROM tasks
		WHERE workspace_id = $1 AND kind = $2 AND created_by IS NOT DISTINCT FROM $3 AND ($4::text IS NULL OR args ->> 'funnel' = $4) ORDER BY id DESC LIMIT $5`,
		workspace, TaskKind, by, textOf(funnel), historyLength)
	if err != nil {
		return nil, fmt.Errorf("read the prompts: %w", err)
	}
	defer rows.Close()
	all := []Draft{}
	for rows.Next() {
		draft := Draft{Task: store.Task{WorkspaceID: workspace, Kind: TaskKind}, Result: &ai.Result{}}
		if err := rows.Scan(&draft.Task.ID, &draft.Task.State, &draft.Task.CreatedAt, &draft.Prompt, &draft.Result.Outcome, &draft.Result.Engine); err != nil {
			return nil, fmt.Errorf("read a prompt: %w", err)
		}
		all = append(all, draft)
	}
	return all, rows.Err()
}

func textOf(id *uuid.UUID) *string {
	if id == nil {
		return nil
	}
	s := id.String()
	return &s
}

func (d *Drafts) work(ctx context.Context, run *tasks.Run) (any, error) {
	var args arguments
	if err := run.Args(&args); err != nil {
		return nil, err
	}
	names, err := d.Names(ctx, run.Task.WorkspaceID)
	if err != nil {
		return nil, fmt.Errorf("read what the workspace has: %w", err)
	}
	var result ai.Result
	watch := d.watch(context.WithoutCancel(ctx), run.Task)
	why, err := d.asking(ctx, watch, run.Task.CreatedBy, ai.DraftTokens(args.Prompt), func(ctx context.Context, drafter *ai.Drafter) bool {
		result = draw(ctx, drafter, args, names)
		return result.Engine != ai.Offline && result.Outcome == ai.StatusGraph
	})
	if err != nil {
		return nil, err
	}
	if why != "" {
		result.Explain(why, args.Language)
	}
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return nil, err
	}
	return result, nil
}

func draw(ctx context.Context, drafter *ai.Drafter, args arguments, names *engine.Workspace) ai.Result {
	request := ai.Request{Prompt: args.Prompt, Language: args.Language, Workspace: names}
	if args.Base == nil {
		result := drafter.Draft(ctx, request)
		result.SuggestName(args.Prompt)
		return result
	}
	return drafter.Edit(ctx, ai.EditRequest{Request: request, Base: *args.Base, Name: args.Name})
}

// Selected is a proposal with some of its groups.
type Selected struct {
	Graph     engine.Graph
	Creatives map[string]engine.Creative
	Name      string
	Problems  []engine.Problem
}

// Select gives the document with the accepted groups of an edit only. The error is a fault when the draft is no edit, when the funnel was
// changed since, and when the choice does not hold together.
func (d *Drafts) Select(ctx context.Context, workspace, id uuid.UUID, groups []int, now *engine.Bundle) (Selected, error) {
	task, err := d.Tasks.Get(ctx, workspace, id)
	if err != nil {
		return Selected{}, err
	}
	draft, args, err := read(task)
	if err != nil {
		return Selected{}, err
	}
	if task.Kind != TaskKind || args.Base == nil || draft.Result == nil || draft.Result.Change == nil {
		return Selected{}, fault.New(fault.NotFound, "There is no change of a funnel %s.", id)
	}
	change := draft.Result.Change
	if now != nil && ai.Fingerprint(*now) != ai.Fingerprint(*args.Base) {
		return Selected{}, fault.New(fault.Conflict, "The funnel was changed since this was suggested. Ask again; your sentence is still there.")
	}
	names, err := d.Names(ctx, workspace)
	if err != nil {
		return Selected{}, fmt.Errorf("read what the workspace has: %w", err)
	}
	done, problems := ai.Select(*args.Base, change.Ops, groups, ai.Setting{Kinds: Kinds(), Workspace: names, Language: draft.Result.Language})
	if len(problems) > 0 {
		return Selected{}, fault.New(fault.Invalid, "These changes do not go without the others: %s", problems[0].Message)
	}
	if err := d.judged(ctx, task, len(groups), len(change.Groups)-len(groups)); err != nil {
		return Selected{}, err
	}
	done.Bundle.Workspace = names
	return Selected{Graph: done.Bundle.Graph, Creatives: done.Bundle.Creatives, Name: done.Name, Problems: engine.Validate(done.Bundle)}, nil
}

// judged keeps what became of a draft.
func (d *Drafts) judged(ctx context.Context, task store.Task, accepted, rejected int) error {
	_, err := d.DB.Exec(ctx, `INSERT INTO ai_verdicts (workspace_id, task_id, accepted, rejected, created_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (workspace_id, task_id) DO UPDATE SET accepted = excluded.accepted, rejected = excluded.rejected`,
		task.WorkspaceID, task.ID, accepted, max(rejected, 0), d.Machine.Now())
	if err != nil {
		return fmt.Errorf("keep what became of a draft: %w", err)
	}
	return nil
}

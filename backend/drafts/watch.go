package drafts

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/backend/store"
)

// watcher keeps the calls of one draft and what it tells on its way.
type watcher struct {
	d    *Drafts
	ctx  context.Context
	in   uuid.UUID  // workspace
	task *uuid.UUID // nil: a call of no draft, which tells nothing on its way

	mu   sync.Mutex
	used int
	n    int
	last time.Time
}

// newsEvery is how often a growing graph is kept at most.
const newsEvery = 50 * time.Millisecond

func (d *Drafts) watch(ctx context.Context, task store.Task) *watcher {
	w := &watcher{d: d, ctx: ctx, in: task.WorkspaceID, task: &task.ID}
	// A second attempt goes on after the news of the first.
	if err := d.DB.QueryRow(ctx, "SELECT coalesce(max(n), 0) FROM ai_news WHERE workspace_id = $1 AND task_id = $2", task.WorkspaceID, task.ID).Scan(&w.n); err != nil {
		d.Logger.WarnContext(ctx, "the news of a draft cannot be read", "task", task.ID, "error", err.Error())
	}
	return w
}

// WatchTexts keeps an account of the calls for texts of people.
func (d *Drafts) WatchTexts(ctx context.Context, workspace uuid.UUID) ai.Watcher {
	return &watcher{d: d, ctx: ctx, in: workspace}
}

func (w *watcher) tokens() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.used
}

// Begin measures a call.
func (w *watcher) Begin() ai.Span { return &span{w: w, from: w.d.Machine.Now()} }

type span struct {
	w     *watcher
	from  time.Time
	first *int
}

func (s *span) since() int { return int(s.w.d.Machine.Now().Sub(s.from).Milliseconds()) }

// First notes when the answer began.
func (s *span) First() {
	ms := s.since()
	s.first = &ms
}

// End keeps the call. A row that cannot be written does not stop a draft.
func (s *span) End(c ai.Call) {
	w := s.w
	w.mu.Lock()
	w.used += c.TokensIn + c.TokensOut
	w.mu.Unlock()
	w.d.Metrics.count(c, w.d.Machine.Now().Sub(s.from))
	_, err := w.d.DB.Exec(w.ctx, `INSERT INTO ai_calls (workspace_id, id, task_id, op, host, model, mode, prompt_sha, tokens_in, tokens_out, cached, estimated, first_ms, total_ms, finish, outcome, attempt, breaker, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
		w.in, store.NewID(), w.task, c.Op, c.Host, c.Model, c.Mode, c.PromptSHA[:], c.TokensIn, c.TokensOut, c.Cached, c.Estimated, s.first, s.since(),
		c.Finish, c.Outcome, c.Attempt, c.Breaker, w.d.Machine.Now())
	if err != nil {
		w.d.Logger.WarnContext(w.ctx, "a call of a model was not kept", "task", w.task, "error", err.Error())
	}
}

// Progress keeps a piece of news. Of a graph that grows fast only some states are kept.
func (w *watcher) Progress(p ai.Progress) {
	if w.task == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.d.Machine.Now()
	if p.Kind == "steps" && now.Sub(w.last) < newsEvery {
		p.Graph = nil
	} else {
		w.last = now
	}
	news, err := json.Marshal(p)
	if err == nil {
		w.n++
		_, err = w.d.DB.Exec(w.ctx, "INSERT INTO ai_news (workspace_id, task_id, n, news, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
			w.in, w.task, w.n, news, now)
	}
	if err != nil {
		w.d.Logger.WarnContext(w.ctx, "a piece of news of a draft was not kept", "task", w.task, "error", err.Error())
	}
}

// News is a piece of news and its number.
type News struct {
	N int `json:"n"`
	ai.Progress
}

// News are what a draft told after a number.
func (d *Drafts) News(ctx context.Context, workspace, task uuid.UUID, after int) ([]News, error) {
	rows, err := d.DB.Query(ctx, "SELECT n, news FROM ai_news WHERE workspace_id = $1 AND task_id = $2 AND n > $3 ORDER BY n LIMIT 200", workspace, task, after)
	if err != nil {
		return nil, fmt.Errorf("read the news of a draft: %w", err)
	}
	defer rows.Close()
	var all []News
	for rows.Next() {
		var raw []byte
		var one News
		if err := rows.Scan(&one.N, &raw); err != nil {
			return nil, fmt.Errorf("read a piece of news: %w", err)
		}
		if err := json.Unmarshal(raw, &one.Progress); err != nil {
			return nil, fmt.Errorf("read a piece of news: %w", err)
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

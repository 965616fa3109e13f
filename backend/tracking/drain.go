package tracking

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
)

// Job is the pump's job that judges hits whose neighbours are known.
func (t *Tracker) Job() pump.Job {
	return pump.Job{Kind: "hits", Label: "Tell people from machines among opens and clicks", Slots: 1, Lanes: 1, Poll: time.Second, Drain: t.Drain, Peek: t.peek}
}

func (t *Tracker) peek(ctx context.Context) ([]int, error) {
	now, err := t.Clock.NowIn(ctx, t.DB)
	if err != nil {
		return nil, err
	}
	var due bool
	if err := t.DB.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM hits WHERE judge_at <= $1)", now).Scan(&due); err != nil {
		return nil, fmt.Errorf("look for hits to judge: %w", err)
	}
	if due {
		return []int{0}, nil
	}
	return nil, nil
}

// hit is a row of hits with the message it belongs to.
type hit struct {
	Fetch

	key  key
	id   int64
	url  string
	sent time.Time
}

// Drain judges one batch; what people did becomes events in the same transaction.
func (t *Tracker) Drain(ctx context.Context, batch pump.Batch) (drained pump.Drained, err error) {
	acts := 0
	err = store.InTx(ctx, t.DB, t.Clock, func(tx store.Tx) error {
		due, err := t.lease(ctx, tx, batch.Limit)
		if drained = (pump.Drained{Rows: len(due)}); err != nil || len(due) == 0 {
			return err
		}
		around, err := neighbours(ctx, tx, due)
		if err != nil {
			return err
		}
		people, err := conclude(ctx, tx, due, around)
		if acts = len(people); err != nil || acts == 0 {
			return err
		}
		return Happened(ctx, tx, people)
	})
	if err == nil && acts > 0 {
		t.nudge()
	}
	return drained, err
}

func (t *Tracker) lease(ctx context.Context, tx store.Tx, limit int) ([]hit, error) {
	rows, err := tx.Query(ctx, `SELECT h.workspace_id, h.message_id, h.id, h.kind = 'click', CASE WHEN h.trap THEN $3::int ELSE h.link::int END, h.method, h.agent,
			h.prefetch, h.at, h.url, coalesce(m.sent_at, m.due_at)
		FROM hits h JOIN messages m ON m.workspace_id = h.workspace_id AND m.id = h.message_id
		WHERE h.judge_at <= $1 ORDER BY h.judge_at, h.id LIMIT $2 FOR UPDATE OF h SKIP LOCKED`, tx.Now, limit, Trap)
	if err != nil {
		return nil, fmt.Errorf("take hits to judge: %w", err)
	}
	due, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (hit, error) {
		var h hit
		var workspace, message [16]byte
		err := row.Scan(&workspace, &message, &h.id, &h.Click, &h.Link, &h.Method, &h.Agent, &h.Prefetch, &h.At, &h.url, &h.sent)
		h.key = key{workspace, message}
		return h, err
	})
	if err != nil {
		return nil, fmt.Errorf("take hits to judge: %w", err)
	}
	return due, nil
}

// neighbours are the fetches of the same messages, judged or not.
func neighbours(ctx context.Context, tx store.Tx, due []hit) (map[key][]hit, error) {
	var workspaces, messages [][16]byte
	seen := map[key]bool{}
	for _, h := range due {
		if !seen[h.key] {
			seen[h.key] = true
			workspaces, messages = append(workspaces, h.key.workspace), append(messages, h.key.message)
		}
	}
	rows, err := tx.Query(ctx, `SELECT h.workspace_id, h.message_id, h.id, h.kind = 'click', CASE WHEN h.trap THEN $3::int ELSE h.link::int END, h.at
		FROM unnest($1::uuid[], $2::uuid[]) AS k (w, m) JOIN hits h ON h.workspace_id = k.w AND h.message_id = k.m
		WHERE h.reason IS DISTINCT FROM '`+ReasonPlayed+`'`, workspaces, messages, Trap)
	if err != nil {
		return nil, fmt.Errorf("read the neighbours of hits: %w", err)
	}
	around := map[key][]hit{}
	var h hit
	var workspace, message [16]byte
	_, err = pgx.ForEachRow(rows, []any{&workspace, &message, &h.id, &h.Click, &h.Link, &h.At}, func() error {
		h.key = key{workspace, message}
		around[h.key] = append(around[h.key], h)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the neighbours of hits: %w", err)
	}
	return around, nil
}

// conclude stores the verdicts and gives what people did.
func conclude(ctx context.Context, tx store.Tx, due []hit, around map[key][]hit) ([]Act, error) {
	n := len(due)
	workspaces, ids, classes, reasons := make([][16]byte, n), make([]int64, n), make([]string, n), make([]string, n)
	var acts []Act
	for i, h := range due {
		var others []Fetch
		for _, other := range around[h.key] {
			if other.id != h.id {
				others = append(others, other.Fetch)
			}
		}
		verdict := Judge(h.Fetch, h.sent, others)
		workspaces[i], ids[i], classes[i], reasons[i] = h.key.workspace, h.id, "human", verdict.Reason
		if verdict.Machine {
			classes[i] = "machine"
			continue
		}
		act := Act{Workspace: h.key.workspace, Message: h.key.message, Kind: ActOpen, At: h.At}
		if h.Click {
			act.Kind, act.URL, act.hit = ActClick, h.url, h.id
		}
		acts = append(acts, act)
	}
	_, err := tx.Exec(ctx, `UPDATE hits h SET judge_at = NULL, class = x.class, reason = nullif(x.reason, '')
		FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[]) AS x (w, id, class, reason) WHERE h.workspace_id = x.w AND h.id = x.id`,
		workspaces, ids, classes, reasons)
	if err != nil {
		return nil, fmt.Errorf("store who made hits: %w", err)
	}
	return acts, nil
}

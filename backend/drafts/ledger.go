package drafts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// Budget is how much a workspace may have models do. Tokens are those models count.
type Budget struct {
	DayTokens   int64 `json:"day_tokens"`
	ModelsOff   bool  `json:"models_off"`
	MonthTokens int64 `json:"month_tokens"`
	UserMinute  int   `json:"user_minute"` // drafts a person may ask for in a minute
}

// Usual is the budget of a workspace that has set none.
var Usual = Budget{DayTokens: 500_000, MonthTokens: 5_000_000, UserMinute: 10}

// ledgerLease is after how long a draft that never settled stops counting: more than the longest draft.
const ledgerLease = 2 * time.Minute

// Budget is the workspace's budget.
func (d *Drafts) Budget(ctx context.Context, workspace uuid.UUID) (Budget, error) {
	b := Usual
	err := d.DB.QueryRow(ctx, "SELECT models_off, day_tokens, month_tokens, user_minute FROM ai_budgets WHERE workspace_id = $1", workspace).
		Scan(&b.ModelsOff, &b.DayTokens, &b.MonthTokens, &b.UserMinute)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Budget{}, fmt.Errorf("read the budget: %w", err)
	}
	return b, nil
}

// Spent is what counts against a budget today and this month (UTC), open reservations included.
type Spent struct {
	Day   int64 `json:"day"`
	Month int64 `json:"month"`
}

const spentSQL = `SELECT coalesce(sum(tokens) FILTER (WHERE created_at >= $2), 0), coalesce(sum(tokens), 0) FROM (
	SELECT created_at, coalesce(charged, CASE WHEN lease_until > $4 THEN reserved ELSE 0 END) AS tokens
	FROM ai_ledger WHERE workspace_id = $1 AND created_at >= $3) AS counted`

func (d *Drafts) spent(ctx context.Context, db store.DB, workspace uuid.UUID) (Spent, error) {
	now := d.Machine.Now().UTC()
	day := now.Truncate(24 * time.Hour)
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	var s Spent
	if err := db.QueryRow(ctx, spentSQL, workspace, day, month, now).Scan(&s.Day, &s.Month); err != nil {
		return Spent{}, fmt.Errorf("read what was spent: %w", err)
	}
	return s, nil
}

// Spent is what the workspace has used of its budget.
func (d *Drafts) Spent(ctx context.Context, workspace uuid.UUID) (Spent, error) {
	return d.spent(ctx, d.DB, workspace)
}

// reserve takes tokens for what is asked; false when the budget does not hold them. The workspace's row is locked meanwhile, so that two
// who ask at once do not take the same tokens. task is nil for what no task does.
func (d *Drafts) reserve(ctx context.Context, workspace uuid.UUID, task, by *uuid.UUID, tokens int) (id uuid.UUID, ok bool, err error) {
	budget, err := d.Budget(ctx, workspace)
	if err != nil {
		return uuid.Nil, false, err
	}
	err = store.InTx(ctx, d.DB, d.Clock, func(tx store.Tx) error {
		ok = false
		if _, err := tx.Exec(ctx, "SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE", workspace); err != nil {
			return fmt.Errorf("lock the budget: %w", err)
		}
		spent, err := d.spent(ctx, tx, workspace)
		if err != nil {
			return err
		}
		if spent.Day+int64(tokens) > budget.DayTokens || spent.Month+int64(tokens) > budget.MonthTokens {
			return nil
		}
		now := d.Machine.Now()
		id, ok = store.NewID(), true
		_, err = tx.Exec(ctx, `INSERT INTO ai_ledger (workspace_id, id, task_id, user_id, reserved, lease_until, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			workspace, id, task, by, tokens, now.Add(ledgerLease), now)
		if err != nil {
			return fmt.Errorf("reserve tokens: %w", err)
		}
		return nil
	})
	return id, ok, err
}

// settle writes what a draft used. What was not delivered is used, and not charged.
func (d *Drafts) settle(ctx context.Context, workspace, id uuid.UUID, used int, delivered bool) error {
	charged := 0
	if delivered {
		charged = used
	}
	_, err := d.DB.Exec(ctx, "UPDATE ai_ledger SET used = $3, charged = $4, settled_at = $5 WHERE workspace_id = $1 AND id = $2 AND used IS NULL",
		workspace, id, used, charged, d.Machine.Now())
	if err != nil {
		return fmt.Errorf("settle tokens: %w", err)
	}
	return nil
}

// allow notes that a person asks, and refuses one who asks too often.
func (d *Drafts) allow(ctx context.Context, workspace uuid.UUID, by *uuid.UUID) error {
	budget, err := d.Budget(ctx, workspace)
	if err != nil {
		return err
	}
	now := d.Machine.Now()
	return store.InTx(ctx, d.DB, d.Clock, func(tx store.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM ai_asks WHERE workspace_id = $1 AND at <= $2", workspace, now.Add(-time.Minute)); err != nil {
			return fmt.Errorf("forget drafts: %w", err)
		}
		var asked int
		if err := tx.QueryRow(ctx, "SELECT count(*) FROM ai_asks WHERE workspace_id = $1 AND user_id IS NOT DISTINCT FROM $2", workspace, by).Scan(&asked); err != nil {
			return fmt.Errorf("count drafts: %w", err)
		}
		if asked >= budget.UserMinute {
			return fault.New(fault.RateLimited, "You asked for %d drafts within a minute. Wait a moment, then ask again; your sentence is still there.", asked)
		}
		if _, err := tx.Exec(ctx, "INSERT INTO ai_asks (workspace_id, id, user_id, at) VALUES ($1, $2, $3, $4)", workspace, store.NewID(), by, now); err != nil {
			return fmt.Errorf("note a draft: %w", err)
		}
		return nil
	})
}
